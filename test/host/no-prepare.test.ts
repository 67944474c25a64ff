import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openHostPostgres } from '../../src/host/index.js';
import { EVENTS_COMMAND } from '../../src/tools/cli/commands/events.js';
import { openHostParts } from '../../src/tools/cli/input/host-store-options.js';
import { parseArguments } from '../../src/tools/cli/input/parse-arguments.js';
import type { Io } from '../../src/tools/cli/io.js';
import { createHostDatabase, dropTemplate, hasPostgres, POSTGRES_MISSING } from './test-database.js';

afterAll(dropTemplate);

/** A database behind a proxy that records client messages. */
async function overheard(): Promise<{ readonly url: string; readonly asked: () => string }> {
  const database = await createHostDatabase();
  const to = new URL(database.at);
  const url = new URL(database.at);
  let asked = '';
  const server = createServer((client) => {
    const upstream = connect(Number(to.port || 5432), to.hostname);
    client.on('data', (chunk) => {
      asked += chunk.toString('latin1');
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await database.drop();
  });
  const address = server.address();
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return { url: url.href, asked: () => asked };
}

async function useParts(url: string, flags: readonly string[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'iml-no-prepare-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const out = { isTerminal: false, columns: undefined, write: async () => {} };
  const env = { HOME: folder, XDG_CONFIG_HOME: folder };
  const io = {
    stdout: out,
    stderr: out,
    env,
    cwd: folder,
    readStdin: async () => new Uint8Array(),
    interruptible: () => Promise.reject(new Error('Nothing runs.')),
  } as Io;
  const args = parseArguments(EVENTS_COMMAND, ['list', '--database', url, ...flags]);
  const { store, close } = await openHostParts(args, io, { mayCreate: false });
  for (let round = 0; round < 5; round++) await store.get('hooks', { id: 1 });
  await close();
}

const NAME = /iml_[0-9a-f]{32}/;

describe.skipIf(!hasPostgres)(`the SQL statements of a host on PostgreSQL${POSTGRES_MISSING}`, () => {
  it('are named, and are unnamed with --no-prepare', async () => {
    const { url, asked } = await overheard();
    await useParts(url, ['--no-prepare']);
    expect(asked()).not.toMatch(NAME);
    await useParts(url, []);
    expect(asked()).toMatch(NAME);
  });
});

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
