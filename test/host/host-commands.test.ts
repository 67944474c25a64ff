import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HostStore, openHostSqlite } from '../../src/host/index.js';
import { builtCli, type ProcessResult, type StartedProcess } from '../cli/build-cli.js';
import { jsonLines } from '../cli/fake-io.js';
import { httpServer, type Loopback, readBody } from '../http/loopback.js';
import type { newEvent } from './new-rows.js';
import { eventually } from './open-parts.js';
import { send } from './send.js';

const KEY = Buffer.alloc(32, 7);

const startCli = builtCli();
const started: StartedProcess[] = [];
let folder: string;
let service: Loopback;
let store: HostStore;
let served: Served;

/** The requests of the apps to the API: a path and a number each. */
const calls: string[] = [];
/** Requests that the API refuses. */
const refused = new Set<string>();
/** Requests whose responses the API delays. */
const held = new Map<string, Promise<unknown>>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { n = '' } = JSON.parse((await readBody(request)) || '{}') as { n?: unknown };
  const call = `${request.method} ${request.url} ${n}`.trim();
  calls.push(call);
  await held.get(call);
  response.writeHead(refused.has(call) ? 400 : 200, {
    'content-type': 'application/json',
    connection: 'close',
  });
  response.end('{"id":"E7"}');
}

function start(args: readonly string[]): StartedProcess {
  const process = startCli(args);
  started.push(process);
  return process;
}

const callsOf = (n: number): string[] => calls.filter((call) => call.endsWith(` ${n}`));

const MANIFEST = {
  fileVersion: 1,
  generalCodeFiles: { base: 'base.json' },
  origins: [],
  components: {
    webhook: {
      contacts: {
        webhookType: 'web',
        codeFiles: { communication: 'contacts.json', attach: 'attach.json', detach: 'detach.json' },
      },
    },
    module: {
      post: {
        moduleType: 'action',
        codeFiles: { communication: 'post.json', mappableParams: 'params.json' },
      },
    },
  },
};

const CODE = {
  'makecomapp.json': MANIFEST,
  'contacts.json': { output: '{{body}}' },
  'attach.json': { url: '/hooks', method: 'POST', response: { data: { ext: '{{body.id}}' } } },
  'detach.json': { url: '/hooks/{{webhook.ext}}', method: 'DELETE' },
  'params.json': [
    { name: 'to', type: 'text' },
    { name: 'n', type: 'text' },
    { name: 'pin of ours', type: 'password' },
    { name: 'apiKey', type: 'text' },
    { name: 'row', type: 'collection', spec: [{ name: 'open', type: 'text' }, 'rpc://more'] },
    'rpc://more',
  ],
  'post.json': { url: '/{{parameters.to}}', method: 'POST', body: { n: '{{parameters.n}}' } },
};

const post = (to: string, rest: object = {}): object => ({
  app: 'crm',
  module: 'post',
  parameters: { to, n: '{{1.n}}' },
  ...rest,
});

const WEBHOOK = { app: 'crm', webhook: 'contacts' };
const NOTES = { name: 'notes', webhook: WEBHOOK, ordered: true, modules: [post('note')] };
const SECRETS = {
  'pin of ours': 'typed-secret',
  apiKey: 'named-secret',
  asked: 'asked-secret',
  row: { open: 'shown', asked: 'asked-inside' },
};
const ORDERS = {
  name: 'orders',
  webhook: WEBHOOK,
  settings: { storeIncomplete: true },
  modules: [
    post('save', { parameters: { to: 'save', n: '{{1.n}}', ...SECRETS } }),
    post('check', { onError: { kind: 'break', automatic: false } }),
    post('send'),
  ],
};

interface Served extends StartedProcess {
  readonly urlOf: (scenario: string) => string;
}

/** Starts `iml serve`. */
async function startServe(
  scenarios: readonly { name: string }[],
  options: readonly string[],
): Promise<StartedProcess> {
  await writeFile(path.join(folder, 'scenarios.json'), JSON.stringify({ scenarios }));
  const file = ['--scenarios', path.join(folder, 'scenarios.json')];
  const place = ['--port', '0', '--data', path.join(folder, 'data')];
  return start(['serve', path.join(folder, 'crm'), ...file, ...place, '--allow-local', ...options]);
}

