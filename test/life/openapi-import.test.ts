import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importOpenApi } from '../../src/tools/life/openapi/import-openapi.js';
import { cli, type FakeIoOptions } from '../cli/fake-io.js';

type Json = Record<string, unknown>;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-openapi-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (file: string, content: unknown): void =>
  writeFileSync(path.join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
const read = (file: string): string => readFileSync(path.join(folder, 'acme', file), 'utf8');
const json = (file: string): Json => JSON.parse(read(file)) as Json;
const moduleFile = (stem: string, part: string): string => `modules/${stem}/${stem}.${part}.iml.json`;

/** Imports a document into the app `acme`. */
async function importDocument(
  document: unknown,
  args: readonly string[] = [],
  { file = 'api.json', ...options }: FakeIoOptions & { readonly file?: string } = {},
): ReturnType<typeof cli> {
  put(file, document);
  return cli(['init', 'app', 'acme', '--openapi', file, ...args], { cwd: folder, ...options });
}

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const USER = {
  type: 'object',
  required: ['name'],
  properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
};
const respond = (schema: unknown, status = '200'): Json => ({
  [status]: { description: 'Success.', content: { 'application/json': { schema } } },
});

/** A small document. */
function api(paths: Json = {}, others: Json = {}): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Acme', version: '1' },
    servers: [{ url: 'https://api.acme.example' }],
    security: [{ key: [] }],
    paths: {
      '/me': {
        get: {
          operationId: 'getMe',
          responses: respond({ type: 'object', properties: { email: { type: 'string' } } }),
        },
      },
      '/users/{id}': { get: { operationId: 'getUser', parameters: [ID], responses: respond(USER) } },
      ...paths,
    },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    ...others,
  };
}

const POST_USER = {
  operationId: 'createUser',
  requestBody: { content: { 'application/json': { schema: USER } } },
  responses: respond(USER, '201'),
};

/** A schema of the property `due_date`, its field, and the expression that sends it. */
const FIELDS: readonly (readonly [schema: Json, field: Json, sent?: string])[] = [
  [{ type: 'string', format: 'date-time' }, { type: 'date' }],
  [
    { type: 'string', format: 'date' },
    { type: 'date', time: false },
    "{{if(parameters.due_date, formatDate(parameters.due_date, 'YYYY-MM-DD'))}}",
  ],
  [{ type: 'string' }, { type: 'date' }],
  [
    { type: 'string', example: '2026-05-01' },
    { type: 'text', help: 'For example, `2026-01-31`.' },
  ],
  [{ type: 'string', description: 'As YYYY-MM-DD.' }, { type: 'text' }],
  [{ type: ['integer', 'null'], minimum: 0 }, { type: 'uinteger' }],
  [
    { enum: ['DE', 'in_work', null] },
    {
      type: 'select',
      options: [
        { label: 'DE', value: 'DE' },
        { label: 'In work', value: 'in_work' },
      ],
    },
  ],
  [
    { type: 'array', items: { enum: ['a', 'b'] } },
    { type: 'select', multiple: true },
  ],
  [{ anyOf: [{ type: 'string', format: 'email' }, { type: 'null' }] }, { type: 'email' }],
  [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'any' }],
  [
    { type: 'object', additionalProperties: { type: 'integer' } },
    { type: 'array', spec: [{ name: 'key' }, { name: 'value', type: 'integer' }] },
    "{{if(parameters.due_date, toCollection(parameters.due_date, 'key', 'value'))}}",
  ],
];

