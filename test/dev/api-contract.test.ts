import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, startDev, type TestDev } from './start-dev.js';

/** A call of the API with its response, and invalid calls. */
interface Contract {
  readonly call: `${'GET' | 'POST' | 'DELETE'} /api/${string}`;
  /** Values of path parameters such as `:id`. `run` is a finished run, `gone` one that can be removed. */
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly status: number;
  readonly gives: unknown;
  readonly bad?: readonly (readonly [path: string, body: unknown, status: number, code: string])[];
}

/** A response that is not JSON: server-sent events, lines of a trace. */
const STREAM = Symbol('stream');
const LINES = Symbol('lines');

const OK = { request: { method: 'GET' }, response: { status: 200 } };

const MISSING = [404, 'HOST_MISSING'] as const;
const WISH = { kind: 'module', name: 'listBooks', connection: 'shop', parameters: { limit: 1 } };

const CONTRACTS: readonly Contract[] = [
  {
    call: 'GET /api/app',
    path: 'app',
    status: 200,
    gives: { name: 'bookshop', findings: expect.any(Array) },
  },
  {
    call: 'POST /api/form',
    path: 'form',
    body: WISH,
    status: 200,
    gives: { fields: expect.any(Array), failures: [] },
    bad: [
      ['form', { kind: 'module', name: 'none' }, 400, 'USAGE'],
      ['form', [], 400, 'USAGE'],
      ['form', '{', 400, 'USAGE'],
    ],
  },
  {
    call: 'GET /api/runs',
    path: 'runs?name=listBooks&state=ok&limit=1&text=crime',
    status: 200,
    gives: { runs: [{ id: expect.any(String), name: 'listBooks' }] },
  },
  {
    call: 'POST /api/runs/:id/infer',
    path: 'runs/$run/infer',
    body: {},
    status: 200,
    gives: { file: expect.stringMatching(/interface/), added: expect.any(Array) },
    bad: [['runs/none/infer', {}, ...MISSING]],
  },
  {
    call: 'POST /api/runs',
    path: 'runs',
    body: WISH,
    status: 201,
    gives: { id: expect.any(String) },
    bad: [
      ['runs', { ...WISH, name: 'none' }, 400, 'USAGE'],
      ['runs', { ...WISH, limit: -1 }, 400, 'USAGE'],
      ['runs', { ...WISH, replayOf: 'none' }, 400, 'USAGE'],
      ['runs', { ...WISH, parameters: { genre: '[SANITIZED]' } }, 400, 'USAGE'],
      ['runs', 'no JSON', 400, 'USAGE'],
    ],
  },
  {
    call: 'GET /api/runs/:id',
    path: 'runs/$run',
    status: 200,
    gives: { id: '$run', state: 'ok' },
    bad: [['runs/none', undefined, ...MISSING]],
  },
  {
    call: 'GET /api/runs/:id/events',
    path: 'runs/$run/events?after=0',
    status: 200,
    gives: { events: expect.arrayContaining([expect.objectContaining({ seq: 1 })]) },
  },
  {
    call: 'POST /api/runs/:id/stop',
    path: 'runs/$run/stop',
    body: {},
    status: 200,
    gives: { stopped: false },
  },
  {
    call: 'POST /api/runs/:id/send-again',
    path: 'runs/$call/send-again',
    body: {},
    status: 201,
    gives: { id: expect.any(String) },
    bad: [['runs/$run/send-again', {}, 400, 'USAGE']],
  },
  {
    call: 'GET /api/runs/:id/explain',
    path: 'runs/$run/explain?seq=1&item=0',
    status: 200,
    gives: { documents: expect.any(Array), items: 10, moments: expect.any(Array) },
    bad: [['runs/none/explain?seq=1', undefined, ...MISSING]],
  },
  {
    call: 'GET /api/runs/:id/items',
    path: 'runs/$run/items?seq=1',
    status: 200,
    gives: { source: '{{body.books}}', found: 'array', arrays: [] },
    bad: [['runs/none/items?seq=1', undefined, ...MISSING]],
  },
  {
    call: 'POST /api/runs/:id/evaluate',
    path: 'runs/$run/evaluate',
    status: 200,
    body: { expression: '1 + 1', seq: 1, item: 0, moment: 'next' },
    gives: { kind: 'value', text: '2', moment: 'next' },
    bad: [
      ['runs/none/evaluate', { expression: '1' }, ...MISSING],
      ['runs/$run/evaluate', { expression: 1 }, 400, 'USAGE'],
      ['runs/$run/evaluate', { expression: '1', moment: 'then' }, 400, 'USAGE'],
      ['runs/$single/evaluate', { expression: '1', moment: 'next' }, 400, 'USAGE'],
      ['runs/$run/evaluate', [], 400, 'USAGE'],
    ],
  },
  {
    call: 'POST /api/steps',
    path: 'steps',
    status: 201,
    body: { step: 'test', name: 'bookshopKey', connection: 'shop' },
    gives: { id: expect.any(String) },
    bad: [
      ['steps', { step: 'renew', name: 'bookshopKey' }, 400, 'USAGE'],
      ['steps', { step: 'epoch', name: 'none' }, 400, 'USAGE'],
      ['steps', { step: 'test', name: 'bookshopKey', connection: 'none' }, 400, 'CONNECTION_MISSING'],
      ['steps', { step: 'attach', name: 'sold', parameters: [] }, 400, 'USAGE'],
    ],
  },
  {
    call: 'GET /api/runs/:id/trace',
    path: 'runs/$run/trace',
    status: 200,
    gives: LINES,
    bad: [['runs/none/trace', undefined, ...MISSING]],
  },
  {
    call: 'GET /api/runs/:id/har',
    path: 'runs/$run/har',
    status: 200,
    gives: { log: { version: '1.2', entries: [OK, OK] } },
    bad: [['runs/none/har', undefined, ...MISSING]],
  },
  {
    call: 'POST /api/traces',
    path: 'traces',
    type: 'application/x-ndjson',
    body: '$trace',
    status: 201,
    gives: { id: expect.any(String) },
    bad: [['traces', 'hello', 400, 'TRACE_FILE']],
  },
  {
    call: 'GET /api/bodies/:ref',
    path: 'bodies/$ref',
    status: 200,
    gives: { kind: 'json', isCut: false },
    bad: [['bodies/none', undefined, 404, 'NOT_FOUND']],
  },
  {
    call: 'GET /api/diff',
    path: 'diff?a=$run&b=$run',
    status: 200,
    gives: { bundles: { changes: [] } },
    bad: [
      ['diff?a=$run&b=none', undefined, ...MISSING],
      ['diff', undefined, ...MISSING],
    ],
  },
  { call: 'GET /api/live', path: 'live', status: 200, gives: STREAM },
  { call: 'GET /api/tests', path: 'tests', status: 200, gives: { tests: expect.any(Array) } },
  {
    call: 'GET /api/tests/one',
    path: 'tests/one?id=tests/listGenres/none.test.json',
    status: 200,
    gives: { failures: expect.any(Array) },
    bad: [['tests/one?id=x', undefined, ...MISSING]],
  },
  {
    call: 'POST /api/calls',
    path: 'calls',
    status: 201,
    gives: { id: expect.any(String) },
    body: { webhook: 'sold', headers: [['content-type', 'application/json']], body: '{"id": 1}' },
    bad: [
      ['calls', { webhook: 'none' }, 400, 'USAGE'],
      ['calls', { webhook: 'sold', method: 'post it' }, 400, 'USAGE'],
      ['calls', { webhook: 'sold', headers: [['a', 'b\r\nc: d']] }, 400, 'USAGE'],
      ['calls', { webhook: 'sold', headers: { a: 'b' } }, 400, 'USAGE'],
      ['calls', { webhook: 'sold', body: { a: 1 } }, 400, 'USAGE'],
      ['calls', { webhook: 'sold', headers: [['authorization', '[SANITIZED]']] }, 400, 'USAGE'],
      ['calls', { webhook: 'sold', of: 'none' }, 400, 'USAGE'],
      ['calls', 'no JSON', 400, 'USAGE'],
    ],
  },
  {
    call: 'POST /api/runs/:id/case',
    path: 'runs/$run/case',
    body: {},
    status: 200,
    gives: { folder: 'tests/listBooks', placeholders: ['apiKey'], suspects: [], ref: '$shown' },
    bad: [['runs/none/case', {}, ...MISSING]],
  },
  {
    call: 'POST /api/runs/:id/case/write',
    path: 'runs/$run/case/write',
    status: 201,
    body: { name: 'crime', shown: '$shown' },
    gives: { test: 'tests/listBooks/crime.test.json' },
    bad: [
      ['runs/none/case/write', { name: 'crime', shown: '$shown' }, ...MISSING],
      ['runs/$run/case/write', { name: 'crime', shown: '$shown' }, 400, 'USAGE'],
      ['runs/$run/case/write', { name: '../crime', shown: '$shown' }, 400, 'USAGE'],
      ['runs/$run/case/write', { name: 'other', shown: 'other' }, 400, 'USAGE'],
      ['runs/$run/case/write', 'no JSON', 400, 'USAGE'],
    ],
  },
  { call: 'POST /api/tests/run', path: 'tests/run', body: {}, status: 200, gives: {} },
  { call: 'DELETE /api/runs/:id', path: 'runs/$gone', status: 200, gives: {} },
  { call: 'DELETE /api/runs', path: 'runs', status: 200, gives: {} },
];

