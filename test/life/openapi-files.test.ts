import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine, loadApp, type Transport } from '../../src/index.js';
import { type Files, writeApp } from '../app/temp-app.js';
import { type CliResult, cli } from '../cli/fake-io.js';

type Json = Record<string, unknown>;

const respond = (schema: unknown, others: Json = {}): Json => ({
  200: { description: 'Success.', content: { 'application/json': { schema, ...others } } },
});

function api(paths: Json): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    servers: [{ url: 'https://api.notes.example' }],
    paths,
  };
}

const TEXT = { type: 'string' };
const NOTE = { type: 'object', properties: { id: TEXT, title: TEXT } };
const NOTES = { type: 'array', items: NOTE };

async function importFiles(files: Files, file = 'api.json'): Promise<CliResult & { folder: string }> {
  const folder = writeApp(files);
  return { ...(await cli(['init', 'app', 'notes', '--openapi', file], { cwd: folder })), folder };
}

const communicationOf = async (folder: string, name: string): Promise<unknown> =>
  (await loadApp(path.join(folder, 'notes'))).modules.get(name)?.communication?.value;

describe('a document of several files', () => {
  const FILES: Files = {
    'src/openapi.yaml': `openapi: 3.1.0
info: { title: Notes, version: '1' }
servers: [{ url: https://api.notes.example }]
paths:
  /notes: { $ref: ./paths/notes.yaml }
  /notes/{id}: { $ref: 'paths/all%20notes.json#/paths/~1notes~1{id}' }
`,
    'src/paths/notes.yaml': `get:
  operationId: listNotes
  responses:
    '200':
      description: Success.
      content:
        application/json:
          schema: { type: array, items: { $ref: '../schemas/note.yaml#/Note' } }
`,
    'src/paths/all notes.json': {
      paths: {
        '/notes/{id}': {
          get: {
            operationId: 'getNote',
            parameters: [{ name: 'id', in: 'path', required: true, schema: TEXT }],
            responses: respond({ $ref: '../schemas/note.yaml#/Note' }),
          },
        },
      },
    },
    'src/schemas/note.yaml': `Note:
  type: object
  properties: { id: { type: string }, tag: { $ref: '#/Tag' }, parent: { $ref: '#/Note' } }
Tag: { type: object, properties: { color: { type: string } } }
`,
  };

  it('is read with the files of its folder', async () => {
    const made = await importFiles(FILES, 'src/openapi.yaml');
    expect(made, made.err).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 of 2 operations are modules'),
    });
    const { modules } = await loadApp(path.join(made.folder, 'notes'));
    expect([...modules.keys()].sort()).toEqual(['getNote', 'listNotes', 'makeApiCall']);
    expect(modules.get('listNotes')?.interface?.value).toMatchObject([
      { name: 'id' },
      { name: 'tag', type: 'collection', spec: [{ name: 'color' }] },
      { name: 'parent', type: 'collection' },
    ]);
  });

  it.each([
    ['a missing file', './gone.yaml', 'names a file that does not exist'],
    ['a file above its folder', '../secret.yaml', 'is outside of the folder of the document, or hidden'],
    ['a hidden file', './.env', 'is outside of the folder of the document, or hidden'],
    ['a link to a file outside', './link.yaml', 'is outside of the folder of the document, or hidden'],
    ['an absolute path', '/etc/hostname', 'is outside of the folder of the document, or hidden'],
    ['another server', 'https://evil.example/a.yaml', 'is on a server, and the import sends no requests'],
  ])('is refused before anything is written if its paths are in %s', async (_title, reference, reason) => {
    const folder = writeApp({
      'secret.yaml': 'get: {}',
      'src/.env': 'get: {}',
      'src/api.json': api({ '/notes': { $ref: reference } }),
    });
    symlinkSync(path.join(folder, 'secret.yaml'), path.join(folder, 'src/link.yaml'));
    const made = await cli(['init', 'app', 'notes', '--openapi', 'src/api.json'], { cwd: folder });
    expect(made.code).toBe(2);
    expect(made.err).toContain('No operation of the document becomes a module, so nothing was written.');
    expect(made.err).toContain(`/notes: Its reference "${reference}" ${reason}`);
    expect(existsSync(path.join(folder, 'notes'))).toBe(false);
  });

  it('names unresolved references on the terminal', async () => {
    const made = await importFiles({
      'api.json': api({
        '/me': { get: { operationId: 'getMe', responses: respond({ $ref: 'gone.json#/Me' }) } },
      }),
    });
    expect(made.out).toContain('The reference `gone.json#/Me` names a file that does not exist.');
  });

  it('names the broken file', async () => {
    const made = await importFiles({
      'api.json': api({ '/me': { $ref: 'me.yaml' } }),
      'me.yaml': 'get: [1\n',
    });
    expect(made.code).not.toBe(0);
    expect(made.err).toContain('me.yaml:');
  });
});