/** Starts `iml serve` and waits until it has logged the addresses of its scenarios. */
async function serve(scenarios: readonly { name: string }[], ...options: string[]): Promise<Served> {
  const process = await startServe(scenarios, options);
  const addressOf = (name: string): string | undefined =>
    new RegExp(`^ {2}${name} {2}(http\\S+)$`, 'm').exec(process.written.err)?.[1];
  const ready = eventually(() => scenarios.every(({ name }) => addressOf(name) !== undefined));
  const early = process.result.then(({ err }) => Promise.reject(new Error(`iml serve has ended: ${err}`)));
  await Promise.race([ready, early]);
  early.catch(() => {});
  return { ...process, urlOf: (scenario) => addressOf(scenario) ?? '' };
}

async function stop({ child, result }: StartedProcess): Promise<ProcessResult> {
  child.kill('SIGINT');
  return result;
}

/** Sends an event. @returns its id */
async function receive(scenario: string, n: number): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await send(served.urlOf(scenario), { headers, body: JSON.stringify({ n }) });
  expect(status).toBe(200);
  const [newest] = await store.find('events', { descending: true, limit: 1 });
  return newest?.id ?? 0;
}

const becomes = (id: number, status: ReturnType<typeof newEvent>['status']): Promise<void> =>
  eventually(async () => (await store.get('events', { id }))?.status === status);

const iml = (...args: string[]): Promise<ProcessResult> =>
  start([...args, '--data', path.join(folder, 'data')]).result;

/** The output of a successful command. */
async function print(...args: string[]): Promise<string> {
  const { code, out, err } = await iml(...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

beforeAll(async () => {
  // The processes inherit the key, so that the test can open sealed data.
  process.env['IML_HOST_KEY'] = KEY.toString('base64');
  folder = await mkdtemp(path.join(tmpdir(), 'iml-commands-'));
  service = await httpServer((request, response) => void answer(request, response));
  await mkdir(path.join(folder, 'crm'));
  const files = { ...CODE, 'base.json': { baseUrl: service.origin } };
  for (const [name, value] of Object.entries(files))
    await writeFile(path.join(folder, 'crm', name), JSON.stringify(value));
  served = await serve([NOTES, ORDERS]);
  store = await openHostSqlite({ file: path.join(folder, 'data/host.db'), sealKey: KEY });
});

afterAll(async () => {
  // Files of a worker share the environment.
  delete process.env['IML_HOST_KEY'];
  // Finished processes receive no signal.
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ result }) => result));
  await store.close();
  await service.close();
  await rm(folder, { recursive: true });
});