let dev: TestDev;
const known: Record<string, string> = {};

beforeAll(async () => {
  dev = await startDev({ prepare });
  const run = await dev.run({ name: 'listBooks', parameters: { genre: 'crime' } });
  known['run'] = run.id;
  known['shown'] = (await dev.post<{ ref: string }>(`/api/runs/${run.id}/case`)).ref;
  known['ref'] = run.bundleList?.ref ?? '';
  known['gone'] = (await dev.run({ name: 'listBooks', parameters: { limit: 1 } })).id;
  known['single'] = (await dev.run({ name: 'getBook', parameters: { isbn: 'none' } })).id;
  known['trace'] = await (await dev.fetch(`/api/runs/${run.id}/trace`)).text();
  await fetch(`${dev.server.hookOrigin}/hooks/sold/key-of-sold`, { method: 'POST', body: '{}' });
  const { runs } = await dev.get<{ runs: { id: string }[] }>('/api/runs?name=sold');
  known['call'] = runs[0]?.id ?? '';
});
afterAll(() => dev.close());

function prepare(root: string): void {
  const manifest = path.join(root, 'makecomapp.json');
  const written = JSON.parse(readFileSync(manifest, 'utf8')) as { components: Record<string, unknown> };
  written.components['webhook'] = {
    sold: { webhookType: 'web', codeFiles: { communication: 'sold.iml.json' } },
  };
  writeFileSync(manifest, JSON.stringify(written));
  writeFileSync(path.join(root, 'sold.iml.json'), '{"output": "{{body}}"}');
  const folder = path.join(root, 'tests', 'listGenres');
  mkdirSync(folder, { recursive: true });
  const exchanges = [{ response: { body: { genres: [] } } }];
  const text = JSON.stringify({ component: 'rpc:listGenres', exchanges, expect: { result: [] } });
  writeFileSync(path.join(folder, 'none.test.json'), text);
}

