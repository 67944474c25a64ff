import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openHostPostgres } from '../../src/host/index.js';

it('reports at once that a pooler refuses connection settings, regardless of the wait limit', async () => {
  const message = 'unsupported startup parameter: statement_timeout';
  const fields = `SFATAL\0C08P01\0M${message}\0\0`;
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(4 + fields.length, 1);
  const server = createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => client.end(Buffer.concat([head, Buffer.from(fields)])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = `postgres://nobody@127.0.0.1:${port}/none`;
  await expect(openHostPostgres({ url, waitMs: 3_600_000 })).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: `The PostgreSQL server refuses the connection: ${message}.`,
  });
});
