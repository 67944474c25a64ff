import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeListener } from '../../src/shared/server/node-listener.js';

const LIMITS = { maxBodyBytes: 1e6, maxBytesInFlight: 1e7, bodyTimeoutMs: 10_000, maxRequests: 100 };

interface Outcome {
  /** Undefined if the connection ended without a response. */
  readonly status: number | undefined;
  /** Bytes that the server has read from the connection. */
  readonly bytesRead: number;
}

/** Sends a body in chunks of one size. */
async function post(address: string, chunk: string, count: number): Promise<Outcome> {
  const reads = async (request: Request): Promise<Response> =>
    new URL(request.url).pathname === '/read'
      ? new Response(String((await request.text()).length))
      : new Response(null, { status: 404 });
  const listener = createNodeListener({ fetch: reads }, { limits: LIMITS });
  const server = createServer((incoming, outgoing) => listener.listen(incoming, outgoing));
  let bytesRead = 0;
  server.on('connection', (connection) => {
    connection.on('close', () => {
      bytesRead = connection.bytesRead;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString('latin1');
    if (answer.includes('\r\n\r\n')) socket.end();
  });
  socket.write(`POST ${address} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const framed = `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  socket.write(`${framed.repeat(count)}0\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { status: status === undefined ? undefined : Number(status), bytesRead };
}

describe('chunks with little content', () => {
  it('close the connection once their framing takes far more bytes than their content', async () => {
    const { status, bytesRead } = await post('/read', 'a', 1_000_000);
    expect(status).toBeUndefined();
    expect(bytesRead).toBeLessThan(1_000_000);
  });

  it('close the connection even if nothing reads the body', async () => {
    const { bytesRead } = await post('/elsewhere', 'a', 1_000_000);
    expect(bytesRead).toBeLessThan(1_000_000);
  });

  it.each([
    ['a few empty chunks', 'a', 5000],
    ['many chunks with content', 'x'.repeat(64), 15_000],
  ])('are accepted: %s', async (_, chunk, count) => {
    expect(await post('/read', chunk, count)).toMatchObject({ status: 200 });
  });
});
