import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { createEngine } from '../../src/app/create-engine.js';
import { defineApp } from '../../src/app/define-app.js';
import type { HeaderEntry } from '../../src/http/transport.js';
import type { Webhook } from '../../src/webhook/create-webhook.js';
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

/** 22 kB: 100 items of 10 fields. */
const PAYLOAD = JSON.stringify({ account: 'a-1', events: EVENTS });

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

/** J3 of reference/performance.md: requests a second of a server whose webhook maps 100 items of 10 fields. */
export const WEBHOOK_CALLS: Job = {
  name: 'J3 webhook: 22 kB, 100 items of 10 fields',
  // Half and four fifths of the requests a second of native.
  floor: 1 / 0.5,
  target: 1 / 0.8,
  ours: 'iml-runtime',
  run,
};

type Answer = (request: http.IncomingMessage, body: Buffer, response: http.ServerResponse) => unknown;

async function run(effort: Effort): Promise<JobResult> {
  const engine = createEngine({
    app: defineApp({ name: 'bench', webhooks: { events: { communication: SPEC } } }),
  });
  const webhook = engine.webhook('events');
  await assertSameOutputs(
    'webhook',
    [
      { name: 'native', run: native },
      {
        name: 'iml-runtime',
        run: async (text: string) => (await webhook.handle(callOf(Buffer.from(text)))).bundles,
      },
      {
        name: 'iml-runtime, web Request',
        run: async (text: string) => (await webhook.handle(webCall(text))).bundles,
      },
    ],
    [PAYLOAD],
  );
  const servers: readonly [name: string, answer: Answer][] = [
    ['native node:http', answerNatively],
    ['iml-runtime', (_, body, response) => answerPlainly(webhook, body, response)],
    ['iml-runtime, web Request', (_, body, response) => answerByFetch(webhook, body, response)],
  ];
  const rounds = await measure(servers, effort);
  await engine.close();
  return { races: [{ name: '16 connections', timings: compare(rounds) }] };
}

function answerNatively(_: unknown, body: Buffer, response: http.ServerResponse): void {
  consume(native(body.toString('utf8')).length);
  response.writeHead(202, { 'content-type': 'application/json' });
  response.end('{"account":"a-1"}');
}

const HEADERS: readonly HeaderEntry[] = [
  ['content-type', 'application/json'],
  ['x-event', 'items'],
];

function callOf(body: Uint8Array): Parameters<Webhook['handle']>[0] {
  return { method: 'POST', url: '/hooks/1', headers: HEADERS, body };
}

function webCall(body: string | Uint8Array): Request {
  const headers = HEADERS.map(([name, value]): [string, string] => [name, value]);
  return new Request('http://localhost/hooks/1', { method: 'POST', headers, body });
}

async function answerPlainly(webhook: Webhook, body: Buffer, response: http.ServerResponse): Promise<void> {
  const { bundles, answer } = await webhook.handle(callOf(body));
  consume(bundles.length);
  response.writeHead(answer.status, answer.headers.flat());
  response.end(answer.body);
}

async function answerByFetch(webhook: Webhook, body: Buffer, response: http.ServerResponse): Promise<void> {
  const result = await webhook.handle(webCall(body));
  consume(result.bundles.length);
  response.writeHead(result.response.status, Object.fromEntries(result.response.headers));
  response.end(Buffer.from(await result.response.arrayBuffer()));
}

/** Nanoseconds a call, a number a round, the servers in turn. The load comes from a thread of its own. */
async function measure(
  servers: readonly [name: string, answer: Answer][],
  { rounds, batchMs }: Effort,
): Promise<{ name: string; rounds: readonly number[] }[]> {
  const workerData: LoadData = { payload: PAYLOAD, concurrency: 16 };
  const worker = new Worker(new URL('./load.js', import.meta.url), { workerData });
  const racers = await Promise.all(
    servers.map(async ([name, answer]) => ({ name, server: await listen(answer), rounds: [] as number[] })),
  );
  const count = Math.max(20, batchMs * 15);
  for (let round = 0; round <= rounds; round++) {
    for (const { name, server, rounds: measured } of racers) {
      const { port } = server.address() as AddressInfo;
      worker.postMessage({ port, count } satisfies LoadOrder);
      const [result]: LoadResult[] = await once(worker, 'message');
      if (result?.status !== 202) throw new Error(`${name} answers ${result?.status}.`);
      // The first round warms up.
      if (round > 0) measured.push((result.elapsedMs * 1e6) / count);
    }
  }
  for (const { server } of racers) server.closeAllConnections();
  for (const { server } of racers) server.close();
  await worker.terminate();
  return racers.map(({ name, rounds: measured }) => ({ name, rounds: measured }));
}

async function listen(answer: Answer): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void answer(request, Buffer.concat(chunks), response));
  });
  server.listen(0);
  await once(server, 'listening');
  return server;
}
