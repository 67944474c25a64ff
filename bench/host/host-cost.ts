import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHost } from '../../src/host/create-host.js';
import { createPostgresQueue } from '../../src/host/queue/postgres-queue.js';
import { openHostPostgres, openHostSqlite } from '../../src/host/store/open-host-store.js';
import type { HostStore } from '../../src/host/store/tables.js';
import type { Flows, Receiver } from '../../src/host/work/ports.js';
import { completeSettings } from '../../src/scenario/state/scenario-settings.js';
import { countStatements } from './count-statements.js';
import type { SendOrder, SendResult } from './sender.js';

// What a host costs beside the raw parts it is made of: npm run bench:host, with IML_TEST_POSTGRES for PostgreSQL.

const EVENTS = Number(process.env['IML_EVENTS'] ?? 3000);
const SECONDS = Number(process.env['IML_SECONDS'] ?? 5);
const PAYLOAD = JSON.stringify({ id: 17, name: 'Ann', tags: ['a', 'b'], at: '2026-11-01T10:00:00Z' });
const CONCURRENCY = 64;
/** Calls a second that are offered whether they are answered or not. */
const RATES = [100, 500, 1000];
/** What may wait for a hook while more is offered than can be worked off. */
const MAX_QUEUED = 1000;

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
  readonly 'statements each'?: string;
}

const rows: Row[] = [];

async function time(
  what: string,
  count: number,
  work: () => Promise<void>,
  statements?: () => number,
): Promise<number> {
  const asked = statements?.() ?? 0;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const each = (user + system) / 1000 / count;
  rows.push({
    ...{ what, 'per second': Math.round(count / seconds), 'CPU ms each': each.toFixed(2) },
    ...(statements && { 'statements each': ((statements() - asked) / count).toFixed(2) }),
  });
  return count / seconds;
}

/** Sends calls from a process of its own. */
interface Load {
  readonly send: (order: SendOrder) => Promise<SendResult>;
  readonly end: () => void;
}

function createLoad(): Load {
  const child = fork(new URL('./sender.js', import.meta.url));
  return {
    send: async (order) => {
      child.send(order);
      const [result] = (await once(child, 'message')) as [SendResult];
      return result;
    },
    end: () => void child.kill(),
  };
}

/** All of them answered 200. */
async function sendAll(load: Load, port: number, count: number, path = '/'): Promise<void> {
  const { statuses } = await load.send({ port, path, count, concurrency: CONCURRENCY });
  if (statuses['200'] !== count) throw new Error(`It answered ${JSON.stringify(statuses)}.`);
}

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
  await sendAll(load, port, 500);
  await time(what, EVENTS, () => sendAll(load, port, EVENTS));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** What came of calls that were offered at a rate. */
interface OfferedRow {
  readonly what: string;
  readonly 'offered a second': number;
  readonly 'stored a second': number;
  readonly 'answered 429': number;
  readonly failed: number;
  readonly 'finished a second': number;
  readonly 'p50 ms': number;
  readonly 'p99 ms': number;
  readonly 'RSS MB': number;
}

const offered: OfferedRow[] = [];

interface Served {
  readonly what: string;
  readonly port: number;
  readonly path: string;
  readonly done: () => number;
  /** Resolves when nothing waits any more. */
  readonly drain: () => Promise<void>;
}

async function offer(
  load: Load,
  { what, port, path, done, drain }: Served,
  perSecond: number,
): Promise<void> {
  const before = done();
  const startedAt = performance.now();
  const { statuses, p50Ms, p99Ms } = await load.send({ port, path, perSecond, seconds: SECONDS });
  const elapsed = (performance.now() - startedAt) / 1000;
  const finished = done() - before;
  const { 200: stored = 0, 429: refused = 0, ...others } = statuses;
  offered.push({
    ...{ what, 'offered a second': perSecond, 'stored a second': Math.round(stored / elapsed) },
    ...{ 'answered 429': refused, failed: Object.values(others).reduce((sum, count) => sum + count, 0) },
    ...{ 'finished a second': Math.round(finished / elapsed), 'p50 ms': Math.round(p50Ms) },
    ...{ 'p99 ms': Math.round(p99Ms), 'RSS MB': Math.round(process.memoryUsage.rss() / 1e6) },
  });
  await drain();
}

async function measureHost(name: string, given: HostStore, load: Load, url?: string): Promise<void> {
  const { store, count } = countStatements(given);
  for (const ordered of [false, true]) {
    let done = 0;
    const flows: Flows = {
      run: async () => {
        done++;
        return SUCCESS;
      },
    };
    const open = async (maxQueued: number): Promise<ReturnType<typeof createHost>> => {
      const queue = url === undefined ? undefined : await createPostgresQueue({ url });
      return createHost({ store, queue, flows, receiver, limits: { maxQueued } });
    };
    const host = await open(10 * EVENTS);
    const kind = ordered ? 'ordered' : 'unordered';
    const hook = await host.putHook({ name: kind, app: 'a', webhook: 'w', kind: 'dedicated' });
    const settings = completeSettings({ scheduling: 'instant' });
    const plan = { settings, everyMs: undefined, ordered, answers: false, flow: null };
    await host.scenarios.put({ name: kind, plan, hookId: hook.id });
    const drain = async (): Promise<void> => {
      while ((await given.count('events', { status: ['pending', 'running'] })) > 0) await sleep(20);
    };
    const { origin } = await host.listen();
    const port = Number(new URL(origin).port);
    const send = (): Promise<void> => sendAll(load, port, EVENTS, hook.path);
    await time(`${name}: accept, ${kind}`, EVENTS, send, count);
    const work = async (): Promise<void> => {
      await host.start();
      await drain();
    };
    await time(`${name}: work off, ${kind}`, EVENTS, work, count);
    const both = async (): Promise<void> => {
      await send();
      await drain();
    };
    const perSecond = await time(`${name}: accept and work, ${kind}`, EVENTS, both, count);
    if (done !== 2 * EVENTS) throw new Error(`${done} runs of ${2 * EVENTS}.`);
    await host.stop(1000);
    const bounded = await open(MAX_QUEUED);
    const server = await bounded.listen();
    await bounded.start();
    const served = { what: `${name}, ${kind}`, port: Number(new URL(server.origin).port), path: hook.path };
    for (const rate of [...RATES, Math.round(2 * perSecond)]) {
      await offer(load, { ...served, done: () => done, drain }, rate);
    }
    await bounded.stop(1000);
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
// Offered: the three rates, and twice what was accepted and worked off just before.
console.table(offered);
