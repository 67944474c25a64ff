import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { createEngine } from '../../src/engine/create-engine.js';
import { defineApp } from '../../src/engine/loading/define-app.js';
import type { Webhook } from '../../src/engine/webhook/create-webhook.js';
import type { Job, JobResult } from '../job.js';
import { compare, consume, type Effort } from '../measure.js';
import { assertSameOutputs } from '../same-outputs.js';
import type { LoadData, LoadOrder, LoadResult } from './load.js';

interface Event {
  readonly id: number;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly price: number;
  readonly active: boolean;
  readonly city: string;
  readonly country: string;
  readonly note: string;
  readonly created: string;
}

const EVENTS: readonly Event[] = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  first: `Given ${index}`,
  last: `Family ${index % 17}`,
  email: `person.${index}@example.com`,
  price: 100 + index * 1.5,
  active: index % 3 !== 0,
  city: `City ${index % 23}`,
  country: 'Czech Republic',
  note: `Call back before ${index}`,
  created: '2024-05-06T07:08:09.000Z',
}));

/** The body of a request with `count` events. 100 events are 22 kB. */
function payloadOf(count: number): string {
  return JSON.stringify({ account: 'a-1', events: EVENTS.slice(0, count) });
}

const SPEC = {
  condition: "{{body.account = 'a-1'}}",
  iterate: { container: '{{body.events}}', condition: '{{item.id > 0}}' },
  output: {
    id: '{{item.id}}',
    name: '{{item.first}} {{item.last}}',
    email: '{{item.email}}',
    price: '{{item.price}}',
    total: '{{item.price * 1.21}}',
    state: "{{if(item.active, 'active', 'archived')}}",
    city: '{{item.city}}',
    place: '{{item.city}}, {{item.country}}',
    note: '{{ifempty(item.note, item.first)}}',
    created: '{{item.created}}',
  },
  respond: { status: 202, body: { account: '{{body.account}}' } },
};

function native(text: string): readonly object[] {
  const body: { account: string; events: readonly Event[] } = JSON.parse(text);
  if (body.account !== 'a-1') return [];
  return body.events
    .filter((item) => item.id > 0)
    .map((item) => ({
      id: item.id,
      name: `${item.first} ${item.last}`,
      email: item.email,
      price: item.price,
      total: item.price * 1.21,
      state: item.active ? 'active' : 'archived',
      city: item.city,
      place: `${item.city}, ${item.country}`,
      note: item.note || item.first,
      created: item.created,
    }));
}

/** Processes a webhook request. Returns the bundles and the response. */
type Answer = (webhook: Webhook, received: Received) => Answered | Promise<Answered>;

/** A received request with its body. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Answered {
  readonly bundles: readonly unknown[];
  readonly status: number;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | string;
}

/** A contestant. The first of a job is the reference. */
interface Way {
  readonly name: string;
  readonly answer: Answer;
}

const NATIVE: Way = { name: 'native node:http', answer: answerNatively };
const NATIVE_BY_FETCH: Way = { name: 'native, Request', answer: answerNativelyByFetch };
const OURS: Way = { name: 'iml-runtime', answer: answerPlainly };
const OURS_BY_FETCH: Way = { name: 'iml-runtime, Request', answer: answerByFetch };

/**
 * J3: throughput of a server whose webhook maps 1 or 100 items with 10 fields, with plain requests, and with `Request`
 * and `Response` of the Fetch API on both sides.
 */
export const WEBHOOK_JOBS: readonly Job[] = [
  jobOf('J3 webhook, 22 kB, 100 items of 10 fields', OURS, [NATIVE, OURS]),
  jobOf('J3 webhook, 22 kB, through Request and Response', OURS_BY_FETCH, [
    NATIVE_BY_FETCH,
    OURS_BY_FETCH,
    NATIVE,
  ]),
  // Typical requests have one item, so the cost per request dominates.
  {
    name: 'J3 webhook, 1 item of 10 fields',
    floor: 1.8,
    target: 1 / 0.75,
    ours: OURS.name,
    run: (effort) => run([NATIVE, OURS], payloadOf(1), effort),
  },
];

function jobOf(name: string, ours: Way, ways: readonly Way[]): Job {
  const payload = payloadOf(EVENTS.length);
  // The target is 80 % of the requests per second of native.
  return {
    name,
    floor: 2.5,
    target: 1 / 0.8,
    ours: ours.name,
    run: (effort) => run(ways, payload, effort),
  };
}

