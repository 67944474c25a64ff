import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEngine } from '../../src/engine/create-engine.js';
import { defineApp } from '../../src/engine/loading/define-app.js';
import { liveBytes } from '../memory/live-heap.js';

/** Memory of the server process. */
export interface Memory {
  /** Bytes in use after garbage collection. */
  readonly live: number;
  /** Resident set size in bytes. */
  readonly resident: number;
}

/** Message to the parent process. */
export type Report = { readonly port: number } | Memory;

const WEBHOOK = {
  verification: {
    condition: "{{query.key != 'k'}}",
    respond: { status: 401, body: { error: 'The key is wrong.' } },
  },
  condition: '{{body.events || body.order}}',
  iterate: { container: '{{body.events}}', condition: '{{item.id > 0}}' },
  uid: '{{item.id}}',
  output: {
    id: '{{item.id}}',
    name: '{{mask(item.name)}}',
    total: '{{item.price * 1.21}}',
    at: '{{formatDate(item.at; "YYYY-MM-DD")}}',
    raw: '{{body}}',
  },
  respond: { status: 202, body: { taken: '{{body.events[1].id}}' } },
};

/*
 * Serves a webhook with a verification, a custom function and a uid. Runs as a child process with `--expose-gc`.
 * Reports its port, and its memory for each message.
 */
const engine = createEngine({
  app: defineApp({
    name: 'soak',
    webhooks: { events: { communication: WEBHOOK } },
    functions: { mask: { code: 'function mask(text) { return String(text).slice(0, 3) + "..."; }' } },
  }),
});
const webhook = engine.webhook('events');

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    const { method = '', url = '' } = request;
    const headers = Object.entries(request.headers as Record<string, string>);
    const { answer } = await webhook.handle({ method, url, headers, body: Buffer.concat(chunks) });
    const length = String(Buffer.byteLength(answer.body));
    response.writeHead(answer.status, [...answer.headers.flat(), 'content-length', length]);
    response.end(answer.body);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const send = (report: Report): void => {
  process.send?.(report);
};
process.on('message', () => send({ live: liveBytes(), resident: process.memoryUsage().rss }));
process.on('disconnect', () => process.exit());
send({ port: (server.address() as AddressInfo).port });
