import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import type { Memory, Told } from './serve-webhook.js';

/*
 * `npm run soak [-- CALLS]`: a process that serves a webhook is called a million times, by senders of all kinds, and must not
 * grow. Ends with 1 where it keeps more than a byte of a call.
 */

const MOST_CALLS = 1_000_000;

const READINGS = 20;

/** What may come and go between two readings whatever is called: caches that fill, code that is optimized. */
const NOISE_BYTES = 1_000_000;

const CONNECTIONS = 16;

interface Call {
  readonly type: string;
  readonly body: string;
  /** Status of the answer. */
  readonly status: number;
  readonly path?: string;
}

/** Senders as there are, the usual one most often; each call differs from all others. */
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
  // The golden ratio deals shares out evenly, the same in every run.
  let left = ((index * 0.618033988749895) % 1) * SHARES;
  const sender = SENDERS.find(([share]) => {
    left -= share;
    return left < 0;
  });
  return (sender ?? SENDERS[0])?.[1](index) ?? jsonCall([eventOf(index)]);
}

function eventOf(id: number): object {
  return { id: id + 1, name: `Somebody ${id}`, price: 10 + (id % 100), at: '2026-05-06T07:08:09Z' };
}

function jsonCall(events: readonly object[]): Call {
  return { type: 'application/json', body: JSON.stringify({ events }), status: 202 };
}

/** Sends calls `from` to `to`. @throws Error for an answer with another status than the call's */
async function send(pool: Pool, from: number, to: number): Promise<void> {
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < to) {
      const { type, body, status, path = '/?key=k' } = callOf(next++);
      const answer = await pool.request({ path, method: 'POST', headers: { 'content-type': type }, body });
      await answer.body.dump();
      if (answer.statusCode !== status)
        throw new Error(`${answer.statusCode} instead of ${status} for ${type}: ${body.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

async function readMemory(child: ChildProcess): Promise<Memory> {
  child.send('memory');
  const [told]: Told[] = await once(child, 'message');
  if (told === undefined || !('live' in told)) throw new Error('The process tells no memory.');
  return told;
}

/** Bytes a call by least squares: single readings jump. */
function growthOf(readings: readonly { readonly calls: number; readonly live: number }[]): number {
  const mean = (pick: (reading: (typeof readings)[number]) => number): number =>
    readings.reduce((sum, reading) => sum + pick(reading), 0) / readings.length;
  const [calls, live] = [mean((reading) => reading.calls), mean((reading) => reading.live)];
  const spread = mean((reading) => (reading.calls - calls) ** 2);
  return mean((reading) => (reading.calls - calls) * (reading.live - live)) / spread;
}

async function main([given = String(MOST_CALLS)]: readonly string[]): Promise<number> {
  const count = Number(given);
  if (!Number.isSafeInteger(count) || count < READINGS) throw new Error(`A number of calls, not ${given}.`);
  const script = fileURLToPath(new URL('./serve-webhook.js', import.meta.url));
  const child = fork(script, { execArgv: ['--expose-gc'] });
  const [told]: Told[] = await once(child, 'message');
  if (told === undefined || !('port' in told)) throw new Error('The process tells no port.');
  const pool = new Pool(`http://127.0.0.1:${told.port}`, { connections: CONNECTIONS });
  const step = Math.ceil(count / READINGS);
  const readings: { calls: number; live: number }[] = [];
  console.log('    calls   in use   of the system');
  for (let calls = 0; calls < count; ) {
    await send(pool, calls, calls + step);
    calls += step;
    const { live, resident } = await readMemory(child);
    readings.push({ calls, live });
    console.log(`${String(calls).padStart(9)} ${megabytes(live)} ${megabytes(resident)}`);
  }
  await pool.close();
  child.disconnect();
  // What is made once is made by the first calls.
  const growth = growthOf(readings.slice(1));
  const isFlat = growth * count < Math.max(count, NOISE_BYTES);
  console.log(`${growth.toFixed(2)} bytes a call: ${isFlat ? 'it does not grow' : 'IT GROWS'}`);
  return isFlat ? 0 : 1;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`.padStart(10);
}

process.exitCode = await main(process.argv.slice(2));
