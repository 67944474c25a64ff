import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { warmUp } from '../../src/tools/dev/serve-dev.js';

it('requests the page and closes its connection', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end('x'.repeat(100_000));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  warmUp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [socket] = await once(server, 'connection');
  await once(socket, 'close');
  server.close();
  await once(server, 'close');
  expect(asked).toEqual(['/']);
});

it('ignores a closed server', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  warmUp(`http://127.0.0.1:${port}`);
  // An unhandled error would end the process.
  await new Promise((resolve) => setTimeout(resolve, 50));
});
