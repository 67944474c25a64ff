import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createHost } from '../../src/host/create-host.js';
import { createPostgresQueue } from '../../src/host/queue/postgres-queue.js';
import { openHostPostgres, openHostSqlite } from '../../src/host/store/open-host-store.js';
import type { HostStore } from '../../src/host/store/tables.js';
import type { Flows, Receiver } from '../../src/host/work/ports.js';
import { completeSettings } from '../../src/scenario/state/scenario-settings.js';
import type { LoadData, LoadOrder, LoadResult } from '../webhook/load.js';

// What a host costs beside the raw parts it is made of: npm run bench:host, with IML_TEST_POSTGRES for PostgreSQL.

const EVENTS = Number(process.env['IML_EVENTS'] ?? 3000);
const PAYLOAD = JSON.stringify({ id: 17, name: 'Ann', tags: ['a', 'b'], at: '2026-11-01T10:00:00Z' });
const CONCURRENCY = 64;

const receiver: Receiver = async ({ call }) => ({
  ok: true,
  response: new Response('Accepted'),
  bundles: [JSON.parse(Buffer.from(call.body).toString('utf8'))],
  deliveries: undefined,
});
const SUCCESS = {
  ...{ outcome: { kind: 'success' } as const, error: undefined, incompletes: [], triggerState: undefined },
};

interface Row {
  readonly what: string;
  readonly 'per second': number;
  readonly 'CPU ms each': string;
}

const rows: Row[] = [];

async function time(what: string, count: number, work: () => Promise<void>): Promise<void> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const each = (user + system) / 1000 / count;
  rows.push({ what, 'per second': Math.round(count / seconds), 'CPU ms each': each.toFixed(2) });
}

/** Requests are sent by a thread of its own, so that only one side is counted. */
function createLoad(): {
  send: (port: number, count: number, at?: string) => Promise<void>;
  end: () => void;
} {
  const workerData: LoadData = { payload: PAYLOAD, concurrency: CONCURRENCY };
  const worker = new Worker(new URL('../webhook/load.js', import.meta.url), { workerData });
  return {
    send: (port, count, at = '/') =>
      new Promise((resolve, reject) => {
        worker.once('message', ({ status }: LoadResult) =>
          status === 200 ? resolve() : reject(new Error(`It answered ${status}.`)),
        );
        worker.postMessage({ port, count, path: at } satisfies LoadOrder);
      }),
    end: () => void worker.terminate(),
  };
}

type Load = ReturnType<typeof createLoad>;

async function listen(server: http.Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Reads JSON and answers, after doing something with it. */
async function measureHttp(what: string, load: Load, keep: (body: string) => Promise<void>): Promise<void> {
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      JSON.parse(body);
      keep(body).then(
        () => response.end('Accepted'),
        () => response.destroy(),
      );
    });
  });
  const port = await listen(server);
  await load.send(port, 500);
  await time(what, EVENTS, () => load.send(port, EVENTS));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function measureHost(name: string, store: HostStore, load: Load, url?: string): Promise<void> {
  for (const ordered of [false, true]) {
    let done = 0;
    const flows: Flows = {
      run: async () => {
        done++;
        return SUCCESS;
      },
    };
    const queue = url === undefined ? undefined : await createPostgresQueue({ url });
    const host = createHost({ store, queue, flows, receiver, limits: { maxQueued: 10 * EVENTS } });
    const kind = ordered ? 'ordered' : 'unordered';
    const hook = await host.putHook({ name: kind, app: 'a', webhook: 'w', kind: 'dedicated' });
    const settings = completeSettings({ scheduling: 'instant' });
    const plan = { settings, everyMs: undefined, ordered, answers: false, flow: null };
    await host.scenarios.put({ name: kind, plan, hookId: hook.id });
    const { origin, close } = await host.listen();
    const port = Number(new URL(origin).port);
    if (!ordered) await time(`${name}: accept`, EVENTS, () => load.send(port, EVENTS, hook.path));
    else await load.send(port, EVENTS, hook.path);
    await time(`${name}: work off, ${kind}`, EVENTS, async () => {
      await host.start();
      while ((await store.count('events', { status: ['pending', 'running'] })) > 0) await sleep(50);
    });
    await time(`${name}: accept and work, ${kind}`, EVENTS, async () => {
      await load.send(port, EVENTS, hook.path);
      while ((await store.count('events', { status: ['pending', 'running'] })) > 0) await sleep(20);
    });
    if (done !== 2 * EVENTS) throw new Error(`${done} runs of ${2 * EVENTS}.`);
    await close(100);
    await host.stop(1000);
  }
}

async function measureSqlite(load: Load): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'iml-bench-'));
  const { default: Database } = await import('libsql');
  const raw = new Database(path.join(folder, 'raw.db'));
  raw.pragma('journal_mode = WAL');
  raw.pragma('synchronous = FULL');
  raw.exec('create table events (id integer primary key, status text, body text)');
  const insert = raw.prepare('insert into events (status, body) values (?, ?)');
  const update = raw.prepare('update events set status = ? where id = ?');
  await measureHttp('node:http + 1 INSERT, SQLite', load, async (body) => {
    insert.run(['pending', body]);
  });
  await time('raw INSERT + UPDATE, SQLite', EVENTS, async () => {
    for (let n = 0; n < EVENTS; n++) {
      const { lastInsertRowid } = insert.run(['pending', PAYLOAD]);
      update.run(['done', lastInsertRowid]);
    }
  });
  raw.close();
  const store = await openHostSqlite({ file: path.join(folder, 'host.db') });
  await measureHost('SQLite', store, load);
  await store.close();
  await rm(folder, { recursive: true });
}

async function measurePostgres(load: Load, server: string): Promise<void> {
  const { default: pg } = await import('pg');
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  const name = `iml_bench_${process.pid}`;
  await admin.query(`create database ${name}`);
  const at = new URL(server);
  at.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: at.href, max: 10 });
  await pool.query('create table raw_events (id bigserial primary key, status text, body text)');
  await measureHttp('node:http + 1 INSERT, PostgreSQL', load, async (body) => {
    await pool.query('insert into raw_events (status, body) values ($1, $2)', ['pending', body]);
  });
  await pool.end();
  const store = await openHostPostgres({ url: at.href });
  await measureHost('PostgreSQL', store, load, at.href);
  await store.close();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
}

const load = createLoad();
await measureHttp('node:http with JSON', load, async () => {});
await measureSqlite(load);
const server = process.env['IML_TEST_POSTGRES'];
if (server !== undefined) await measurePostgres(load, server);
load.end();
console.table(rows);