describe('lists that are requested with POST', () => {
  const search = (body: Json, response: Json): Json => ({
    post: {
      requestBody: { content: { 'application/json': { schema: { type: 'object', properties: body } } } },
      responses: respond({ type: 'object', properties: response }),
    },
  });
  const NUMBER = { type: 'integer' };
  const DOCUMENT = api({
    '/notes.list': search({ query: TEXT, offset: NUMBER, limit: { ...NUMBER, maximum: 2 } }, { data: NOTES }),
    '/notes/changes': search(
      { cursor: TEXT, since: TEXT },
      { notes: NOTES, next_cursor: TEXT, has_more: { type: 'boolean' } },
    ),
    '/reports': search({ from: TEXT, to: TEXT }, { rows: NOTES }),
    '/notes/sync': search(
      { cursor: TEXT },
      { added: NOTES, removed: NOTES, next_cursor: TEXT, has_more: { type: 'boolean' } },
    ),
  });

  it('are searches that send the page in the body', async () => {
    const { folder, code, err } = await importFiles({ 'api.json': DOCUMENT });
    expect(code, err).toBe(0);
    const app = await loadApp(path.join(folder, 'notes'));
    const { operations } = JSON.parse(readFileSync(path.join(folder, 'notes/.iml/openapi.json'), 'utf8')) as {
      operations: Record<string, string>;
    };
    const sent: Record<string, unknown[]> = {};
    const transport: Transport = async ({ url, body, method }) => {
      const at = new URL(url).pathname;
      const request = JSON.parse(Buffer.from(body ?? '').toString('utf8')) as Json;
      sent[at] = [...(sent[at] ?? []), { method, ...request }];
      const page = sent[at].length;
      const items = page > 2 ? [] : [{ id: `${page}a` }, { id: `${page}b` }];
      const response =
        at === '/notes.list'
          ? { data: items }
          : { notes: items, next_cursor: `c${page}`, has_more: page < 2 };
      const headers = { 'content-type': 'application/json' };
      return { status: 200, headers, body: Buffer.from(JSON.stringify(response)), url };
    };
    const engine = createEngine({ app, http: { transport } });
    const runOf = async (path: string): Promise<unknown> => {
      const module = app.modules.get(operations[`POST ${path}`] ?? '');
      expect(module?.type, path).toBe('search');
      const fields = (module?.mappableParams?.value ?? []) as readonly Json[];
      const names = fields.map(({ name }) => name);
      expect(names).not.toContain('cursor');
      expect(names).not.toContain('offset');
      const parameters = { query: 'x', since: 's', limit: 100 };
      const report = await engine.module(module?.name ?? '').run({ parameters });
      return report.ok ? report.bundles.map((bundle) => (bundle as Json)['id']) : report.error;
    };
    expect(await runOf('/notes.list')).toEqual(['1a', '1b', '2a', '2b']);
    expect(await runOf('/notes/changes')).toEqual(['1a', '1b', '2a', '2b']);
    await engine.close();
    expect(sent).toEqual({
      '/notes.list': [0, 2, 4].map((offset) => ({ method: 'POST', query: 'x', offset, limit: 2 })),
      '/notes/changes': [
        { method: 'POST', since: 's' },
        { method: 'POST', since: 's', cursor: 'c1' },
      ],
    });
    expect(await cli(['check', 'notes', '--fail-on', 'info'], { cwd: folder })).toMatchObject({ code: 0 });
  });

  it('stay actions without a position in the body or a single list, which the report says', async () => {
    const { folder } = await importFiles({ 'api.json': DOCUMENT });
    const { modules } = await loadApp(path.join(folder, 'notes'));
    const actions = [...modules.values()].filter(({ type }) => type === 'action').map(({ name }) => name);
    expect(actions).toHaveLength(2);
    const report = readFileSync(path.join(folder, 'notes/openapi-report.md'), 'utf8');
    expect(report).toContain('its response has no list that stands out: the module outputs one page');
  });
});

