import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openBody } from '../../src/shared/server/request-body.js';

/** Both ends of a connection. */
async function openPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const accepted = once(server, 'connection');
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [receiver] = (await accepted) as [Socket];
  onTestFinished(() => {
    sender.destroy();
    receiver.destroy();
    server.close();
  });
  return [sender, receiver];
}

it('accepts a body that arrived while the process was blocked for longer than the time limit', async () => {
  const [sender, receiver] = await openPair();
  // The source of a body: a socket is read like a request.
  const incoming = Object.assign(receiver, { headers: {}, complete: false, socket: receiver });
  const limits = { maxBodyBytes: 1000, maxBytesInFlight: 1000, bodyTimeoutMs: 50 };
  const { stream, refusal } = openBody(incoming, limits, { bytes: 0 });
  const reading = new Response(stream()).text();
  await new Promise((resolve) => setImmediate(resolve));
  sender.end('{"n":1}');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  expect(await reading).toBe('{"n":1}');
  expect(refusal()).toBeUndefined();
});