describe('iml init app --openapi', () => {
  it.each([
    [
      '{ "swagger": "2.0", "paths": {} }',
      'api.json: Found Swagger 2.0; expected an OpenAPI 3.0 or 3.1 document. Convert it first',
    ],
    ['asyncapi: 3.0.0\nchannels: {}', 'Found AsyncAPI 3.0.0'],
    ['openapi: 4.0.0\npaths: {}', 'Found OpenAPI 4.0.0'],
    ['{ "info": { "_postman_id": "1" }, "item": [] }', 'Found a Postman collection'],
    ['[1, 2]', 'Found a list'],
    ['just text', 'Found no object'],
    ['{ "openapi": "3.0.0", "info": {} }', 'The document has no paths'],
    ['{ "openapi": "3.0.0",\n  "paths": nope }', 'api.json:2:12: Expected a JSON token'],
    ['openapi: 3.0.0\npaths:\n  /a: [1\n', 'Invalid YAML'],
    ['openapi: 3.0.0\npaths: {}\npaths: {}\n', 'api.yaml:3:1: Invalid YAML: Map keys must be unique'],
    [`openapi: 3.0.0\npaths: ${'['.repeat(3000)}`, 'Invalid YAML'],
    [
      'a: &a [x, x, x, x, x, x, x, x, x, x]\n' +
        'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]',
      'Excessive alias count',
    ],
    ['openapi: 3.0.0\npaths: &p\n  /a: *p\n', 'Nested deeper than'],
  ])('refuses %j and writes nothing', async (text, message) => {
    const file = text.startsWith('{') ? 'api.json' : 'api.yaml';
    const made = await importDocument(text, [], { file });
    expect(made.code).not.toBe(0);
    expect(made.err).toContain(message);
    expect(existsSync(path.join(folder, 'acme'))).toBe(false);
  });

  it.each([
    [['--key-header', 'x'], '--key-header cannot be combined with --openapi'],
    [['--auth', 'magic'], '--auth: expected one of'],
    [['--base-url', 'nonsense'], '--base-url: expected an http or https address'],
    [['--account-path', 'me'], '--account-path: expected a path'],
  ])('refuses the options %j', async (args, message) => {
    expect(await importDocument(api(), args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
    expect(existsSync(path.join(folder, 'acme'))).toBe(false);
  });

  it('refuses a missing document, and an app that was created by hand', async () => {
    const missing = await cli(['init', 'app', 'acme', '--openapi', 'none.yaml'], { cwd: folder });
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringContaining('Cannot read "none.yaml": ENOENT'),
    });
    await cli(['init', 'app', 'acme', '--base-url', 'https://a.example'], { cwd: folder });
    const before = read('makecomapp.json');
    expect(await importDocument(api())).toMatchObject({
      code: 2,
      err: expect.stringContaining('.iml/openapi.json is missing'),
    });
    expect(read('makecomapp.json')).toBe(before);
  });

  it('requires --base-url for a document without an absolute server, and remembers it', async () => {
    const relative = api({}, { servers: [{ url: '/v1' }] });
    expect(await importDocument(relative)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Missing --base-url'),
    });
    expect(
      (await importDocument(relative, ['--base-url', 'https://api.acme.example/v1', '--label', 'Acme Inc']))
        .code,
    ).toBe(0);
    expect((await importDocument(relative)).code).toBe(0);
    expect(json('general/base.iml.json')).toMatchObject({ baseUrl: 'https://api.acme.example/v1' });
    expect(read('README.md')).toContain('# Acme Inc');
  });

  it.each([
    [
      'basic',
      { type: 'http', scheme: 'basic' },
      { authorization: "Basic {{base64(connection.username + ':' + connection.password)}}" },
      undefined,
    ],
    [
      'cookie key',
      { type: 'apiKey', in: 'cookie', name: 'sid' },
      { cookie: 'sid={{connection.apiKey}}' },
      undefined,
    ],
    [
      'client credentials',
      {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: '/token', scopes: { read: 'Read everything' } } },
      },
      { authorization: 'Bearer {{connection.accessToken}}' },
      { token: { url: 'https://api.acme.example/token', body: { grant_type: 'client_credentials' } } },
    ],
    [
      'authorization code',
      {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://login.acme.example/a?x=1',
            tokenUrl: 'https://login.acme.example/t',
            refreshUrl: 'https://login.acme.example/r',
            scopes: {},
          },
        },
      },
      { authorization: 'Bearer {{connection.accessToken}}' },
      {
        authorize: { url: 'https://login.acme.example/a?x=1' },
        token: { url: 'https://login.acme.example/t' },
        refresh: { url: 'https://login.acme.example/r' },
      },
    ],
  ])(
    'makes a connection of the security scheme %s that passes check, review and test',
    async (_, scheme, headers, oauth) => {
      const made = await importDocument(api({}, { components: { securitySchemes: { key: scheme } } }));
      expect(made, made.err).toMatchObject({ code: 0 });
      expect(json('general/base.iml.json')).toMatchObject({
        headers,
        log: { sanitize: [`request.headers.${Object.keys(headers)[0]}`] },
      });
      if (oauth !== undefined) {
        expect(json('connections/account/account.oauth-communication.iml.json')).toMatchObject(oauth);
      }
      const checked = await cli(['check', 'acme', '--profile', 'review', '--fail-on', 'warning'], {
        cwd: folder,
      });
      expect(checked, checked.out).toMatchObject({ code: 0 });
      const tested = await cli(['test', 'acme'], { cwd: folder });
      expect(tested, tested.out).toMatchObject({ code: 0, out: expect.not.stringContaining('todo') });
    },
  );

  it('chooses another security scheme with --auth, and gives modules their scopes', async () => {
    const oauth = {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://a.example/t', scopes: {} } },
    };
    const document = api(
      {},
      {
        security: [{ key: [] }, { login: ['users:read'] }],
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' }, login: oauth } },
      },
    );
    expect((await importDocument(document, ['--auth', 'oauth2'])).code).toBe(0);
    expect(json(moduleFile('get-user', 'scope'))).toEqual(['users:read']);
    expect(json('connections/account/account.scope-list.iml.json')).toEqual({ 'users:read': 'users:read' });
    expect(read('openapi-report.md')).toContain(
      'The security scheme `key` is not used. Choose it with --auth api-key.',
    );
  });

  it.each([
    [{ implicit: { authorizationUrl: 'https://a.example/a' } }, 'it has no flow with a token address'],
    [
      {
        authorizationCode: {
          authorizationUrl: 'https://{tenant}.example/a',
          tokenUrl: 'https://a.example/t',
        },
      },
      'authorizationUrl of its flow authorizationCode is missing, or is no http or https address without variables',
    ],
    [{ clientCredentials: { scopes: {} } }, 'tokenUrl of its flow clientCredentials is missing'],
  ])('reports why OAuth is not supported: %j', async (flows, reason) => {
    const more = {
      security: [{ login: [] }],
      components: { securitySchemes: { login: { type: 'oauth2', flows } } },
    };
    expect((await importDocument(api({}, more))).code).toBe(0);
    expect(read('openapi-report.md')).toContain(`\`login\` is not supported: ${reason}`);
  });

  it('takes the kind of authentication from --auth if the document has no security scheme', async () => {
    const document = api({}, { security: undefined, components: {} });
    expect((await importDocument(document, ['--auth', 'basic'])).code).toBe(0);
    expect(json('general/base.iml.json')).toHaveProperty('headers.authorization');
    rmSync(path.join(folder, 'acme'), { recursive: true });
    expect((await importDocument(document)).code).toBe(0);
    expect(json('general/base.iml.json')).not.toHaveProperty('headers');
    expect(json('makecomapp.json')).toHaveProperty('components.connection', {});
  });

  it('converts schemas to fields of forms, and sends dates and maps as the document says', async () => {
    const path = (index: number): string => `/users${index}`;
    const paths = FIELDS.map(([schema], index): Json => {
      const body = { type: 'object', properties: { due_date: schema } };
      const requestBody = { content: { 'application/json': { schema: body } } };
      return { [path(index)]: { post: { ...POST_USER, operationId: `createUser${index}`, requestBody } } };
    });
    const made = await importDocument(api(Object.assign({}, ...paths)));
    expect(made, made.err).toMatchObject({ code: 0 });
    for (const [index, [schema, field, sent = '{{parameters.due_date}}']] of FIELDS.entries()) {
      const form = JSON.parse(read(moduleFile(`create-user${index}`, 'mappable-params'))) as unknown;
      expect(form, JSON.stringify(schema)).toMatchObject([{ name: 'due_date', label: 'Due date', ...field }]);
      expect(json(moduleFile(`create-user${index}`, 'communication'))['body']).toEqual({ due_date: sent });
    }
    const args = ['check', 'acme', '--profile', 'review', '--fail-on', 'warning'];
    const reviewed = await cli(args, { cwd: folder });
    expect(reviewed, reviewed.out).toMatchObject({ code: 0 });
  });

  it('reports what a document cannot say or an app cannot do', async () => {
    const document = api({
      '/logs': { get: { responses: { 200: { description: 'Logs.', content: { 'application/xml': {} } } } } },
      '/old': { get: { deprecated: true, responses: {} } },
      '/users': { get: { operationId: 'listUsers', responses: respond({ type: 'array', items: USER }) } },
      '/far': {
        get: { operationId: 'far', responses: respond({ $ref: 'https://other.example/schema.json#/A' }) },
      },
      '/lost': { get: { operationId: 'lost', responses: respond({ $ref: '#/components/schemas/None' }) } },
    });
    const made = await importDocument(document);
    expect(made.out).toContain('5 of 7 operations are modules');
    expect(made.out).toContain('left out: GET /old: It is deprecated.');
    const report = read('openapi-report.md');
    expect(report).toContain(
      '- `GET /logs`: Its response is application/xml; expected JSON, text or a file.',
    );
    expect(report).toContain('- `listUsers`: The document does not say how the list is paged.');
    expect(report).toContain('The reference `https://other.example/schema.json#/A` is on a server');
    expect(report).toContain('The reference `#/components/schemas/None` names nothing in the document.');
  });

  it('imports only operations with a tag that --tag names, also the next time', async () => {
    const tagged = api({
      '/users': { post: { ...POST_USER, tags: ['Users'] } },
      '/logs': { get: { operationId: 'getLog', tags: ['Logs'], responses: respond(USER) } },
    });
    const unknown = await importDocument(tagged, ['--tag', 'User']);
    expect(unknown).toMatchObject({
      code: 2,
      err: expect.stringContaining('No operation has the tag "User".'),
    });
    for (const args of [['--tag', 'Users'], []]) {
      expect(await importDocument(tagged, args)).toMatchObject({
        code: 0,
        out: expect.stringContaining('1 of 1 operations are modules'),
      });
    }
    expect(read('makecomapp.json')).not.toContain('getLog');
    expect((await importDocument(tagged, ['--tag', 'Users', '--tag', 'Logs'])).out).toContain(
      'added: module getLog',
    );
  });

  it('refuses a document whose manifest would exceed the size limit of apps', async () => {
    const made = await importDocument(largeApi(400, THING));
    expect(made).toMatchObject({
      code: 2,
      err: expect.stringContaining('Import a part of the document with --tag'),
    });
    expect(existsSync(path.join(folder, 'acme'))).toBe(false);
  });

  it('lets no expression, prototype or path of a document into the app', async () => {
    const evil = '{{connection.apiKey}}';
    const document = JSON.parse(
      JSON.stringify(
        api({
          '/x/{{connection.apiKey}}': { get: { responses: respond(USER) } },
          '/users': {
            post: {
              operationId: '../../evil',
              summary: `Create ${evil}`,
              description: evil,
              tags: [evil],
              parameters: [
                { name: evil, in: 'query', schema: { type: 'string' } },
                {
                  name: 'safe',
                  in: 'query',
                  required: true,
                  description: evil,
                  schema: { type: 'string', default: evil, title: evil },
                },
                { name: 'choice', in: 'query', schema: { enum: [evil, 'plain'] } },
              ],
              requestBody: {
                content: {
                  [`application/json+${evil}`]: {},
                  'application/json': {
                    schema: {
                      type: 'object',
                      properties: {
                        PROTO: { type: 'string' },
                        constructor: { type: 'string' },
                        [evil]: { type: 'string' },
                      },
                    },
                  },
                },
              },
              responses: respond({ $ref: '#/__proto__/constructor' }),
            },
          },
        }),
      ).replaceAll('PROTO', '__proto__'),
    ) as unknown;
    const made = await importDocument(document);
    expect(made, made.err).toMatchObject({ code: 0 });
    expect(JSON.stringify(json('makecomapp.json'))).not.toContain(evil);
    const texts = ['communication', 'mappable-params', 'interface'].map((part) =>
      read(moduleFile('evil', part)),
    );
    expect(texts.join('')).not.toContain(evil);
    expect(json(moduleFile('evil', 'communication'))['body']).toMatchObject({
      constructor: '{{parameters.constructor}}',
    });
    expect((await cli(['check', 'acme'], { cwd: folder })).code).toBe(0);
  });

  it('reads names of any length in a short time', async () => {
    const long = 'A'.repeat(300_000);
    const document = api({
      [`/${'b'.repeat(300_000)}`]: {
        get: { operationId: long, summary: long, tags: [long], responses: respond(USER) },
      },
      '/users': {
        post: {
          operationId: 'createUser',
          parameters: [{ name: 'kind', in: 'query', schema: { enum: [long] } }],
          responses: respond({ type: 'object', properties: { [long]: {} } }),
        },
      },
    });
    const made = await importDocument(document);
    expect(made, made.err.slice(0, 500)).toMatchObject({ code: 0 });
  });

  it.each<[string, (refs: readonly Json[], index: number) => Json]>([
    [
      'properties',
      (refs) => ({
        type: 'object',
        properties: Object.fromEntries(refs.slice(0, 30).map((ref, at) => [`p${at}`, ref])),
      }),
    ],
    [
      'alternatives that double at each level',
      (refs, index) => ({
        properties: { name: { type: 'string' } },
        oneOf: [refs[index + 1] ?? {}, { allOf: [refs[index + 1] ?? {}] }],
      }),
    ],
    [
      'a long chain of allOf',
      (refs, index) => ({ properties: { name: {} }, allOf: [refs[index + 1] ?? {}] }),
    ],
  ])('bounds the fields of schemas that refer to each other by %s', async (_, schemaOf) => {
    const names = Array.from({ length: 1000 }, (_name, index) => `S${index}`);
    const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const schemas = Object.fromEntries(names.map((name, index) => [name, schemaOf(refs, index)]));
    const [first] = refs;
    const post = {
      operationId: 'postAll',
      requestBody: { content: { 'application/json': { schema: first } } },
      responses: respond(first),
    };
    const document = api(
      { '/all': { post } },
      { components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } } },
    );
    const made = await importDocument(document);
    expect(made, made.err).toMatchObject({ code: 0 });
    expect(read(moduleFile('post-all', 'interface')).split('"name"').length).toBeLessThanOrEqual(302);
    expect(read(moduleFile('post-all', 'samples')).length).toBeLessThan(40_000);
  });

  /** Five operations for each of a number of resources. */
  function largeApi(resources: number, Thing: unknown): Json {
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } };
    const one = respond({ $ref: '#/components/schemas/Thing' });
    const paths = Array.from({ length: resources }, (_, index): Json => {
      const page = { name: 'page', in: 'query', schema: { type: 'integer' } };
      const all = respond({ type: 'array', items: { $ref: '#/components/schemas/Thing' } });
      return {
        [`/things${index}`]: {
          get: { parameters: [page], responses: all },
          post: { requestBody: body, responses: one },
        },
        [`/things${index}/{id}`]: {
          parameters: [ID],
          get: { responses: one },
          patch: { requestBody: body, responses: one },
          delete: { responses: { 204: { description: 'Deleted.' } } },
        },
      };
    });
    return api(Object.assign({}, ...paths), {
      components: { schemas: { Thing }, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    });
  }

  const THING = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`field${index}`, { type: 'string' }]),
    ),
  };

  it('imports a fifth of 300 operations', async () => {
    const start = performance.now();
    const made = await importDocument(largeApi(12, THING));
    const seconds = (performance.now() - start) / 1000;
    expect(made.out).toContain('62 of 62 operations are modules');
    const { components } = json('makecomapp.json') as { components: { module: Json } };
    expect(Object.keys(components.module)).toHaveLength(63);
    console.info(`62 operations imported in ${seconds.toFixed(1)} s`);
  });

  it('reads a document no more often for each of 300 operations than for each of 60', () => {
    const readsPerOperation = (resources: number): number => {
      let reads = 0;
      const count = <T extends object>(value: T): T =>
        new Proxy(value, {
          getOwnPropertyDescriptor: (target, name) => {
            reads++;
            return Reflect.getOwnPropertyDescriptor(target, name);
          },
        });
      const root = largeApi(resources, count(THING));
      root['paths'] = count(root['paths'] as Json);
      const { modules } = importOpenApi(
        { root, version: '3.1.0', open: () => ({ problem: 'is not read' }) },
        {
          label: undefined,
          baseUrl: 'https://api.acme.example',
          authentication: undefined,
          accountPath: undefined,
          tags: [],
          knownNames: new Map(),
          deleted: new Set(),
          otherNames: [],
        },
      );
      expect(modules).toHaveLength(resources * 5 + 2);
      return reads / modules.length;
    };
    const few = readsPerOperation(12);
    expect(few).toBeGreaterThan(10);
    expect(readsPerOperation(60)).toBeLessThan(few * 1.1);
  });
});