it('lists events, shows one, and lets the running host replay a dead one', async () => {
  refused.add('POST /note 2');
  const good = await receive('notes', 1);
  const bad = await receive('notes', 2);
  await becomes(good, 'done');
  await becomes(bad, 'dead');
  const [listed, dead, newest] = await Promise.all([
    print('events', 'list', '--json'),
    print('events', 'list', '--status', 'dead'),
    print('events', 'list', '--limit', '1'),
  ]);
  expect(JSON.parse(listed)).toMatchObject([
    {
      id: bad,
      status: 'dead',
      hook: 'notes',
      scenario: 'notes',
      attempts: 1,
      error: expect.stringContaining('400'),
    },
    { id: good, status: 'done', hook: 'notes', scenario: 'notes', attempts: 1, error: '' },
  ]);
  expect(jsonLines(dead)).toEqual(jsonLines(newest));
  expect(jsonLines(dead)).toMatchObject([{ id: bad }]);
  expect(JSON.parse(await print('events', 'show', String(bad)))).toMatchObject({
    id: bad,
    hook: 'notes',
    scenario: 'notes',
    status: 'dead',
    ...{ attempts: 1, crashes: 0, crashesAlone: 0 },
    bundles: [{ n: 2 }],
    finished: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(JSON.parse(await print('events', 'show', String(good)))).toMatchObject({
    id: good,
    attempts: 1,
    crashes: 0,
    crashesAlone: 0,
    notBefore: null,
  });
  const [notes] = JSON.parse(await print('scenarios', 'list', '--json')) as unknown[];
  expect(notes).toMatchObject({
    name: 'notes',
    'last run': expect.stringMatching(/^\d{4}-.*Z$/),
    'last error': expect.stringContaining('400'),
  });

  const fitting = ['--status', 'dead', '--after', '1d', '--before', '2100-01-01'];
  expect(jsonLines(await print('events', 'list', '--hook', 'notes', ...fitting))).toMatchObject([
    { id: bad },
  ]);
  expect(await print('events', 'list', '--hook', 'orders', ...fitting)).toBe('');
  expect(await print('events', 'replay', '--all', '--before', '1h')).toBe(
    '0 events will be processed again.\n',
  );

  refused.clear();
  expect(await print('events', 'replay', String(bad))).toBe(`The event ${bad} will be processed again.\n`);
  await becomes(bad, 'done');
  expect(callsOf(2)).toEqual(['POST /note 2', 'POST /note 2']);
  expect(await store.get('events', { id: bad })).toMatchObject({ attempts: 1, error: null });
});

it('keeps events of a disabled scenario waiting, and never processes a discarded one', async () => {
  expect(await print('scenarios', 'off', 'notes')).toBe('The scenario "notes" is off. Its events wait.\n');
  const dropped = await receive('notes', 3);
  const kept = await receive('notes', 4);
  // A later event of an enabled scenario is processed: the host is not merely slow.
  await becomes(await receive('orders', 5), 'done');
  expect(await store.find('events', { where: { status: 'pending' } })).toMatchObject([
    { id: dropped },
    { id: kept },
  ]);
  const [discarded, listed] = await Promise.all([
    print('events', 'discard', String(dropped)),
    print('scenarios', 'list', '--json'),
  ]);
  expect(discarded).toBe(`The event ${dropped} is discarded.\n`);
  expect(JSON.parse(listed)).toMatchObject([
    { name: 'notes', state: expect.stringMatching(/^inactive \(/), 'next run': '' },
    { name: 'orders', state: 'active', errors: 0, incomplete: 0, 'last error': '' },
  ]);

  expect(await print('scenarios', 'on', 'notes')).toBe('The scenario "notes" is on.\n');
  // The hook is ordered, so the discarded event would have been first.
  await becomes(kept, 'done');
  expect([callsOf(3), callsOf(4)]).toEqual([[], ['POST /note 4']]);
  expect(await store.get('events', { id: dropped })).toMatchObject({ status: 'discarded', attempts: 0 });
  expect(jsonLines(await print('scenarios'))).toMatchObject([{ name: 'notes', state: 'active' }, {}]);
});

it('runs the remaining steps of an incomplete execution, or discards it', async () => {
  refused.add('POST /check 6').add('POST /check 7');
  for (const n of [6, 7]) await becomes(await receive('orders', n), 'done');
  const shown = JSON.parse(await print('scenarios', 'show', 'orders')) as {
    incompletes: { id: number; execution: { outputs: Record<string, { n: number }> } }[];
  };
  expect(shown).toMatchObject({
    name: 'orders',
    definition: { flow: { steps: [{ id: 2, parameters: { n: '{{1.n}}' } }, { id: 3 }, { id: 4 }] } },
    lastRun: expect.stringMatching(/^\d{4}-.*Z$/),
    incompletes: [
      {
        status: 'unresolved',
        created: expect.stringMatching(/^\d{4}-.*Z$/),
        retry: null,
        execution: { stepId: 3 },
        error: { message: expect.stringContaining('400') },
      },
      { status: 'unresolved', execution: { stepId: 3 } },
    ],
  });
  expect(JSON.stringify(shown)).toContain('"to":"save"');
  expect(JSON.stringify(shown)).not.toContain('hiddenParameters');
  expect(JSON.stringify(shown)).toContain('"pin of ours":"[SANITIZED]"');
  expect(JSON.stringify(shown)).toContain('"apiKey":"[SANITIZED]"');
  expect(JSON.stringify(shown)).toContain('"row":{"open":"shown","asked":"[SANITIZED]"}');
  for (const secret of ['typed-secret', 'named-secret', 'asked-secret', 'asked-inside'])
    expect(JSON.stringify(shown)).not.toContain(secret);
  const [first, second] = shown.incompletes.map(({ id }) => String(id));

  refused.clear();
  expect(await print('scenarios', 'discard', second ?? '')).toBe(
    `The incomplete execution ${second} is discarded.\n`,
  );
  expect(await print('scenarios', 'retry', first ?? '')).toBe(
    `The incomplete execution ${first} will be retried.\n`,
  );
  await eventually(
    async () => (await store.get('incompletes', { id: Number(first) }))?.status === 'resolved',
  );
  expect(callsOf(6)).toEqual(['POST /save 6', 'POST /check 6', 'POST /check 6', 'POST /send 6']);
  expect(callsOf(7)).toEqual(['POST /save 7', 'POST /check 7']);
  expect(await iml('scenarios', 'retry', second ?? '')).toMatchObject({
    code: 2,
    out: '',
    err: `iml scenarios: The incomplete execution ${second} is discarded.\nSee iml scenarios --help.\n`,
  });
  expect(JSON.parse(await print('scenarios', 'show', 'orders'))).toMatchObject({ incompletes: [] });
});

it.each([
  [['events', 'show', '99'], 'Unknown event 99.'],
  [['events', 'replay', '99'], 'Unknown event 99.'],
  [['events', 'discard', '1'], 'The event 1 is done and cannot be discarded.'],
  [['scenarios', 'show', 'note'], 'Unknown scenario "note".'],
  [['scenarios', 'off', 'note'], 'Unknown scenario "note".'],
  [['scenarios', 'discard', '99'], 'Unknown incomplete execution 99.'],
] as const)('exits with 2 if there is nothing to do: iml %j', async (args, message) => {
  const [command] = args;
  const err = `iml ${command}: ${message}\nSee iml ${command} --help.\n`;
  expect(await iml(...args)).toMatchObject({ code: 2, out: '', err });
});

it('shuts down cleanly, and processes at its next start the events replayed meanwhile', async () => {
  const { code, out, err } = await stop(served);
  expect({ code, last: err.trimEnd().split('\n').at(-1) }).toEqual({
    code: 0,
    last: 'Stopping after the running work has finished.',
  });
  expect(jsonLines(out).map((line) => Reflect.get(Object(line), 'scenario'))).toEqual([
    ...['notes', 'notes', 'orders', 'notes', 'orders'],
  ]);
  await print('events', 'replay', '1');
  served = await serve([NOTES, ORDERS]);
  await becomes(1, 'done');
  expect(callsOf(1)).toEqual(['POST /note 1', 'POST /note 1']);
});

it('removes with --prune what the file no longer names, after detaching it from the remote API', async () => {
  await stop(served);
  const url = served.urlOf('orders');
  calls.length = 0;
  served = await serve([NOTES]);
  // Without the option the scenario and its address remain.
  expect(jsonLines(await print('scenarios'))).toMatchObject([{ name: 'notes' }, { name: 'orders' }]);
  await stop(served);
  served = await serve([NOTES], '--prune');
  await eventually(() => served.written.err.includes('  orders  removed\n'));
  expect(calls).toEqual(['DELETE /hooks/E7']);
  expect(jsonLines(await print('scenarios'))).toMatchObject([{ name: 'notes' }]);
  const { pathname } = new URL(url);
  expect((await send(new URL(pathname, served.urlOf('notes')).href, { body: '{}' })).status).toBe(404);
  await becomes(await receive('notes', 8), 'done');
});

it('finishes the setup in progress when it is stopped', async () => {
  await stop(served);
  calls.length = 0;
  let release = (): void => {};
  held.set(
    'POST /hooks',
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  const process = await startServe([NOTES, ORDERS], []);
  await eventually(() => calls.includes('POST /hooks'));
  process.child.kill('SIGINT');
  release();
  expect(await process.result).toMatchObject({ code: 0, signal: null });
  served = await serve([NOTES, ORDERS]);
  // The API has the hook, and gets no second request.
  expect(calls).toEqual(['POST /hooks']);
});