/** Replaces variables such as `$run` by values of this server. */
function fill<T>(value: T): T {
  if (typeof value === 'string') {
    return (known[value.slice(1)] ??
      value.replace(/\$(\w+)/g, (whole, name: string) => known[name] ?? whole)) as T;
  }
  if (typeof value !== 'object' || value === null || 'asymmetricMatch' in value) return value;
  if (Array.isArray(value)) return value.map(fill) as T;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member)])) as T;
}

function ask(
  method: string,
  target: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  const given = fill(body);
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return fetch(`${dev.server.origin}/api/${fill(target)}`, {
    method,
    headers,
    ...(body !== undefined && { body: text }),
  });
}

const own = (type = 'application/json'): Record<string, string> => ({
  authorization: `Bearer ${dev.server.token}`,
  'content-type': type,
});

it('has a contract for each API call', () => {
  const source = ['create-api.ts', 'serve-dev.ts']
    .map((file) => readFileSync(path.resolve(import.meta.dirname, '../../src/tools/dev', file), 'utf8'))
    .join('');
  const calls = [...source.matchAll(/app\.(get|post|put|delete)\(\s*'(\/api\/[^*']+)'/g)].map(
    ([, method = '', target]) => `${method.toUpperCase()} ${target}`,
  );
  expect(calls.length).toBeGreaterThan(20);
  expect(CONTRACTS.map(({ call }) => call).sort()).toEqual(calls.sort());
});

