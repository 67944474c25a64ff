import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { builtCli, type StartedProcess } from '../cli/build-cli.js';
import { type CliResult, cli } from '../cli/fake-io.js';
import { eventually } from './open-parts.js';
import { send } from './send.js';

const startCli = builtCli();
const started: StartedProcess[] = [];
let folder: string;

const MANIFEST = {
  fileVersion: 1,
  generalCodeFiles: {},
  origins: [],
  components: {
    webhook: { contacts: { webhookType: 'web', codeFiles: { communication: 'contacts.json' } } },
    module: { refuse: { moduleType: 'action', codeFiles: { communication: 'refuse.json' } } },
  },
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'iml-serve-process-'));
  await mkdir(path.join(folder, 'crm'));
  await writeFile(path.join(folder, 'crm/makecomapp.json'), JSON.stringify(MANIFEST));
  await writeFile(path.join(folder, 'crm/contacts.json'), '{ "output": "{{body}}" }');
  await writeFile(path.join(folder, 'crm/refuse.json'), '{ "response": { "valid": false } }');
});

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.splice(0).map(({ result }) => result));
});

afterAll(() => rm(folder, { recursive: true }));

function serveArguments(data: string, options: readonly string[]): readonly string[] {
  return ['serve', path.join(folder, 'crm'), '--port', '0', '--data', path.join(folder, data), ...options];
}

function start(data: string, ...options: string[]): StartedProcess {
  const process = startCli(serveArguments(data, options));
  started.push(process);
  return process;
}

/** Runs `iml serve` in this process, for calls that end by themselves. */
function refuse(data: string, ...options: string[]): Promise<CliResult> {
  return cli(serveArguments(data, options), { cwd: folder });
}

/** Starts `iml serve` and waits for its address. */
async function serve(data: string, ...options: string[]): Promise<StartedProcess & { url: string }> {
  const process = start(data, ...options);
  const address = (): string | undefined => /http\S+\/hooks\/\S+/.exec(process.written.err)?.[0];
  const early = process.result.then(({ err }) => Promise.reject(new Error(`iml serve has ended: ${err}`)));
  early.catch(() => {});
  await Promise.race([eventually(() => address() !== undefined), early]);
  return { ...process, url: address() ?? '' };
}

const headers = { 'content-type': 'application/json' };

it('exits on SIGTERM even if nothing reads standard output, and reports omitted lines', async () => {
  const { child, written, url } = await serve('stalled');
  child.stdout?.pause();
  const body = JSON.stringify({ text: 'x'.repeat(100_000) });
  // More than a pipe, the buffer of the reader and the output queue hold together.
  for (let n = 0; n < 60; n++) expect((await send(url, { headers, body })).status).toBe(200);
  await eventually(() => written.err.includes('Standard output is not read'));
  // The exit event, not the close of its output, which nothing reads.
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  child.stdout?.resume();
}, 60_000);

it('prints nothing with --stdout none, and counts with --metrics', async () => {
  const { child, written, result, url } = await serve('silent', '--stdout', 'none', '--metrics');
  expect((await send(url, { headers, body: '{"n":1}' })).status).toBe(200);
  await eventually(() => written.err.includes('event 1 success'));
  const metrics = await send(new URL('/metrics', url).href, { method: 'GET' });
  expect(await metrics.text()).toMatch(/^iml_events_stored_total\{hook="[^"]+"\} 1$/m);
  child.kill('SIGTERM');
  expect(await result).toMatchObject({ code: 0, out: '' });
});

it('shuts down cleanly on SIGHUP', async () => {
  const { child, result } = await serve('hangup');
  child.kill('SIGHUP');
  const { code, signal, err } = await result;
  expect([code, signal, err.trimEnd().split('\n').at(-1)]).toEqual([
    ...[0, null, 'Stopping after the running work has finished.'],
  ]);
});

it('exits with 1 if no scenario can be served', async () => {
  const file = path.join(folder, 'wrong.json');
  const scenario = { name: 'wrong', webhook: { app: 'crm', webhook: 'contact' }, modules: [] };
  await writeFile(file, JSON.stringify({ scenarios: [scenario] }));
  const { code, err } = await refuse('none', '--scenarios', file);
  expect(code).toBe(1);
  expect(err).toContain('wrong cannot be served:');
  expect(err.trimEnd().split('\n').at(-1)).toBe('None of the scenarios can be served.');
  const logged = await refuse('none', '--scenarios', file, '--log', 'json');
  const lines = logged.err.trimEnd().split('\n');
  const errors = lines
    .map((line) => JSON.parse(line) as { readonly level: string; readonly message?: string })
    .filter(({ level }) => level === 'error');
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('wrong cannot be served:'),
    'None of the scenarios can be served.',
  ]);
});

it('passes dead events to the command of --notify before it exits', async () => {
  const file = path.join(folder, 'dying.json');
  const webhook = { app: 'crm', webhook: 'contacts' };
  const dying = { name: 'dying', webhook, modules: [{ app: 'crm', module: 'refuse' }] };
  await writeFile(file, JSON.stringify({ scenarios: [dying] }));
  const told = path.join(folder, 'told.txt');
  const options = ['--scenarios', file, '--notify', `cat >> ${told}`];
  const { child, written, result, url } = await serve('notify', ...options);
  expect((await send(url, { headers, body: '{"n":1}' })).status).toBe(200);
  await eventually(() => written.err.includes('dead; process it again with iml events replay'));
  child.kill('SIGTERM');
  expect((await result).code).toBe(0);
  expect(JSON.parse(await readFile(told, 'utf8'))).toMatchObject({
    kind: 'run-finished',
    scenario: 'dying',
    becomes: 'dead',
    error: { type: 'RuntimeError' },
  });
});

it('reads its options from a file, and emits no listener warning with many concurrent runs', async () => {
  const options = { stdout: 'none', 'host-limit': { concurrency: 200 } };
  await writeFile(path.join(folder, 'host.json'), JSON.stringify(options));
  const { child, result, url } = await serve('options', '--config', path.join(folder, 'host.json'));
  await Promise.all(Array.from({ length: 150 }, () => send(url, { headers, body: '{"n":1}' })));
  child.kill('SIGTERM');
  const { code, out, err } = await result;
  expect([code, out]).toEqual([0, '']);
  expect(err).not.toContain('MaxListenersExceededWarning');
});

it('refuses to start before it listens if another host uses the data', async () => {
  await serve('shared');
  const { code, err } = await refuse('shared');
  expect(code).toBe(1);
  expect(err).toMatch(/Another host runs on .*host\.db/);
  expect(err).not.toContain('Listening on');
});
