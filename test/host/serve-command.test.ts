import { access, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { removeHook } from '../../src/host/hooks/hooks.js';
import { openHostSqlite } from '../../src/host/index.js';
import { openConnectionFiles, userKey } from '../../src/tools/cli/connections/connection-store.js';
import { configFolder } from '../../src/tools/cli/connections/private-file.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { cli, jsonLines, type StartedCli, startCli } from '../cli/fake-io.js';
import { httpServer } from '../http/loopback.js';
import { eventually } from './open-parts.js';
import { send } from './send.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'iml-serve-'));
  const root = path.join(folder, 'crm');
  await mkdir(root);
  const manifest = {
    fileVersion: 1,
    generalCodeFiles: {},
    origins: [],
    components: {
      webhook: { contacts: { webhookType: 'web', codeFiles: { communication: 'contacts.json' } } },
      module: { watch: { moduleType: 'instant_trigger', webhook: 'contacts', codeFiles: {} } },
    },
  };
  await writeFile(path.join(root, 'makecomapp.json'), JSON.stringify(manifest));
  await writeFile(path.join(root, 'contacts.json'), '{ "output": "{{body}}" }');
});

afterAll(() => rm(folder, { recursive: true }));

function call(args: readonly string[], env: Readonly<Record<string, string>> = {}): StartedCli {
  return startCli(args, { cwd: folder, env: { HOME: folder, XDG_CONFIG_HOME: folder, ...env } });
}

async function output(args: readonly string[]): Promise<string> {
  const called = call(args);
  expect(await called.code).toBe(0);
  return called.output();
}