it('writes HAR from the history without stored bodies', async () => {
  const read = async (id: string | undefined): Promise<{ log: { entries: readonly HarEntry[] } }> =>
    (await ask('GET', `runs/${id}/har`, undefined, own())).json() as Promise<{
      log: { entries: HarEntry[] };
    }>;
  const taken = await ask('POST', 'traces', '$trace', own('application/x-ndjson'));
  const { id } = (await taken.json()) as { id: string };
  const [kept, heard] = [await read(id), await read(known['run'])];
  const shown = ({ log }: typeof kept): unknown =>
    log.entries.map(({ request, response: { status, content } }) => [
      new URL(request.url).search,
      status,
      JSON.parse(content.text),
    ]);
  expect(shown(kept)).toEqual(shown(heard));
  expect(JSON.stringify([kept, heard])).not.toContain(API_KEY);
});

interface HarEntry {
  readonly request: { readonly url: string };
  readonly response: { readonly status: number; readonly content: { readonly text: string } };
}

describe.each(CONTRACTS)('$call', ({ call, path: target, body, type, status, gives, bad = [] }) => {
  const [method = 'GET'] = call.split(' ');

  it('refuses requests without the token and from other origins', async () => {
    const { authorization = '', ...headers } = own(type);
    const problem = { code: expect.any(String), message: expect.any(String) };
    const others = [
      headers,
      { ...headers, authorization: `${authorization}x` },
      { ...headers, authorization: 'Basic eDp5' },
    ];
    for (const refused of others) {
      const answer = await ask(method, target, body, refused);
      expect([answer.status, await answer.json()]).toEqual([401, problem]);
    }
    const elsewhere = await ask(method, target, body, { ...own(type), origin: 'https://evil.example' });
    expect([elsewhere.status, await elsewhere.json()]).toEqual([403, problem]);
  });

  it('returns the documented shape', async () => {
    const answer = await ask(method, target, body, own(type));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    if (gives === STREAM) await answer.body?.cancel();
    else if (gives === LINES) expect(await answer.text()).toBe(known['trace']);
    else expect(await answer.json()).toMatchObject(fill(gives) as object);
  });

  it('describes an invalid call', async () => {
    for (const [wrong, given, wanted, code] of bad) {
      const answer = await ask(method, wrong, given, own(type));
      expect([wrong, answer.status, await answer.json()]).toEqual([
        ...[wrong, wanted],
        { code, message: expect.stringMatching(/^[A-Z"].{8,}\.$/s) },
      ]);
    }
    if (method !== 'POST') return;
    const form = await ask(method, target, body, own('text/plain'));
    expect([form.status, (await form.json()) as unknown]).toEqual([
      415,
      expect.objectContaining({ code: 'NO_JSON' }),
    ]);
  });
});

it('sends events to ten listeners, and refuses more than 64', async () => {
  const listen = (): Promise<Response> => ask('GET', 'live', undefined, own());
  const streams = await Promise.all(Array.from({ length: 10 }, listen));
  const heard = streams.map(async ({ body }) => {
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ; ) {
      const step = await reader?.read();
      text += step?.value ?? '';
      // Events of running tests can arrive, too.
      if (step?.done !== false || text.includes('"source":"run","state":"ok"'))
        return [text, reader] as const;
    }
  });
  const { id } = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
  const readers = await Promise.all(heard);
  for (const [text] of readers) expect(text).toContain(`"id":"${id}"`);
  const more = await Promise.all(Array.from({ length: 60 }, listen));
  expect(more.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
  await Promise.all(more.map(({ body }) => body?.cancel()));
  await Promise.all(readers.map(([, reader]) => reader?.cancel()));
});

it('responds to an unknown call with a message', async () => {
  for (const target of ['none', 'runs/x/none', 'app/']) {
    const answer = await ask('GET', target, undefined, own());
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { code: 'NOT_FOUND', message: 'The API has no such operation.' },
    ]);
  }
});