describe('fields of a document', () => {
  const URI = { type: 'string', format: 'uri' };

  it('are URLs, e-mail addresses and UUIDs only where the examples agree', async () => {
    const properties = {
      site: { ...URI, example: 'https://a.example' },
      plain: URI,
      urn: { ...URI, example: 'urn:a:b' },
      image: URI,
      schemas: { type: 'array', items: URI },
      contact: { type: 'string', format: 'email', example: 'nobody' },
      key: { type: 'string', format: 'uuid', default: 'main' },
      nested: { type: 'object', properties: { logo: URI }, example: { logo: 'data:image/png;base64,AA' } },
    };
    const schema = { type: 'object', properties, example: { image: 'data:image/png;base64,AA' } };
    const content = {
      'application/json': { schema, example: { schemas: ['urn:x'], site: 'https://b.example' } },
    };
    const { folder, err, code } = await importFiles({
      'api.json': api({
        '/sites': { post: { operationId: 'createSite', requestBody: { content }, responses: {} } },
      }),
    });
    expect(code, err).toBe(0);
    const module = (await loadApp(path.join(folder, 'notes'))).modules.get('createSite');
    const types = Object.fromEntries(
      ((module?.mappableParams?.value ?? []) as readonly Json[]).map(({ name, type, spec }) => [
        name,
        type === 'text' || type === 'url' ? type : [type, spec],
      ]),
    );
    expect(types).toMatchObject({
      site: 'url',
      plain: 'url',
      urn: 'text',
      image: 'text',
      schemas: ['array', { type: 'text' }],
      contact: 'text',
      key: 'text',
      nested: ['collection', [{ name: 'logo', type: 'text' }]],
    });
  });

  it('show no character that hides or turns a text, and no HTML', async () => {
    const evil = 'a\u202eb\u009bc';
    const { folder, code, err } = await importFiles({
      'api.json': {
        ...api({
          '/notes': {
            get: {
              operationId: 'listNotes',
              summary: `List ${evil} notes`,
              parameters: [{ name: 'kind', in: 'query', description: evil, schema: { enum: [evil, 'b'] } }],
              responses: respond({
                type: 'object',
                properties: {
                  'items`}}{{connection.apiKey}}{{body.`': NOTES,
                  [evil]: TEXT,
                  ok: { type: 'boolean' },
                },
              }),
            },
          },
        }),
        info: {
          title: `Notes${evil}`,
          version: '1',
          description: 'See <img<b>src=x onerror=alert(1)> <<i>script>.',
        },
      },
    });
    expect(code, err).toBe(0);
    const root = path.join(folder, 'notes');
    expect(JSON.stringify(await communicationOf(folder, 'listNotes'))).not.toContain('connection.apiKey');
    expect(readFileSync(path.join(root, 'README.md'), 'utf8')).not.toMatch(/<[a-z/!]/i);
    const { modules } = await loadApp(root);
    const files = [...modules.values()].flatMap(({ communication, mappableParams, interface: output }) =>
      [communication, mappableParams, output].flatMap((document) => document?.file ?? []),
    );
    for (const file of [
      ...files,
      'README.md',
      'makecomapp.json',
      'openapi-report.md',
      'modules/groups.json',
    ]) {
      expect(readFileSync(path.join(root, file), 'utf8'), file).not.toMatch(/[\u0080-\u009f\u202e]/);
    }
  });
});

describe('a large document', () => {
  it('warns before anything is written, and names its tags', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 151 }, (_, index) => [
        `/t${index}`,
        {
          get: {
            operationId: `getT${index}`,
            tags: [index < 100 ? 'Much' : 'Less'],
            responses: respond(NOTE),
          },
        },
      ]),
    );
    const made = await importFiles({ 'api.json': api(paths) });
    expect(made.err).toMatch(/^The app has 151 modules, more than one app can sensibly hold \(150\)\./);
    expect(made.err).toContain('--tag "Much": 100\n  --tag "Less": 51\n');
  });

  it('is refused if its aliases stand for too many values', async () => {
    const values = Array.from({ length: 1000 }, () => '{}').join(', ');
    const aliases = Array.from({ length: 9000 }, () => '*x').join(', ');
    const text = `openapi: 3.1.0\nx: &x [${values}]\nall: [${aliases}]\npaths: {}\n`;
    const made = await importFiles({ 'api.yaml': text }, 'api.yaml');
    expect(made.code).not.toBe(0);
    expect(made.err).toContain('Invalid YAML: Its aliases stand for more than 5000000 values.');
  });
});
