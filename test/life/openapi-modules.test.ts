import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createEngine, loadApp } from '../../src/index.js';
import { cli } from '../cli/fake-io.js';
import { type MockApi, type MockOptions, mockApi, TOTAL } from './mock-api.js';

type Json = Record<string, unknown>;

interface Subject extends MockOptions {
  readonly connection: Readonly<Record<string, string>>;
}

const set = (at: Json, name: string, value: unknown): void => {
  at[name] = value;
};

/** The documents, with what their authors know beside them: how lists are paged. */
const SUBJECTS: readonly Subject[] = [
  {
    file: 'contacts.yaml',
    base: 'https://api.rolodex.example/v2',
    connection: { apiKey: 'k1' },
    credentials: { headers: { authorization: 'Bearer k1' } },
    lists: {
      'GET /contacts': {
        at: ['data'],
        style: {
          by: 'page',
          parameter: 'page',
          first: 1,
          tell: (body, pages, total) => set(body, 'meta', { total_pages: pages, total }),
        },
      },
      'GET /companies': {
        at: ['companies'],
        style: {
          by: 'page',
          parameter: 'page',
          first: 0,
          tell: (body, _pages, _total, isLast) => set(body, 'has_more', !isLast),
        },
      },
    },
  },
  {
    file: 'orders.json',
    base: 'https://api.shopline.example',
    connection: { accessToken: 't1' },
    credentials: { headers: { authorization: 'Bearer t1' } },
    lists: {
      'GET /v1/orders': {
        at: ['items'],
        style: {
          by: 'cursor',
          parameter: 'cursor',
          tell: (body, cursor) => set(body, 'paging', { next_cursor: cursor }),
        },
      },
      'POST /v1/orders/search': { at: [] },
      'GET /v1/products': {
        at: ['data'],
        style: {
          by: 'cursor',
          parameter: 'starting_after',
          tell: (body, cursor) => set(body, 'has_more', cursor !== null),
        },
      },
    },
  },
  {
    file: 'weather.yaml',
    base: 'https://api.barometer.example',
    connection: { apiKey: 'k2' },
    credentials: { query: { api_key: 'k2' } },
    lists: {
      'GET /stations': { at: [], style: { by: 'header' } },
      'GET /stations/{station}/observations': {
        at: ['results'],
        style: {
          by: 'link',
          tell: (body, url) => set(body, 'links', { self: 'https://api.barometer.example/', next: url }),
        },
      },
      'GET /codes': { at: [] },
    },
  },
  {
    file: 'tickets.json',
    base: 'https://desk.example/api/v3',
    connection: { appKey: 'k3', appId: 'a3' },
    credentials: { headers: { 'x-app-key': 'k3', 'x-app-id': 'a3' } },
    lists: {
      'GET /tickets': {
        at: ['tickets'],
        style: {
          by: 'offset',
          parameter: 'offset',
          size: 'limit',
          tell: (body, _pages, total) => set(body, 'total', total),
        },
      },
      'GET /tickets/{id}/comments': { at: [] },
      'GET /agents': {
        at: ['content'],
        style: {
          by: 'page',
          parameter: 'pageNumber',
          first: 0,
          tell: (body, _pages, _total, isLast) => set(body, 'last', isLast),
        },
      },
      'GET /agents/{id}/tickets': {
        at: ['data', 'tickets'],
        style: { by: 'offset', parameter: 'skip', size: 'take', tell: () => {} },
      },
    },
  },
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-openapi-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nameOf = ({ file }: Subject): string => file.replace(/\.\w+$/, '');

async function create(subject: Subject): Promise<string> {
  const document = path.resolve(import.meta.dirname, '../../spec-fixtures/openapi', subject.file);
  const made = await cli(['init', 'app', nameOf(subject), '--openapi', document], { cwd: folder });
  expect(made, made.err).toMatchObject({ code: 0 });
  return path.join(folder, nameOf(subject));
}

/** A value for every field of a form, so that the request has everything that it can. */
function fillForm(fields: readonly Json[]): Json {
  return Object.fromEntries(fields.map((field) => [field['name'], fill(field)]));
}

function fill(field: Json): unknown {
  if (field['name'] === 'limit') return 100;
  const [option] = (field['options'] ?? []) as readonly { value: unknown }[];
  if (option !== undefined) return field['multiple'] === true ? [option.value] : option.value;
  const { spec } = field;
  switch (field['type']) {
    case 'integer':
    case 'uinteger':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'date':
      return '2026-01-31T12:00:00.000Z';
    case 'email':
      return 'ann@example.com';
    case 'url':
      return 'https://example.com/';
    case 'uuid':
      return '00000000-0000-4000-8000-000000000001';
    case 'buffer':
      return Buffer.from('bytes');
    case 'filename':
      return 'file.pdf';
    case 'collection':
      return Array.isArray(spec) ? fillForm(spec) : undefined;
    case 'array':
      return Array.isArray(spec) ? [fillForm(spec)] : [spec === undefined ? 'text' : fill(spec as Json)];
    case 'any':
      return 1;
    default:
      return 'DE/1';
  }
}

/** Bundles of a run: dates of responses are texts there. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replace(/:00\.000Z"/g, ':00Z"'));

describe.each(SUBJECTS)('the app of $file', (subject) => {
  let root: string;
  let app: App;
  let api: MockApi;
  /** Names of modules by operation. */
  let modules: Readonly<Record<string, string>>;
  beforeAll(async () => {
    root = await create(subject);
    app = await loadApp(root);
    api = mockApi(subject);
    modules = (
      JSON.parse(readFileSync(path.join(root, '.iml/openapi.json'), 'utf8')) as {
        operations: Record<string, string>;
      }
    ).operations;
  });

  it('has a module for at least 80 % of the operations', () => {
    const count = Object.keys(modules).length;
    expect(count / api.operations.length).toBeGreaterThanOrEqual(0.8);
    for (const key of Object.keys(modules)) expect(api.operations).toContain(key);
  });

  it('runs every module against a mock of the document, all pages of lists included', async () => {
    const engine = createEngine({ app, http: { transport: api.transport } });
    for (const [key, name] of Object.entries(modules)) {
      const module = app.modules.get(name);
      const form = (module?.mappableParams?.value ?? []) as readonly Json[];
      const report = await engine
        .module(name)
        .run({ parameters: fillForm(form), connection: subject.connection });
      expect(api.problems, key).toEqual([]);
      expect(report, key).toMatchObject({ ok: true });
      const bundles = report.ok ? report.bundles : [];
      expect(bundles.length, key).toBe(module?.type === 'search' ? TOTAL : 1);
      const declared = ((module?.interface?.value ?? []) as readonly Json[]).map((field) => field['name']);
      for (const bundle of bundles) {
        for (const member of Object.keys(bundle as object))
          expect(declared, `${key}: ${member}`).toContain(member);
      }
      const response = api.responses.get(key);
      if (module?.type !== 'search' && typeof response === 'object')
        expect(plain(bundles[0]), key).toEqual(plain(response));
    }
    await engine.close();
  });

  it('requests several pages of the lists whose paging the document describes', () => {
    const paged = Object.entries(subject.lists).filter(
      ([, { style }]) => style !== undefined && style.by !== 'offset',
    );
    for (const [key] of paged) expect(api.requests.get(key)?.length, key).toBe(3);
  });

  it('passes iml check, its review profile and its first tests as it is', async () => {
    const name = nameOf(subject);
    expect(await cli(['check', name, '--fail-on', 'info'], { cwd: folder })).toMatchObject({ code: 0 });
    const reviewed = await cli(['check', name, '--profile', 'review', '--format', 'json'], { cwd: folder });
    expect(reviewed, reviewed.out).toMatchObject({ code: 0 });
    const { findings } = JSON.parse(reviewed.out) as { findings: readonly { rule: string; level: string }[] };
    const warnings = findings.filter(({ level }) => level === 'warning').map(({ rule }) => rule);
    // The API takes its key in the query only, and names no account.
    expect(warnings).toEqual(
      subject.file === 'weather.yaml' ? ['connection-metadata', 'secret-in-address'] : [],
    );
    const tested = await cli(['test', name], { cwd: folder });
    expect(tested, tested.out).toMatchObject({ code: 0, out: expect.not.stringContaining('todo') });
  });
});
