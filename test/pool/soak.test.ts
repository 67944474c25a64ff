import { EventEmitter } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type AppDefinition, createEnginePool, type EnginePool } from '../../src/index.js';
import { memoryInUse } from '../sandbox/collect-garbage.js';
import { buildWorkers } from './build-workers.js';

const worker = (await buildWorkers())('pool-worker');

const setup = new URL('data:text/javascript,export default { http: { allow: ["loopback"] } }');

const THREADS = 3;

const [RUNS, TERMINATIONS] = process.env['IML_FULL'] === undefined ? [1000, 20] : [5000, 100];

/** Variation of the heap by the test runner, in bytes. */
const NOISE = 3e6;

const countOf = (folder: string): number => readdirSync(folder).length;
const openFiles = (): number => countOf('/proc/self/fd');
const threads = (): number => countOf('/proc/self/task');

/** Called shortly after a response to an endless run, which blocks its worker then. */
const onBlocked = new EventEmitter();

async function startServer(): Promise<string> {
  const server = createServer(({ url }, response) => {
    response.setHeader('connection', 'close').setHeader('content-type', 'application/json').end('{"n":1}');
    setTimeout(() => onBlocked.emit(String(url)), 50);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function goodApp(baseUrl: string): AppDefinition {
  return {
    name: 'good',
    base: { baseUrl },
    functions: { double: { code: 'function double(n) { return n * 2; }' } },
    modules: { m: { communication: { url: '/', response: { output: { n: '{{double(body.n)}}' } } } } },
  };
}

/** Each is an app of its own, as an app whose run blocked a worker waits before it gets another one. */
function endlessApp(baseUrl: string, number: number): AppDefinition {
  return {
    name: `endless-${number}`,
    base: { baseUrl },
    functions: {
      endless: { code: 'function endless() { return [].indexOf.call({ length: 2 ** 53 - 1 }, 1); }' },
    },
    modules: { m: { communication: { url: `/${number}`, response: { output: { n: '{{endless()}}' } } } } },
  };
}

let startedWorkers = 0;
process.on('worker', () => startedWorkers++);

/** Runs beside each other in a pool: good ones, 16 at a time, and endless ones until enough workers were replaced. */
async function soak(baseUrl: string, runs: number, terminations: number): Promise<void> {
  const pool: EnginePool = createEnginePool({ worker, setup, threads: THREADS });
  const good = pool.app(goodApp(baseUrl));
  let left = runs;
  const runGood = async (): Promise<void> => {
    while (left-- > 0) {
      const { bundles } = await good.module('m').run().orThrow();
      expect(bundles).toEqual([{ n: 2 }]);
    }
  };
  const enough = startedWorkers + THREADS + terminations;
  const runEndless = async (): Promise<void> => {
    for (let number = 1; startedWorkers < enough; number++) {
      const controller = new AbortController();
      onBlocked.once(`/${number}`, () => controller.abort(new Error('too long')));
      const run = pool.app(endlessApp(baseUrl, number)).module('m').run({ signal: controller.signal });
      await expect(run.orThrow()).rejects.toThrow('too long');
    }
  };
  await Promise.all([...Array.from({ length: 16 }, runGood), runEndless()]);
  await pool.close();
}

it.runIf(existsSync('/proc/self/task'))(
  `leaves no open file, no thread and no memory behind after ${RUNS} runs with ${TERMINATIONS} terminations`,
  async () => {
    const baseUrl = await startServer();
    await soak(baseUrl, 500, 10);
    const before = { files: openFiles(), threads: threads(), ...(await memoryInUse()) };
    await soak(baseUrl, RUNS, TERMINATIONS);
    // The server closes its side of a connection after the pool has closed.
    await expect.poll(openFiles).toBeLessThanOrEqual(before.files);
    await expect.poll(threads).toBeLessThanOrEqual(before.threads);
    const after = await memoryInUse();
    expect(after.heap - before.heap).toBeLessThan(NOISE);
    expect(after.outside - before.outside).toBeLessThan(NOISE);
  },
  1_800_000,
);
