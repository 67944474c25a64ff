import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import type { Memory, Report } from './serve-webhook.js';

/*
 * `npm run soak [-- CALLS]`: sends a million requests of different kinds to a process with a webhook. Exits with 1 if
 * the process keeps more than a byte per request.
 */

const DEFAULT_CALLS = 1_000_000;

const READINGS = 20;

/** Tolerated growth that does not depend on the number of requests, such as caches and optimized code. */
const NOISE_BYTES = 1_000_000;

const CONNECTIONS = 16;

interface Call {
  readonly type: string;
  readonly body: string;
  /** Expected status. */
  readonly status: number;
  readonly path?: string;
}

/** Kinds of requests with their shares. All requests differ. */
const SENDERS: readonly (readonly [share: number, make: (index: number) => Call])[] = [
  [70, (index) => jsonCall([eventOf(index)])],
  [10, (index) => jsonCall(Array.from({ length: 20 }, (_, item) => eventOf(index + item / 100)))],
  [
    8,
    (index) => ({ type: 'application/x-www-form-urlencoded', body: `order=${index}&text=a+b`, status: 202 }),
  ],
  [4, (index) => ({ type: 'application/xml', body: `<order id="${index}"><x>1</x></order>`, status: 202 })],
  [3, (index) => ({ ...jsonCall([eventOf(index)]), path: `/?key=wrong${index}`, status: 401 })],
  [3, (index) => ({ type: 'application/json', body: `{"events": [${index}`, status: 400 })],
  [1.9, (index) => ({ type: 'text/plain', body: `text ${index}`, status: 202 })],
  [0.1, (index) => jsonCall(Array.from({ length: 3000 }, (_, item) => eventOf(index + item / 10_000)))],
];

const SHARES = SENDERS.reduce((sum, [share]) => sum + share, 0);

function callOf(index: number): Call {
  // Multiples of the golden ratio are evenly distributed and the same in every run.
  let left = ((index * 0.618033988749895) % 1) * SHARES;
  const sender = SENDERS.find(([share]) => {
    left -= share;
    return left < 0;
  });
  return (sender ?? SENDERS[0])?.[1](index) ?? jsonCall([eventOf(index)]);
}

function eventOf(id: number): object {
  return { id: id + 1, name: `Person ${id}`, price: 10 + (id % 100), at: '2026-05-06T07:08:09Z' };
}

function jsonCall(events: readonly object[]): Call {
  return { type: 'application/json', body: JSON.stringify({ events }), status: 202 };
}

/** Sends requests `from` to `to`. @throws Error for an unexpected status */
async function send(pool: Pool, from: number, to: number): Promise<void> {
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < to) {
      const { type, body, status, path = '/?key=k' } = callOf(next++);
      const response = await pool.request({ path, method: 'POST', headers: { 'content-type': type }, body });
      await response.body.dump();
      if (response.statusCode !== status)
        throw new Error(`${response.statusCode} instead of ${status} for ${type}: ${body.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

async function readMemory(child: ChildProcess): Promise<Memory> {
  child.send('memory');
  const [report]: Report[] = await once(child, 'message');
  if (report === undefined || !('live' in report)) throw new Error('The process reported no memory.');
  return report;
}

/** Growth in bytes per request by least squares. */
function growthOf(readings: readonly { readonly calls: number; readonly live: number }[]): number {
  const mean = (pick: (reading: (typeof readings)[number]) => number): number =>
    readings.reduce((sum, reading) => sum + pick(reading), 0) / readings.length;
  const [calls, live] = [mean((reading) => reading.calls), mean((reading) => reading.live)];
  const spread = mean((reading) => (reading.calls - calls) ** 2);
  return mean((reading) => (reading.calls - calls) * (reading.live - live)) / spread;
}

async function main([argument = String(DEFAULT_CALLS)]: readonly string[]): Promise<number> {
  const count = Number(argument);
  if (!Number.isSafeInteger(count) || count < READINGS)
    throw new Error(`Invalid number of requests: ${argument}. Expected at least ${READINGS}.`);
  const script = fileURLToPath(new URL('./serve-webhook.js', import.meta.url));
  const child = fork(script, { execArgv: ['--expose-gc'] });
  const [report]: Report[] = await once(child, 'message');
  if (report === undefined || !('port' in report)) throw new Error('The process reported no port.');
  const pool = new Pool(`http://127.0.0.1:${report.port}`, { connections: CONNECTIONS });
  const step = Math.ceil(count / READINGS);
  const readings: { calls: number; live: number }[] = [];
  console.log('    calls     live   resident');
  for (let calls = 0; calls < count; ) {
    await send(pool, calls, calls + step);
    calls += step;
    const { live, resident } = await readMemory(child);
    readings.push({ calls, live });
    console.log(`${String(calls).padStart(9)} ${megabytes(live)} ${megabytes(resident)}`);
  }
  await pool.close();
  child.disconnect();
  // The first requests create caches.
  const growth = growthOf(readings.slice(1));
  const isFlat = growth * count < Math.max(count, NOISE_BYTES);
  console.log(`${growth.toFixed(2)} bytes per request: ${isFlat ? 'no growth' : 'GROWTH'}`);
  return isFlat ? 0 : 1;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`.padStart(10);
}

process.exitCode = await main(process.argv.slice(2));
