import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/shared/store/open-sqlite.js';
import { openHistory, packBody } from '../../src/tools/dev/history/history.js';
import { cli } from '../cli/fake-io.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { type AppSpec, writeAppFolder } from './write-app-folder.js';

let folder: string;
beforeEach(() => {
  folder = makeTemporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FORM = [{ name: 'id', type: 'text', label: 'ID', required: true }];

function app(parts: object = {}): AppSpec {
  return {
    name: 'tiny',
    base: { baseUrl: 'https://api.example.com' },
    modules: {
      getUser: {
        communication: { url: '/users/{{parameters.id}}', response: { output: '{{body}}' } },
        mappableParams: FORM,
        ...parts,
      },
    },
  };
}

const pathOf = (part: string): string => path.join(folder, `modules/getUser/getUser.${part}.iml.json`);
const read = (part: string): string => readFileSync(pathOf(part), 'utf8');

function put(name: string, value: unknown): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

/** Infers from JSON bodies. */
async function infer(what: string, ...bodies: readonly unknown[]): ReturnType<typeof cli> {
  const files = bodies.flatMap((body, index) => ['--from-json', put(`answers/${index}.json`, body)]);
  return cli(['infer', what, 'getUser', ...files], { cwd: folder });
}

type Field = Readonly<{ name: string; type: string; label?: string; spec?: unknown }>;

async function fieldsOf(...bodies: readonly unknown[]): Promise<readonly Field[]> {
  writeAppFolder(folder, app({ interface: [] }));
  const { code, err } = await infer('interface', ...bodies);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(read('interface')) as readonly Field[];
}

/** `name: type` of each field, with nested ones in brackets. */
function show(fields: readonly Field[]): string {
  return fields
    .map(({ name, type, spec }) => {
      if (spec === undefined) return `${name}: ${type}`;
      const inner = Array.isArray(spec) ? show(spec as readonly Field[]) : (spec as Field).type;
      return `${name}: ${type}(${inner})`;
    })
    .join(', ');
}

describe('iml infer interface', () => {
  it.each([
    ['numbers, texts and flags', [{ a: 1.5, b: 'x', c: true }], 'a: number, b: text, c: boolean'],
    [
      'an ID that is always a number',
      [{ id: 7, user_id: 8, paid: 9 }],
      'id: uinteger, user_id: uinteger, paid: number',
    ],
    ['an ID that is a number or a text', [{ id: 7 }, { id: 'x7' }], 'id: text'],
    [
      'a date with a zone, and one without',
      [{ a: '2026-01-31T10:00:00Z', b: '2026-01-31' }],
      'a: date, b: text',
    ],
    [
      'an e-mail address and a URL',
      [{ a: 'ann@example.com', b: 'https://example.com/x' }],
      'a: email, b: url',
    ],
    ['a UUID', [{ a: '0b7e2f0e-7c1c-4b0a-9a63-1f2f3d4c5b6a' }], 'a: uuid'],
    ['a text that is a URL in one response only', [{ a: 'https://example.com' }, { a: 'none' }], 'a: text'],
    ['null in one response', [{ a: null }, { a: 4 }], 'a: number'],
    ['null in all responses', [{ a: null }, { a: null }], 'a: any'],
    ['an empty text', [{ a: '' }, { a: '2026-01-31T10:00:00+02:00' }], 'a: date'],
    ['different types', [{ a: 1 }, { a: 'x' }], 'a: any'],
    ['a field of the second response only', [{ a: 1 }, { a: 2, b: 'x' }], 'a: number, b: text'],
    [
      'nested objects',
      [{ a: { b: { c: 1 } } }, { a: { d: 'x' } }],
      'a: collection(b: collection(c: number), d: text)',
    ],
    ['lists of objects', [{ a: [{ b: 1 }, { c: 'x' }] }, { a: [] }], 'a: array(b: number, c: text)'],
    ['lists of texts', [{ a: ['x'] }], 'a: array(text)'],
    ['empty lists and objects', [{ a: [], b: {} }], 'a: array, b: collection'],
    ['an object in one response, a text in the other', [{ a: {} }, { a: 'x' }], 'a: any'],
    [
      'names of the prototype',
      [JSON.parse('{"__proto__": 1, "constructor": "x"}')],
      '__proto__: number, constructor: text',
    ],
  ])('describes %s', async (_title, bodies, expected) => {
    expect(show(await fieldsOf(...bodies))).toBe(expected);
  });

  it('creates labels from names, with acronyms in capitals', async () => {
    const fields = await fieldsOf({ created_at: 'x', userId: 1, HTMLBody: 'x', _: 1 });
    expect(fields.map(({ label }) => label)).toEqual(['Created at', 'User ID', 'HTML body', '_']);
  });

  it('describes what the module outputs, not the response', async () => {
    writeAppFolder(
      folder,
      app({
        type: 'search',
        interface: [],
        communication: {
          url: '/users',
          response: {
            iterate: '{{body.data.users}}',
            output: { id: '{{item.id}}', joined: '{{parseDate(item.joined)}}' },
            limit: '{{parameters.limit}}',
          },
          pagination: { qs: { page: '{{pagination.page}}' }, condition: '{{body.more}}' },
        },
      }),
    );
    const users = [{ id: 1, joined: '2026-01-31T10:00:00Z', more: 'x' }];
    const { err } = await infer('interface', { data: { users }, more: true });
    expect(err).toBe('');
    expect(show(JSON.parse(read('interface')) as readonly Field[])).toBe('id: uinteger, joined: date');
  });

  it('uses the response for the last request of a chain', async () => {
    const token = { url: '/token', response: { temp: { token: '{{body.token}}' } } };
    const communication = [token, { url: '/users', response: { output: '{{body.user}}' } }];
    writeAppFolder(folder, app({ interface: [], communication }));
    await infer('interface', { user: { name: 'Ann' } });
    expect(show(JSON.parse(read('interface')) as readonly Field[])).toBe('name: text');
  });

  it('describes the payload of a webhook for an instant trigger', async () => {
    writeAppFolder(folder, {
      name: 'tiny',
      webhooks: { events: { communication: { output: '{{body.event}}' } } },
      modules: { getUser: { type: 'instant_trigger', webhook: 'events', interface: [] } },
    });
    await infer('interface', { event: { kind: 'new' } });
    expect(show(JSON.parse(read('interface')) as readonly Field[])).toBe('kind: text');
  });

  it('keeps labels, help, order, types and comments that a person wrote', async () => {
    writeAppFolder(folder, app({ interface: [] }));
    const written = `// What a user is.
[
\t{ "name": "name", "type": "text", "label": "Full name", "help": "As in the profile." }, // first
\t{
\t\t"name": "address", "label": "Home", "type": "collection",
\t\t"spec": [ { "name": "zip", "type": "text", "label": "ZIP" } ]
\t},
\t{ "name": "gone", "type": "text" },
]
`;
    writeFileSync(pathOf('interface'), written);
    const { out } = await infer('interface', { id: 1, name: 'Ann', address: { zip: '1', city: 'x' } });
    expect(out).toBe('modules/getUser/getUser.interface.iml.json\n  added id\n  added address.city\n');
    const text = read('interface');
    expect(text).toBe(
      written
        .replace(
          '"label": "ZIP" } ]',
          '"label": "ZIP" }, { "name": "city", "type": "text", "label": "City" } ]',
        )
        .replace(
          '"gone", "type": "text" },',
          '"gone", "type": "text" },\n\t{ "name": "id", "type": "uinteger", "label": "ID" },',
        ),
    );
  });

  it.each([
    ['[\n  {"name": "a"} // last\n]', '[\n  {"name": "a"}, // last\n  NEW\n]'],
    ['[\n  {"name": "a"}, // last\n]', '[\n  {"name": "a"}, // last\n  NEW,\n]'],
    ['[{"name": "a"}]', '[{"name": "a"}, NEW]'],
    ['[\r\n    {"name": "a"}\r\n]', '[\r\n    {"name": "a"},\r\n    NEW\r\n]'],
    ['\ufeff[{"name": "a"}]', '\ufeff[{"name": "a"}, NEW]'],
    ['[ // none\n]', undefined],
    ['', undefined],
  ])('adds to %j and leaves the rest as it is', async (written, expected) => {
    writeAppFolder(folder, app({ interface: [] }));
    writeFileSync(pathOf('interface'), written);
    const { code } = await infer('interface', { b: 'x' });
    expect(code).toBe(0);
    const text = read('interface');
    const item = '{ "name": "b", "type": "text", "label": "B" }';
    if (expected === undefined) expect(text).toMatch(/"name": "b",\s+"type": "text"/);
    else expect(text).toBe(expected.replace('NEW', item));
  });

  it('changes nothing in a second run', async () => {
    const bodies = [{ id: 1, a: [{ b: null }], c: { d: ['x'] }, e: {} }, { a: [{ b: 2, f: 1 }] }];
    await fieldsOf(...bodies);
    const first = read('interface');
    const { out, err, code } = await infer('interface', ...bodies);
    expect([out, err, code]).toEqual([
      '',
      'modules/getUser/getUser.interface.iml.json has everything already.\n',
      0,
    ]);
    expect(read('interface')).toBe(first);
  });

  it('reports a declared type that the values contradict, and keeps it', async () => {
    writeAppFolder(
      folder,
      app({
        interface: [
          { name: 'a', type: 'number' },
          { name: 'b', type: 'any' },
        ],
      }),
    );
    const { err } = await infer('interface', { a: 'x', b: true });
    expect(err).toBe('warning: "a" is declared as number; the values are text.\n');
    expect(show(JSON.parse(read('interface')) as readonly Field[])).toBe('a: number, b: boolean');
  });

  it('replaces fields and sample of an unchanged template, and names fields without a value', async () => {
    writeAppFolder(folder, app());
    const add = [
      'add',
      'module',
      'createUser',
      '--curl',
      'curl -d \'{"a":1}\' https://api.example.com/users',
    ];
    expect((await cli(add, { cwd: folder })).code).toBe(0);
    const inferUser = async (what: string, body: object) =>
      cli(['infer', what, 'createUser', '--from-json', put('one.json', body)], { cwd: folder });
    const fileOf = (part: string): unknown =>
      JSON.parse(readFileSync(path.join(folder, `modules/create-user/create-user.${part}.iml.json`), 'utf8'));
    for (const part of ['interface', 'samples'])
      expect((await inferUser(part, { id: 7, mail: null })).err).toBe(
        'warning: not in any response: name, createdAt\n',
      );
    expect(fileOf('interface')).toMatchObject([
      { name: 'id', type: 'uinteger' },
      { name: 'mail', type: 'any' },
    ]);
    expect(fileOf('samples')).toEqual({ id: 7, mail: null });
    expect((await inferUser('interface', { id: 7 })).err).toContain('not in any response: mail\n');
  });

  it('keeps a changed template', async () => {
    const own = [
      { name: 'id', label: 'ID', type: 'text' },
      { name: 'name', label: 'Full name', type: 'text' },
      { name: 'createdAt', label: 'Created at', type: 'date' },
    ];
    writeAppFolder(folder, app({ interface: own, samples: { id: '1', name: 'Ada', createdAt: 'x' } }));
    expect((await infer('interface', { a: 1 })).err).toContain('not in any response: id, name, createdAt');
    expect(JSON.parse(read('interface'))).toEqual([...own, { name: 'a', type: 'number', label: 'A' }]);
    await infer('samples', { a: 1 });
    expect(JSON.parse(read('samples'))).toEqual({ id: '1', name: 'Ada', createdAt: 'x', a: 1 });
  });

  it('creates the file beside the communication and names it in the manifest', async () => {
    writeAppFolder(folder, app());
    const { out } = await infer('interface', { id: 1 });
    expect(out).toContain('modules/getUser/getUser.interface.iml.json\n');
    const manifest = JSON.parse(readFileSync(path.join(folder, 'makecomapp.json'), 'utf8'));
    expect(manifest.components.module.getUser.codeFiles.interface).toBe(
      'modules/getUser/getUser.interface.iml.json',
    );
    expect((await cli(['check'], { cwd: folder })).out).toContain('no findings');
  });

  it('explains a response for which the module fails', async () => {
    writeAppFolder(
      folder,
      app({
        interface: [],
        communication: { url: '/u', response: { valid: '{{body.ok}}', output: '{{body}}' } },
      }),
    );
    const { err, code } = await infer('interface', { ok: false });
    expect(code).toBe(2);
    expect(err).toMatch(/warning: .*0\.json: the run ends with .*[^.]\.\n/);
    expect(err).toContain('The module "getUser" has no responses to infer from.');
  });

  it.each([
    [['infer', 'interfaces', 'getUser'], 'Did you mean "interface"?'],
    [['infer', 'interface', 'getUsr'], 'There is no module "getUsr". Did you mean "getUser"?'],
    [['infer', 'interface', 'getUser'], 'has no responses to infer from'],
    [['infer', 'interface', 'getUser', '--from-json', 'none.json'], 'The file "none.json" cannot be read.'],
  ])('refuses %j', async (args, message) => {
    writeAppFolder(folder, app({ interface: [] }));
    const { code, err } = await cli(args, { cwd: folder });
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('iml infer samples', () => {
  it('takes the first value of each member, without secrets and e-mail addresses', async () => {
    writeAppFolder(folder, app({ samples: {} }));
    await infer(
      'samples',
      { id: 1, note: null, email: 'ann@acme.org', accessToken: 'abc', list: [{ a: 1 }, { b: 2 }] },
      { id: 2, note: 'x' },
    );
    expect(JSON.parse(read('samples'))).toEqual({
      id: 1,
      note: 'x',
      email: 'name@example.com',
      accessToken: 'secret',
      list: [{ a: 1, b: 2 }],
    });
  });

  it('keeps values that are there, also in a list of samples', async () => {
    writeAppFolder(folder, app({ samples: [{ id: 42, address: { city: 'Prague' } }] }));
    const { out } = await infer('samples', { id: 1, address: { city: 'x', zip: '1' } });
    expect(JSON.parse(read('samples'))).toEqual([{ id: 42, address: { city: 'Prague', zip: '1' } }]);
    expect(out).toContain('added address.zip');
  });
});

describe('iml infer parameters', () => {
  it('adds fields for the members of a request body', async () => {
    writeAppFolder(folder, app());
    await infer('parameters', { id: 'a', name: 'Ann', tags: ['x'] });
    const fields = JSON.parse(read('mappableParams')) as readonly Field[];
    expect(fields[0]).toEqual(FORM[0]);
    expect(show(fields)).toBe('id: text, name: text, tags: array(text)');
  });
});

describe('iml infer of endpoints and RPCs', () => {
  it('fills output and input of an endpoint', async () => {
    writeAppFolder(folder, {
      name: 'tiny',
      base: { baseUrl: 'https://api.example.com' },
      endpoints: {
        findUser: {
          communication: { url: '/users/{{parameters.id}}', response: { output: '{{body.user}}' } },
          input: FORM,
        },
      },
    });
    const answer = put('answer.json', { user: { id: 7, joined: '2026-01-31T10:00:00Z' } });
    const inferred = await cli(['infer', 'interface', 'endpoint:findUser', '--from-json', answer], {
      cwd: folder,
    });
    expect(inferred).toMatchObject({ code: 0, err: '' });
    const file = path.join(folder, 'endpoints/findUser/findUser.output.iml.json');
    expect(show(JSON.parse(readFileSync(file, 'utf8')) as readonly Field[])).toBe(
      'id: uinteger, joined: date',
    );
    const manifest = JSON.parse(readFileSync(path.join(folder, 'makecomapp.json'), 'utf8'));
    expect(manifest.components.endpoint.findUser.codeFiles.output).toBe(
      'endpoints/findUser/findUser.output.iml.json',
    );
    await cli(['infer', 'parameters', 'endpoint:findUser', '--from-json', put('in.json', { full: true })], {
      cwd: folder,
    });
    const input = path.join(folder, 'endpoints/findUser/findUser.input.iml.json');
    expect(show(JSON.parse(readFileSync(input, 'utf8')) as readonly Field[])).toBe('id: text, full: boolean');
  });

  it('fills the parameters of an RPC', async () => {
    writeAppFolder(folder, {
      name: 'tiny',
      rpcs: { listUsers: { communication: { url: '/users' }, params: [] } },
    });
    const body = put('in.json', { team: 'a' });
    expect(
      (await cli(['infer', 'parameters', 'rpc:listUsers', '--from-json', body], { cwd: folder })).code,
    ).toBe(0);
    const refused = await cli(['infer', 'interface', 'rpc:listUsers', '--from-json', body], { cwd: folder });
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining('has no interface, only parameters'),
    });
    const unknown = await cli(['infer', 'interface', 'endpoint:x', '--from-json', body], { cwd: folder });
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('There is no endpoint "x".') });
  });
});

describe('iml infer from other sources', () => {
  const entry = (method: string, url: string, body: unknown, status = 200, sent?: unknown): object => ({
    startedDateTime: '2026-01-01T00:00:00Z',
    time: 1,
    request: {
      method,
      url,
      headers: [],
      ...(sent !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
    },
    response: { status, headers: [], content: { mimeType: 'application/json', text: JSON.stringify(body) } },
  });
  const har = (...entries: readonly object[]): string => put('session.har', { log: { entries } });

  it('takes the calls of a HAR with the method and path of the module', async () => {
    writeAppFolder(folder, app({ interface: [] }));
    const file = har(
      entry('GET', 'https://api.example.com/users/7?full=1', { id: 7 }),
      entry('GET', 'https://api.example.com/users/8', { id: 8, name: 'Ann' }),
      entry('GET', 'https://api.example.com/teams/7', { team: 1 }),
      entry('GET', 'https://api.example.com/users/9', { error: 1 }, 404),
      entry('DELETE', 'https://api.example.com/users/7', { deleted: true }),
    );
    const { err } = await cli(['infer', 'interface', 'getUser', '--from-har', file], { cwd: folder });
    expect(err).toBe('');
    expect(show(JSON.parse(read('interface')) as readonly Field[])).toBe('id: uinteger, name: text');
  });

  it('takes parameters from the query and the body of the requests in a HAR', async () => {
    const communication = { url: '/users', method: 'POST', body: '{{parameters}}' };
    writeAppFolder(folder, app({ communication }));
    const file = har(entry('POST', 'https://api.example.com/users?notify=yes', {}, 201, { name: 'Ann' }));
    await cli(['infer', 'parameters', 'getUser', '--from-har', file], { cwd: folder });
    expect(show(JSON.parse(read('mappableParams')) as readonly Field[])).toBe(
      'id: text, notify: text, name: text',
    );
  });

  it('refuses a HAR without such a call', async () => {
    writeAppFolder(folder, app({ interface: [] }));
    const file = har(entry('GET', 'https://api.example.com/teams', {}));
    const { code, err } = await cli(['infer', 'interface', 'getUser', '--from-har', file], { cwd: folder });
    expect(code).toBe(2);
    expect(err).toContain('no successful GET call with JSON whose path fits the module "getUser"');
  });

  const CASE = {
    component: 'module:getUser',
    input: { parameters: { id: '7' }, connection: { token: 'x' } },
    exchanges: [
      { request: { url: 'https://api.example.com/users/7' }, response: { body: { id: 7, name: 'Ann' } } },
    ],
    expect: { bundleCount: 1 },
  };

  it('takes all cases of the module by default, and the named ones with --from-case', async () => {
    writeAppFolder(folder, app({ interface: [] }));
    put('tests/getUser/one.test.json', CASE);
    put('tests/getUser/two.test.json', { ...CASE, exchanges: [{ response: { body: { id: 8, age: 3 } } }] });
    await cli(['infer', 'interface', 'getUser', '--from-case', 'tests/getUser/one.test.json'], {
      cwd: folder,
    });
    expect(show(JSON.parse(read('interface')) as readonly Field[])).toBe('id: uinteger, name: text');
    await cli(['infer', 'interface', 'getUser'], { cwd: folder });
    expect(show(JSON.parse(read('interface')) as readonly Field[])).toBe(
      'id: uinteger, name: text, age: number',
    );
  });

  it('does not infer from generated responses', async () => {
    writeAppFolder(folder, app({ interface: [] }));
    await cli(['init', 'tests'], { cwd: folder });
    const { code, err } = await cli(['infer', 'interface', 'getUser'], { cwd: folder });
    expect(code).toBe(2);
    expect(err).toContain('its responses are generated');
  });

  describe('a run of iml dev', () => {
    const record = async (id: string, more: object = {}, parts: object = {}): Promise<void> => {
      mkdirSync(path.join(folder, '.iml'), { recursive: true });
      const history = await openHistory(path.join(folder, '.iml/dev.db'));
      const bundles = packBody([{ id: 7, joined: new Date('2026-01-31T10:00:00Z') }], 'bundles');
      const run = { id, app: 'tiny', kind: 'module', name: 'getUser', source: 'run', state: 'ok' } as const;
      const counts = { durationMs: 1, requests: 1, followUpPages: 0, records: 0, bundles: 1, warnings: 0 };
      await history.saveRun(
        {
          ...{ ...run, startedAt: Number.parseInt(id, 36), ...counts, events: 0 },
          ...{ stopReason: undefined, error: undefined },
          ...more,
        },
        {
          ...{ limits: { requests: 1, followUpPages: 1, records: 1, timeMs: 1 }, documents: [] },
          ...{ input: { parameters: { id: 7, fields: 'all' } }, replayOf: undefined, failure: undefined },
          ...{ allWarnings: [], bundleList: { ref: bundles.ref, size: 1 }, canReplay: false },
          ...parts,
        },
      );
      await history.addBody(id, bundles);
      await history.close();
    };
    const fromRun = (what: string, id: string): ReturnType<typeof cli> =>
      cli(['infer', what, 'getUser', '--from-run', id], { cwd: folder });

    it('gives the bundles and the parameters of the last run that succeeded, or of a run by its ID', async () => {
      writeAppFolder(folder, app({ interface: [], samples: {} }));
      await record('aa');
      await record('bb', { state: 'failed' });
      await record('cc', { name: 'other' });
      expect(await fromRun('interface', 'last')).toMatchObject({ code: 0, err: '' });
      expect(show(JSON.parse(read('interface')) as readonly Field[])).toBe('id: uinteger, joined: date');
      expect(await fromRun('samples', 'aa')).toMatchObject({ code: 0, err: '' });
      expect(JSON.parse(read('samples'))).toEqual({ id: 7, joined: '2026-01-31T10:00:00.000Z' });
      expect(await fromRun('parameters', 'last')).toMatchObject({ code: 0 });
      expect(show(JSON.parse(read('mappableParams')) as readonly Field[])).toBe('id: text, fields: text');
    });

    it('leaves a run that goes on alone', async () => {
      writeAppFolder(folder, app({ interface: [] }));
      await record('aa');
      await record('dd', { state: 'running' });
      await fromRun('interface', 'last');
      const database = await openSqlite({ file: path.join(folder, '.iml/dev.db') });
      const { sql } = database.kysely;
      const { rows } = await sql<{ state: string }>`select state from dev_runs where id = 'dd'`.execute(
        database.db,
      );
      await database.close();
      expect(rows).toEqual([{ state: 'running' }]);
    });

    it.each([
      ['zz', 'The history has no run "zz".'],
      ['cc', 'The run "cc" is one of the module "other", not of "getUser".'],
      ['last', 'The history has no run of "getUser" that succeeded.'],
    ])('is refused if there is no run %s', async (id, message) => {
      writeAppFolder(folder, app({ interface: [] }));
      expect((await fromRun('interface', id)).err).toContain('There is no history of iml dev at');
      await record('cc', { name: 'other' });
      expect(await fromRun('interface', id)).toMatchObject({
        code: 2,
        err: expect.stringContaining(message),
      });
    });
  });
});