async function run(ways: readonly Way[], payload: string, effort: Effort): Promise<JobResult> {
  const engine = createEngine({
    app: defineApp({ name: 'bench', webhooks: { events: { communication: SPEC } } }),
  });
  const webhook = engine.webhook('events');
  const contestants = ways.map(({ name, answer }) => ({
    name,
    run: async (text: string) => (await answer(webhook, receivedWith(text))).bundles,
  }));
  await assertSameOutputs('webhook', contestants, [payload]);
  const racers = await Promise.all(ways.map(({ name, answer }) => startRacer(name, webhook, answer)));
  await assertSameResponses(racers, payload);
  const rounds = await measure(racers, payload, effort);
  for (const { server } of racers) server.closeAllConnections();
  for (const { server } of racers) server.close();
  await engine.close();
  return { races: [{ name: '16 connections', timings: compare(rounds) }] };
}

function answerNatively(_: unknown, { body }: Received): Answered {
  const bundles = native(body.toString('utf8'));
  return { bundles, status: 202, headers: ['content-type', 'application/json'], body: '{"account":"a-1"}' };
}

async function answerPlainly(webhook: Webhook, received: Received): Promise<Answered> {
  const call = { ...received, headers: Object.entries(received.headers) };
  const { bundles = [], answer } = await webhook.handle(call);
  return { bundles, status: answer.status, headers: answer.headers.flat(), body: answer.body };
}

async function answerNativelyByFetch(_: unknown, received: Received): Promise<Answered> {
  const bundles = native(await requestOf(received).text());
  const headers = { 'content-type': 'application/json' };
  return answeredBy(bundles, new Response('{"account":"a-1"}', { status: 202, headers }));
}

async function answerByFetch(webhook: Webhook, received: Received): Promise<Answered> {
  const { bundles = [], response } = await webhook.handle(requestOf(received));
  return answeredBy(bundles, response);
}

function requestOf({ url, ...received }: Received): Request {
  return new Request(`http://localhost${url}`, received);
}

async function answeredBy(bundles: readonly unknown[], response: Response): Promise<Answered> {
  const { status, headers } = response;
  const body = new Uint8Array(await response.arrayBuffer());
  return { bundles, status, headers: [...headers].flat(), body };
}

function receivedWith(text: string): Received {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', url: '/', headers, body: Buffer.from(text) };
}

interface Racer {
  readonly name: string;
  readonly server: http.Server;
  readonly port: number;
}

async function startRacer(name: string, webhook: Webhook, answer: Answer): Promise<Racer> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = '', url = '' } = request;
      const headers = request.headers as Record<string, string>;
      const answered = await answer(webhook, { method, url, headers, body: Buffer.concat(chunks) });
      consume(answered.bundles.length);
      const length = String(Buffer.byteLength(answered.body));
      response.writeHead(answered.status, [...answered.headers, 'content-length', length]);
      response.end(answered.body);
    });
  });
  // Connections may be idle between rounds for longer than the default of 5 s.
  server.keepAliveTimeout = 60_000;
  server.listen(0);
  await once(server, 'listening');
  return { name, server, port: (server.address() as AddressInfo).port };
}

/** Compares the responses of the servers before the measurement. */
async function assertSameResponses(racers: readonly Racer[], payload: string): Promise<void> {
  const request = async ({ name, port }: Racer): Promise<readonly [string, unknown]> => {
    const headers = { 'content-type': 'application/json', connection: 'close' };
    const response = await fetch(`http://localhost:${port}/`, { method: 'POST', headers, body: payload });
    return [name, [response.status, response.headers.get('content-type'), await response.text()]];
  };
  const [first, ...others] = await Promise.all(racers.map(request));
  for (const [name, response] of others)
    assert.deepEqual(response, first?.[1], `${name} returns a different response`);
}

/** Nanoseconds per request of each server and round. A worker thread sends the requests. */
async function measure(
  racers: readonly Racer[],
  payload: string,
  { rounds, batchMs }: Effort,
): Promise<{ name: string; rounds: readonly number[] }[]> {
  const workerData: LoadData = { payload, concurrency: 16 };
  const worker = new Worker(new URL('./load.js', import.meta.url), { workerData });
  const count = Math.max(20, batchMs * 15);
  const measured = racers.map(({ name, port }) => ({ name, port, rounds: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const racer of measured) {
      worker.postMessage({ port: racer.port, count } satisfies LoadOrder);
      const [result]: LoadResult[] = await once(worker, 'message');
      if (result?.status !== 202) throw new Error(`${racer.name} responds with ${result?.status}.`);
      // The first round warms up.
      if (round > 0) racer.rounds.push((result.elapsedMs * 1e6) / count);
    }
  }
  await worker.terminate();
  return measured;
}
