import http from 'node:http';
import { PAYLOAD } from './payload.js';

/**
 * Requests to send, alternating between ports: `count` with a fixed concurrency, or `perSecond` for `seconds` without
 * waiting for responses.
 */
export type SendOrder = { readonly ports: readonly number[]; readonly path: string } & (
  | { readonly count: number; readonly concurrency: number }
  | { readonly perSecond: number; readonly seconds: number }
);

/** Number of responses by status, and latency from the scheduled time of each request. */
export interface SendResult {
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const TICK_MS = 5;
const MAX_SOCKETS = 256;

// A separate process, so that its CPU time does not count as that of the host.
process.on('message', (order: SendOrder) => {
  send(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function send(order: SendOrder): Promise<SendResult> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const { ports, path } = order;
  const statuses: Record<string, number> = {};
  const latenciesMs: number[] = [];
  let sent = 0;
  const one = async (dueMs: number): Promise<void> => {
    const port = ports[sent++ % ports.length] ?? 0;
    const status = await post({ port, path, agent });
    statuses[status] = (statuses[status] ?? 0) + 1;
    latenciesMs.push(performance.now() - dueMs);
  };
  if ('count' in order) {
    let left = order.count;
    const follow = async (): Promise<void> => {
      while (left-- > 0) await one(performance.now());
    };
    await Promise.all(Array.from({ length: order.concurrency }, follow));
  } else await sendAtRate(order, one);
  agent.destroy();
  latenciesMs.sort((a, b) => a - b);
  const at = (part: number): number =>
    latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * part))] ?? 0;
  return { statuses, p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function sendAtRate(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  one: (dueMs: number) => Promise<void>,
): Promise<void> {
  const startMs = performance.now();
  const pending: Promise<void>[] = [];
  const total = perSecond * seconds;
  while (pending.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startMs) / 1000) * perSecond));
    while (pending.length < due) pending.push(one(startMs + (pending.length / perSecond) * 1000));
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(pending);
}

function post(to: Pick<http.RequestOptions, 'port' | 'path' | 'agent'>): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(PAYLOAD) };
    const request = http.request({ ...to, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    request.end(PAYLOAD);
  });
}
