import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { builtCli, type StartedProcess } from '../cli/build-cli.js';
import { eventually } from './open-parts.js';
import { send } from './send.js';

const startCli = builtCli();

const MANIFEST = {
  fileVersion: 1,
  generalCodeFiles: { base: 'base.json' },
  origins: [],
  components: {
    webhook: { event: { webhookType: 'web', codeFiles: { communication: 'event.json' } } },
    module: { store: { moduleType: 'action', codeFiles: { communication: 'store.json' } } },
  },
};
const SCENARIO = {
  name: 's',
  webhook: { app: 'app', webhook: 'event' },
  modules: [{ id: 2, app: 'app', module: 'store', parameters: { n: '{{1.n}}' } }],
};

const SENDERS = 2;
/** Longer than the pause between two events of a sender, so that events wait. */
const API_MS = 100;

/** An API that counts the calls of each event. */
async function startApi(): Promise<{ readonly origin: string; readonly calls: ReadonlySet<string> }> {
  const calls = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    setTimeout(() => {
      calls.add(incoming.url?.slice(1) ?? '');
      outgoing.setHeader('content-type', 'application/json').end('{}');
    }, API_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'iml-backup-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = {
    'app/makecomapp.json': MANIFEST,
    'app/base.json': { baseUrl: 'https://api.example.com' },
    'app/event.json': { output: '{{body}}' },
    'app/store.json': { url: '/{{parameters.n}}', method: 'POST', response: { output: {} } },
    'scenarios.json': { scenarios: [SCENARIO] },
  };
  await mkdir(path.join(folder, 'app'));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(folder, name), JSON.stringify(content));
  }
  return folder;
}

/** Starts `iml serve` with one run at a time. @returns the process and the URL of its webhook */
async function serve(
  folder: string,
  data: string,
  api: string,
): Promise<StartedProcess & { readonly url: string }> {
  const started = startCli([
    ...['serve', path.join(folder, 'app'), '--scenarios', path.join(folder, 'scenarios.json')],
    ...['--data', data, '--port', '0', '--stdout', 'none', '--concurrency', '1', '--map', `*=${api}`],
  ]);
  onTestFinished(async () => {
    started.child.kill('SIGKILL');
    await started.result;
  });
  const address = (): string | undefined => /http\S+\/hooks\/\S+/.exec(started.written.err)?.[0];
  await eventually(() => address() !== undefined);
  return { ...started, url: address() ?? '' };
}

it('restores a copy of a busy SQLite host without losing an event from before the copy', async () => {
  const folder = await makeFolder();
  const { origin, calls } = await startApi();
  const first = await serve(folder, path.join(folder, 'data'), origin);
  const acknowledged: string[] = [];
  let isOver = false;
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = 0; !isOver; n++) {
      const body = JSON.stringify({ n: `${sender}-${n}`, text: 'x'.repeat(10_000) });
      const headers = { 'content-type': 'application/json' };
      const response = await send(first.url, { headers, body }).catch(() => undefined);
      if (response?.status === 200) acknowledged.push(`${sender}-${n}`);
    }
  });
  await eventually(() => acknowledged.length >= 40 && calls.size > 2);
  const before = [...acknowledged];

  // `docs/operation.md` does the same with the program sqlite3.
  const copy = path.join(folder, 'copy.db');
  const database = new Database(path.join(folder, 'data/host.db'));
  database.prepare('vacuum into ?').run(copy);
  database.close();

  await eventually(() => acknowledged.length >= before.length + 10);
  first.child.kill('SIGKILL');
  isOver = true;
  await Promise.all([...senders, first.result]);
  expect(before.filter((n) => !calls.has(n)).length).toBeGreaterThan(10);

  const restored = path.join(folder, 'restored');
  await mkdir(restored);
  await copyFile(copy, path.join(restored, 'host.db'));
  const second = await serve(folder, restored, origin);
  expect(new URL(second.url).pathname).toBe(new URL(first.url).pathname);
  await eventually(() => before.every((n) => calls.has(n)), 60_000);
  const headers = { 'content-type': 'application/json' };
  expect((await send(second.url, { headers, body: '{"n":"new"}' })).status).toBe(200);
  await eventually(() => calls.has('new'));
});