describe('a second import', () => {
  const snapshot = (...files: readonly string[]): readonly string[] => files.map(read);

  it('of the same document changes nothing', async () => {
    await importDocument(api({ '/users': { post: POST_USER } }));
    const files = [
      'makecomapp.json',
      'general/base.iml.json',
      moduleFile('create-user', 'communication'),
      '.iml/openapi.json',
    ];
    const before = snapshot(...files);
    expect(await importDocument(api({ '/users': { post: POST_USER } }))).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 files and 0 tests written'),
    });
    expect(snapshot(...files)).toEqual(before);
  });

  it('adds operations, updates files without manual edits, and lists operations that are gone', async () => {
    await importDocument(api({ '/users': { post: POST_USER } }));
    const named = { ...USER, properties: { ...USER.properties, nick: { type: 'string' } } };
    const changed = api({
      '/users': {
        post: {
          ...POST_USER,
          operationId: 'insertUser',
          summary: 'Add a user',
          requestBody: { content: { 'application/json': { schema: named } } },
        },
      },
      '/users/{id}': {
        delete: {
          operationId: 'deleteUser',
          parameters: [ID],
          responses: { 204: { description: 'Deleted.' } },
        },
      },
    });
    const second = await importDocument(changed);
    expect(second.out).toContain('added: module deleteUser');
    expect(second.out).toContain('updated: module createUser');
    expect(second.out).toContain('no longer imported: GET /users/{id} (getUser stays)');
    // The name stays, although the operationId changed: scenarios refer to it.
    expect(json(moduleFile('create-user', 'communication'))['body']).toEqual({
      name: '{{parameters.name}}',
      nick: '{{parameters.nick}}',
    });
    const { module } = (json('makecomapp.json') as { components: { module: Record<string, Json> } })
      .components;
    expect(module?.['createUser']).toMatchObject({ label: 'Add a user' });
    expect(Object.keys(module ?? {})).toEqual(
      expect.arrayContaining(['getUser', 'createUser', 'deleteUser']),
    );
    expect(module).not.toHaveProperty('insertUser');
    const tested = await cli(['test', 'acme'], { cwd: folder });
    expect(tested, tested.out).toMatchObject({ code: 0 });
  });

  it('keeps files, rows and tests that were changed by hand, and shows what the document says', async () => {
    await importDocument(api({ '/users': { post: POST_USER } }));
    const form = moduleFile('create-user', 'mappable-params');
    put(`acme/${form}`, read(form).replace('"label": "Name"', '"label": "Full name"'));
    put(
      'acme/makecomapp.json',
      read('makecomapp.json').replace('"label": "Create a user"', '"label": "Invite a user"'),
    );
    const test = 'tests/createUser/createUser.test.json';
    put(`acme/${test}`, `// Mine.\n${read(test)}`);
    const before = snapshot(form, test);

    const same = await importDocument(api({ '/users': { post: POST_USER } }));
    expect(same.out).not.toContain('kept');
    expect(snapshot(form, test)).toEqual(before);

    const email = { ...USER, properties: { ...USER.properties, email: { type: 'string', format: 'email' } } };
    const changed = api({
      '/users': {
        post: {
          ...POST_USER,
          summary: 'Create user account',
          requestBody: { content: { 'application/json': { schema: email } } },
        },
      },
    });
    for (let time = 0; time < 2; time++) {
      const second = await importDocument(changed);
      expect(second.out).toContain(`kept, as it was changed by hand: ${form}`);
      expect(second.out).toContain('kept, as it was changed by hand: makecomapp.json: module/createUser');
      expect(snapshot(form, test)).toEqual(before);
      expect(read('makecomapp.json')).toContain('"label": "Invite a user"');
      // The request was not changed by hand.
      expect(json(moduleFile('create-user', 'communication'))['body']).toHaveProperty('email');
      const report = read('openapi-report.md');
      expect(report).toContain(`\`${form}\` differs from the document:`);
      expect(report).toContain('+     "name": "email",');
    }
  });

  it('does not restore modules and files that were deleted by hand', async () => {
    await importDocument(api({ '/users': { post: POST_USER } }));
    const manifest = json('makecomapp.json') as { components: { module: Record<string, Json> } };
    delete manifest.components.module['createUser'];
    put('acme/makecomapp.json', manifest);
    rmSync(path.join(folder, 'acme', moduleFile('get-user', 'samples')));
    const second = await importDocument(api({ '/users': { post: POST_USER } }));
    expect(second.out).toContain('left out: POST /users: Its module was deleted from the app.');
    expect(read('makecomapp.json')).not.toContain('createUser');
    expect(existsSync(path.join(folder, 'acme', moduleFile('get-user', 'samples')))).toBe(false);
  });

  it('leaves modules alone that were added by hand, also under the name of a new operation', async () => {
    await importDocument(api());
    expect((await cli(['add', 'module', 'createUser', 'acme'], { cwd: folder })).code).toBe(0);
    const file = moduleFile('create-user', 'communication');
    const before = snapshot(file);
    const second = await importDocument(api({ '/users': { post: POST_USER } }));
    expect(second.out).toContain('added: module createUser2');
    expect(snapshot(file)).toEqual(before);
  });

  it('repeats an import that was interrupted before the manifest was written', async () => {
    await importDocument(api());
    rmSync(path.join(folder, 'acme/makecomapp.json'));
    rmSync(path.join(folder, 'acme', moduleFile('get-user', 'samples')));
    const again = await importDocument(api());
    expect(again, again.err).toMatchObject({ code: 0 });
    expect(existsSync(path.join(folder, 'acme', moduleFile('get-user', 'samples')))).toBe(true);
  });

  it('uses the extension of the first import for new modules', async () => {
    await importDocument(api(), ['--extension', '.iml.jsonc']);
    await importDocument(api({ '/users': { post: POST_USER } }));
    expect(read('modules/create-user/create-user.communication.iml.jsonc')).toContain('/users');
  });

  it.each(['makecomapp.json', '.iml/openapi.json'])(
    'repeats an update that was interrupted before it wrote %s',
    async (last) => {
      const extended = api({ '/users': { post: POST_USER } });
      await importDocument(api());
      const before = read(last);
      await importDocument(extended);
      const after = { manifest: read('makecomapp.json'), state: json('.iml/openapi.json') };
      // What the import writes before the manifest.
      put('acme/.iml/openapi.json', { ...after.state, adding: { createUser: 'module' } });
      if (last === 'makecomapp.json') put('acme/makecomapp.json', before);
      const again = await importDocument(extended);
      expect(again, again.err).toMatchObject({ code: 0, out: expect.stringContaining('3 of 3 operations') });
      expect({ manifest: read('makecomapp.json'), state: json('.iml/openapi.json') }).toEqual(after);
    },
  );

  it('ignores names in its state that are no names of modules', async () => {
    await importDocument(api());
    const state = json('.iml/openapi.json');
    put('acme/.iml/openapi.json', { ...state, operations: { 'POST /users': '../../../outside' } });
    expect(await importDocument(api({ '/users': { post: POST_USER } }))).toMatchObject({ code: 0 });
    expect(existsSync(path.join(folder, 'outside'))).toBe(false);
    put('acme/.iml/openapi.json', '{}');
    expect(await importDocument(api())).toMatchObject({
      code: 2,
      err: expect.stringContaining('or one of a later version'),
    });
  });

  it('overwrites no file of a folder without an app', async () => {
    await importDocument(api());
    rmSync(path.join(folder, 'acme/makecomapp.json'));
    put('acme/README.md', 'Mine.');
    expect(await importDocument(api())).toMatchObject({
      code: 2,
      err: expect.stringContaining('"README.md" exists already'),
    });
    expect(read('README.md')).toBe('Mine.');
  });
});