it('serves an app, and then shows the received events', async () => {
  const app = path.join(folder, 'crm');
  const served = call(['serve', app, '--port', '0', '--data', 'data']);
  await Promise.race([served.code, eventually(() => /http\S+\/hooks\/\S+/.test(served.errors()))]);
  const url = /http\S+\/hooks\/\S+/.exec(served.errors())?.[0] ?? '';
  const answer = await send(url, {
    headers: { 'content-type': 'application/json' },
    body: '{"email":"a@example.com"}',
  });
  expect([answer.status, await answer.text()]).toEqual([200, 'Accepted']);
  await eventually(() => served.output() !== '');
  expect(JSON.parse(served.output())).toEqual({ scenario: 'crm/watch', bundle: { email: 'a@example.com' } });
  served.stop();
  expect(await served.code).toBe(0);
  await expect(send(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  const [event] = (await output(['events', 'list', '--data', 'data'])).trim().split('\n');
  expect(JSON.parse(event ?? '')).toMatchObject({ id: 1, status: 'done' });
  expect(await output(['events', '--data', 'data'])).toBe(`${event}\n`);
  expect(await output(['events', 'replay', '1', '--data', 'data'])).toContain('will be processed again');
  expect(await output(['events', 'discard', '1', '--data', 'data'])).toContain('discarded');
  expect(JSON.parse(await output(['events', 'show', '1', '--data', 'data']))).toMatchObject({
    status: 'discarded',
    bundles: [{ email: 'a@example.com' }],
  });
  expect(JSON.parse(await output(['scenarios', '--data', 'data']))).toMatchObject({
    name: 'crm/watch',
    state: 'active',
    errors: 0,
  });
});

const SECRETS = {
  connection: 'Key-of-the-connection-1',
  parameter: 'Signing-of-the-hook-2',
  ofStep: 'Key-of-another-step-3',
};

/** An app whose hook has a connection, and a module that quotes its input in an error; with the stored secrets. */
async function writeLinkedApp(): Promise<void> {
  const env = { HOME: folder, XDG_CONFIG_HOME: folder };
  const app = path.join(folder, 'linked');
  await mkdir(app, { recursive: true });
  const contacts = { webhookType: 'web', connection: 'key', codeFiles: { communication: 'contacts.json' } };
  const quote = { communication: 'quote.json', mappableParams: 'quote-form.json' };
  const components = {
    connection: { key: { connectionType: 'basic', codeFiles: { communication: 'key.json' } } },
    webhook: { contacts },
    module: {
      watch: { moduleType: 'instant_trigger', webhook: 'contacts', codeFiles: {} },
      quote: { moduleType: 'action', connection: 'key', codeFiles: quote },
    },
  };
  const error = { type: 'DataError', message: 'no {{parameters.v}}' };
  const files = {
    'makecomapp.json': { fileVersion: 1, generalCodeFiles: {}, origins: [], components },
    'contacts.json': { output: '{{body}}' },
    'key.json': { url: 'https://a.example/me' },
    'quote.json': { response: { valid: false, error } },
    'quote-form.json': [{ name: 'v', type: 'text' }],
  };
  for (const [name, value] of Object.entries(files))
    await writeFile(path.join(app, name), JSON.stringify(value));
  const owner = { app: 'linked', folder: await realpath(app), appIds: [] };
  const stored = {
    component: 'key',
    parameters: {},
    ...{ metadata: undefined, uid: undefined, expires: undefined, oauth: undefined, common: undefined },
  };
  const connections = openConnectionFiles(configFolder(env));
  await connections.write('work', { ...stored, connection: { value: SECRETS.connection } }, owner);
  await connections.write('other', { ...stored, connection: { value: SECRETS.ofStep } }, owner);
}

const WATCHED = {
  name: 'watched',
  webhook: { app: 'linked', webhook: 'contacts', connection: 'work', parameters: { v: SECRETS.parameter } },
  modules: [{ id: 1, app: 'linked', module: 'watch' }],
};

interface Serving extends StartedCli {
  readonly urls: readonly string[];
}

/** Serves scenarios of the linked app until it is stopped. */
async function serveLinked(
  scenarios: readonly object[],
  data: string,
  ...more: readonly string[]
): Promise<Serving> {
  const file = `${data}.json`;
  await writeFile(path.join(folder, file), JSON.stringify({ scenarios }));
  const args = ['linked', '--scenarios', file, '--port', '0', '--data', data, ...more];
  const served = call(['serve', ...args]);
  const readUrls = (): readonly string[] => served.errors().match(/http\S+\/hooks\/\S+/g) ?? [];
  await Promise.race([served.code, eventually(() => readUrls().length === scenarios.length)]);
  return { ...served, urls: readUrls() };
}

async function stop(served: StartedCli): Promise<void> {
  served.stop();
  expect(await served.code).toBe(0);
}

it('redacts the secrets of the hook and its connection in a shown event', async () => {
  await writeLinkedApp();
  const served = await serveLinked([WATCHED], 'known');
  const [url = ''] = served.urls;
  const { parameter, connection } = SECRETS;
  const headers = { 'content-type': 'application/json', 'x-echo': parameter };
  const told = JSON.stringify({ note: `${connection} and ${parameter}` });
  expect((await send(`${url}?w=${parameter}`, { headers, body: told })).status).toBe(200);
  expect((await send(url, { headers, body: `${told} and no JSON` })).status).toBe(400);
  await eventually(() => served.output() !== '');
  await stop(served);
  for (const id of ['1', '2']) {
    const shown = await output(['events', 'show', id, '--data', 'known']);
    expect(shown).toContain('[SANITIZED] and [SANITIZED]');
    for (const secret of [connection, parameter]) expect(shown).not.toContain(secret);
  }
  const kept = await readFile(path.join(folder, 'known', 'host.db'), 'latin1');
  expect(kept.split(parameter).length - 1).toBeLessThanOrEqual(1);
});

describe('the secrets of hooks and connections of a scenario', () => {
  const holdsNone = (text: string): void => {
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
  };
  const note = Object.values(SECRETS).join(' and ');
  const cleaned = 'no [SANITIZED] and [SANITIZED] and [SANITIZED]';
  const quote = { id: 2, app: 'linked', module: 'quote', parameters: { v: '{{1.note}}' } };
  const other = { id: 3, app: 'linked', module: 'quote', connection: 'other' };
  const failing = { ...WATCHED, name: 'failing', modules: [...WATCHED.modules, quote, other] };
  const storing = {
    ...failing,
    name: 'storing',
    settings: { storeIncomplete: true },
    modules: [...WATCHED.modules, { ...quote, onError: { kind: 'break', automatic: false } }, other],
  };

  /** The output of all commands about both scenarios and their events. */
  async function showAll(): Promise<Record<'failing' | 'storing' | 'events' | 'scenarios', string>> {
    const shown = {
      failing: await output(['scenarios', 'show', 'failing', '--data', 'quoted']),
      storing: await output(['scenarios', 'show', 'storing', '--data', 'quoted']),
      events: await output(['events', 'list', '--data', 'quoted']),
      scenarios: await output(['scenarios', 'list', '--data', 'quoted']),
    };
    for (const text of Object.values(shown)) holdsNone(text);
    return shown;
  }

  const openStore = async () =>
    openHostSqlite({
      file: path.join(folder, 'quoted', 'host.db'),
      sealKey: await userKey(configFolder({ HOME: folder, XDG_CONFIG_HOME: folder })),
    });

  it('are redacted in the log and the report of a failed run', async () => {
    await writeLinkedApp();
    const served = await serveLinked([failing, storing], 'quoted', '--stdout', 'none');
    const headers = { 'content-type': 'application/json' };
    for (const url of served.urls) await send(url, { headers, body: JSON.stringify({ note }) });
    await eventually(
      () => served.errors().includes('failing: event') && served.errors().includes('storing: event'),
    );
    await stop(served);
    expect(served.errors()).toContain(`DataError: ${cleaned}`);
    holdsNone(served.errors());
    const { failing: off, storing: kept, events, scenarios } = await showAll();
    expect(JSON.parse(off)).toMatchObject({ lastError: { message: cleaned } });
    expect(JSON.parse(kept)).toMatchObject({
      incompletes: [
        {
          error: { message: cleaned },
          execution: { error: { message: cleaned }, outputs: { 1: { note: cleaned.slice('no '.length) } } },
        },
      ],
    });
    expect(jsonLines(events)).toContainEqual(expect.objectContaining({ error: cleaned }));
    expect(jsonLines(scenarios)).toContainEqual(expect.objectContaining({ 'last error': cleaned }));
  });

  it('are redacted in stored errors', async () => {
    const store = await openStore();
    const error = { name: 'DataError', type: 'DataError', message: `old ${note}` };
    await store.transaction(async (writer) => {
      await writer.update('events', { status: 'dead' }, { error });
      await writer.update('scenarios', {}, { lastError: error });
      await writer.update('incompletes', {}, { error });
    });
    await store.close();
    const { scenarios, events } = await showAll();
    expect(jsonLines(scenarios)).toContainEqual(
      expect.objectContaining({ 'last error': `old ${cleaned.slice('no '.length)}` }),
    );
    expect(jsonLines(events)).toContainEqual(
      expect.objectContaining({ error: `old ${cleaned.slice('no '.length)}` }),
    );
  });

  it('stay hidden with a notice after the hook is removed', async () => {
    const served = await serveLinked([storing], 'quoted', '--prune');
    await eventually(() => served.errors().includes('  failing  removed\n'));
    await stop(served);
    const notShown = '[not shown: it may contain secrets of a deleted hook, or too many secrets]';
    const listed = await output(['events', 'list', '--data', 'quoted']);
    holdsNone(listed);
    expect(jsonLines(listed)).toContainEqual(
      expect.objectContaining({ hook: expect.stringContaining('(removed)'), error: notShown }),
    );
    const { id } = Object(jsonLines(listed).find((row) => Reflect.get(Object(row), 'status') === 'dead'));
    const shown = await output(['events', 'show', String(id), '--data', 'quoted']);
    holdsNone(shown);
    expect(JSON.parse(shown)).toMatchObject({
      status: 'dead',
      bundles: notShown,
      request: { method: 'POST', query: notShown, headers: notShown },
      error: { type: 'DataError', message: notShown },
    });

    // An embedder may remove a hook alone.
    const store = await openStore();
    const scenario = await store.get('scenarios', { name: 'storing' });
    await removeHook(store, createVirtualClock(Date.now()), scenario?.hookId ?? 0);
    await store.close();
    const showsNothing = async (): Promise<void> => {
      const kept = await output(['scenarios', 'show', 'storing', '--data', 'quoted']);
      holdsNone(kept + (await output(['scenarios', 'list', '--data', 'quoted'])));
      expect(JSON.parse(kept)).toMatchObject({
        lastError: { message: notShown },
        incompletes: [{ execution: notShown, error: { type: 'DataError', message: notShown } }],
      });
    };
    await showsNothing();

    // A scheduled scenario with waiting events had the secret as well.
    const plan = Object(scenario?.definition);
    const settings = { ...plan.settings, scheduling: 'timed' };
    const timed = { ...plan, everyMs: 60_000, settings, flow: { ...plan.flow, startsWithWebhook: false } };
    const changed = await openStore();
    await changed.transaction(async (writer) => {
      await writer.update('scenarios', { name: 'storing' }, { definition: timed });
      // They are purged long before events that wait for a person.
      await writer.remove('events', {});
    });
    await changed.close();
    await showsNothing();
  });
});

it('refuses another key for its sealed data', async () => {
  const app = path.join(folder, 'crm');
  const served = call(['serve', app, '--port', '0', '--data', 'sealed']);
  await Promise.race([served.code, eventually(() => served.errors().includes('/hooks/'))]);
  served.stop();
  expect(await served.code).toBe(0);
  const listed = async (key: string): Promise<readonly [code: number, errors: string]> => {
    const asked = call(['scenarios', '--data', 'sealed'], { IML_HOST_KEY: key });
    return [await asked.code, asked.errors()];
  };
  expect(await listed('')).toEqual([0, '']);
  expect(await listed(Buffer.alloc(32).toString('base64'))).toEqual([
    1,
    `StoreError: --data ${path.join(await realpath(folder), 'sealed')}: The key of the host ("sealKey", IML_HOST_KEY) does not open its stored data.\n  code  STORE_FAILED\n`,
  ]);
  expect(await listed('c2hvcnQ=')).toEqual([2, expect.stringContaining('IML_HOST_KEY: expected 32')]);
});

it.each([
  ['events lst', 'Unknown action "lst". Did you mean "list"?'],
  ['events list 1', 'Unexpected argument "1".'],
  [
    'events list --status lost',
    '--status: Expected one of pending, running, done, dead, discarded, rejected; got "lost".',
  ],
  ['events list --limit 0', '--limit: "0" is not a whole number of at least 1.'],
  ['events show', 'Missing <id>: which event.'],
  ['events replay x', '"x" is not an ID.'],
  ['scenarios retri', 'Unknown action "retri". Did you mean "retry"?'],
  ['scenarios list welcome', 'Unexpected argument "welcome".'],
  ['scenarios on', 'Missing <name>: which scenario.'],
  ['scenarios retry', 'Missing <name>: which incomplete execution.'],
  ['scenarios retry welcome', '"welcome" is not an ID.'],
])('exits with 2 for contradictory options: iml %s', async (line, message) => {
  const { code, out, err } = await cli([...line.split(' '), '--data', 'data'], {
    cwd: folder,
    // The key that seals `data`.
    env: { HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const [command] = line.split(' ');
  expect({ code, out, err }).toEqual({
    code: 2,
    out: '',
    err: `iml ${command}: ${message}\nSee iml ${command} --help.\n`,
  });
});

it.each(['events list', 'scenarios'])('creates no folder for a misspelled name: iml %s', async (line) => {
  const { code, err } = await cli([...line.split(' '), '--data', 'date'], { cwd: folder });
  expect(code).toBe(2);
  expect(err).toContain(`The folder "${path.join(folder, 'date')}" has no data of a host.`);
  await expect(access(path.join(folder, 'date'))).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('the error of a folder without a usable database names the option, the path and the cause', () => {
  const LONG_TEXT = 'This text is longer than the head of a database. '.repeat(10);
  it.each<readonly [what: string, data: string, make: (at: string) => Promise<unknown>, error: string]>([
    ['a file', 'plain', (at) => writeFile(at, ''), 'The folder cannot be created (a file has this name).'],
    [
      'a folder below a file',
      'upper/lower',
      (at) => writeFile(path.dirname(at), ''),
      'The folder cannot be created (a file has this name).',
    ],
    [
      'a folder with a folder in place of the database',
      'nested',
      (at) => mkdir(path.join(at, 'host.db'), { recursive: true }),
      'The database file AT/host.db cannot be opened and restricted to its owner (EISDIR).',
    ],
    [
      'a folder with a text in place of the database',
      'text',
      (at) => mkdir(at).then(() => writeFile(path.join(at, 'host.db'), LONG_TEXT)),
      'The database file AT/host.db cannot be opened (SQLITE_NOTADB).',
    ],
  ])('%s', async (_what, data, make, error) => {
    const at = path.join(await realpath(folder), data);
    await make(at);
    const { code, err } = await cli(['serve', path.join(folder, 'crm'), '--port', '0', '--data', data], {
      cwd: await realpath(folder),
      env: { HOME: folder, XDG_CONFIG_HOME: folder },
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: `StoreError: --data ${at}: ${error.replace('AT', at)}\n  code  STORE_FAILED\n`,
    });
  });
});

it('exits with 2 if its port is in use', async () => {
  const taken = await httpServer(() => {});
  onTestFinished(() => taken.close());
  const { port } = new URL(taken.origin);
  const place = ['--port', port, '--data', 'other'];
  const { code, out, err } = await cli(['serve', path.join(folder, 'crm'), ...place], { cwd: folder });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(`iml serve: The port ${port} is in use.`);
});

it('calls mapped hosts instead of those of the app: in attach, in runs, and for every host', async () => {
  const asked: string[] = [];
  const service = await httpServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(request.url?.startsWith('/refuse') === true ? 401 : 200, {
      'content-type': 'application/json',
      connection: 'close',
    });
    response.end('{"id":"E7"}');
  });
  onTestFinished(() => service.close());
  const root = path.join(folder, 'mapped');
  await mkdir(root);
  const codeFiles = { communication: 'hook.json', attach: 'attach.json' };
  const files = {
    'makecomapp.json': {
      fileVersion: 1,
      generalCodeFiles: { base: 'base.json' },
      origins: [],
      components: {
        webhook: { hook: { webhookType: 'web', codeFiles } },
        module: { send: { moduleType: 'action', codeFiles: { communication: 'send.json' } } },
      },
    },
    'base.json': { baseUrl: 'https://api.example.com/v1' },
    'hook.json': { output: '{{body}}' },
    'attach.json': { url: '/hooks', method: 'POST', response: { data: { id: '{{body.id}}' } } },
    'send.json': { url: 'https://upload.example.net/{{parameters.n}}' },
  };
  for (const [name, value] of Object.entries(files))
    await writeFile(path.join(root, name), JSON.stringify(value));
  const scenario = {
    name: 'sent',
    webhook: { app: 'mapped', webhook: 'hook' },
    modules: [{ app: 'mapped', module: 'send', parameters: { n: '{{1.n}}' } }],
  };
  await writeFile(path.join(folder, 'mapped.json'), JSON.stringify({ scenarios: [scenario] }));
  const place = ['--scenarios', 'mapped.json', '--port', '0', '--data', 'mapped-data'];
  const maps = ['--map', `https://api.example.com=${service.origin}/api`, '--map', `*=${service.origin}/all`];
  const served = call(['serve', root, ...place, ...maps]);
  await Promise.race([served.code, eventually(() => /http\S+\/hooks\/\S+/.test(served.errors()))]);
  expect(asked).toEqual(['POST /api/v1/hooks']);
  const url = /http\S+\/hooks\/\S+/.exec(served.errors())?.[0] ?? '';
  await send(url, { headers: { 'content-type': 'application/json' }, body: '{"n":5}' });
  await eventually(() => served.output() !== '');
  expect(asked).toEqual(['POST /api/v1/hooks', 'GET /all/5']);
  served.stop();
  expect(await served.code).toBe(0);
  const wrong = call(['serve', root, ...place, '--map', 'api.example.com']);
  expect(await wrong.code).toBe(2);
  expect(wrong.errors()).toContain('iml serve: --map');
  const refused = call([
    ...['serve', root, ...place.slice(0, -1), 'refused-data'],
    ...['--map', `*=${service.origin}/refuse`],
  ]);
  expect(await refused.code).toBe(1);
  expect(refused.errors()).toContain('If it needs one, set "connection" in the file of --scenarios.');
  asked.length = 0;
  const options = { map: { 'https://api.example.com': `${service.origin}/file` } };
  await writeFile(path.join(root, 'iml.config.json'), JSON.stringify({ options }));
  const other = [...place.slice(0, -1), 'configured-data', '--trust', '--log', 'json'];
  const configured = call(['serve', root, ...other]);
  await Promise.race([configured.code, eventually(() => configured.errors().includes('Listening on'))]);
  await eventually(() => asked.length > 0);
  expect(asked).toEqual(['POST /file/v1/hooks']);
  expect(jsonLines(configured.errors())[0]).toMatchObject({
    message: expect.stringContaining('iml.config.json: --map https://api.example.com='),
  });
  configured.stop();
  expect(await configured.code).toBe(0);
});

it('logs NDJSON with --log json', async () => {
  const app = path.join(folder, 'crm');
  const args = [app, '--port', '0', '--data', 'json-log', '--log', 'json'];
  const served = call(['serve', ...args]);
  await Promise.race([served.code, eventually(() => served.errors().includes('has an address'))]);
  const [origin = ''] = /http:[^\s",]+/.exec(served.errors()) ?? [];
  const [, name = ''] = /iml scenarios show ([^\s"]+)/.exec(served.errors()) ?? [];
  const shown = call(['scenarios', 'show', name, '--data', 'json-log']);
  expect(await shown.code).toBe(0);
  const { address } = JSON.parse(shown.output());
  expect(address).toMatch(/^\/hooks\//);
  await send(`${origin}${address}`, { headers: { 'content-type': 'application/json' }, body: '{"n":1}' });
  await eventually(() => served.errors().includes('run-finished'));
  served.stop();
  expect(await served.code).toBe(0);
  expect(served.errors()).not.toContain(address);
  for (const [wrong, message] of [
    [['--hook', 'nobody'], 'there is no hook "nobody"'],
    [['--after', 'yesterday'], '"yesterday" is not a time'],
  ] as const) {
    const refused = call(['events', 'list', ...wrong, '--data', 'json-log']);
    expect(await refused.code).toBe(2);
    expect(refused.errors()).toContain(message);
  }
  const lines = jsonLines(served.errors());
  for (const line of lines) expect(line).toMatchObject({ at: expect.stringMatching(/Z$/) });
  expect(lines).toContainEqual(
    expect.objectContaining({ kind: 'message', message: expect.stringContaining('Listening on http') }),
  );
  expect(lines).toContainEqual(expect.objectContaining({ kind: 'run-finished', output: { bundles: 1 } }));
});
