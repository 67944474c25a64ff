import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startCli } from '../cli/fake-io.js';
import { findFreePort } from '../shared/find-free-port.js';
import { openTestSchema } from './open-stores.js';

const schema = await openTestSchema();
const cwd = await mkdtemp(join(tmpdir(), 'iml-rest-outage-'));
afterAll(() => rm(cwd, { recursive: true, force: true }));
const env = { IML_REST_KEY: Buffer.alloc(32, 3).toString('base64') };

/** Forwards connections of a port to the test database, so that a test can cut them. */
async function forward(port: number, to: URL): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(to.port || 5432), to.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
describe.skipIf(typeof schema === 'string')('iml rest without its database', () => {
  it('starts, responds with 503, logs one line, and serves once the database responds', async () => {
    const database = new URL(typeof schema === 'string' ? '' : schema.url);
    const [port, databasePort] = [await findFreePort(), await findFreePort()];
    const url = new URL(database);
    url.host = `127.0.0.1:${databasePort}`;
    const args = ['rest', '--create', '--database', url.href, '--port', String(port), '--log', 'json'];
    const instance = startCli(args, { cwd, env });
    onTestFinished(() => instance.stop());
    const origin = `http://127.0.0.1:${port}`;
    const lines = (): readonly Record<string, unknown>[] =>
      instance
        .errors()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    await expect
      .poll(lines)
      .toMatchObject([{ kind: 'message', message: expect.stringContaining('database') }]);
    expect(await statusOf(`${origin}/live`)).toBe(200);
    for (const path of ['/ready', '/health', '/api/v2/ping', '/api/v2/organizations']) {
      expect([path, await statusOf(`${origin}${path}`)]).toEqual([path, 503]);
    }

    const first = await forward(databasePort, database);
    await expect.poll(instance.output, { timeout: 20_000 }).toContain('shown this once');
    const token = /once: (\S+)/.exec(instance.output())?.[1] ?? '';
    const call = async (): Promise<number> => {
      const headers = { authorization: `Token ${token}` };
      return (await fetch(`${origin}/api/v2/users/me`, { headers })).status;
    };
    expect(await call()).toBe(200);
    // The status is cached for a second.
    await expect.poll(() => statusOf(`${origin}/ready`), { timeout: 20_000 }).toBe(200);

    await first.close();
    await expect.poll(() => statusOf(`${origin}/ready`), { timeout: 20_000 }).toBe(503);
    for (let count = 0; count < 20; count++) expect(await call()).toBe(503);
    expect(await statusOf(`${origin}/api/v2/ping`)).toBe(503);
    expect(instance.errors()).not.toContain(url.href);
    const failures = lines().filter(({ kind }) => kind === 'failure');
    expect(failures.length).toBeLessThan(5);

    const second = await forward(databasePort, database);
    await expect.poll(call, { timeout: 20_000 }).toBe(200);
    await expect.poll(() => statusOf(`${origin}/ready`), { timeout: 20_000 }).toBe(200);
    instance.stop();
    expect(await instance.code).toBe(0);
    await second.close();
    const counted = lines().filter(({ kind }) => kind === 'failures');
    const total = counted.reduce((sum, { count }) => sum + Number(count), failures.length);
    expect(total).toBeGreaterThanOrEqual(21);
  }, 90_000);

  it('exits on a signal while it waits', async () => {
    const url = `postgres://nobody@127.0.0.1:${await findFreePort()}/none`;
    const instance = startCli(['rest', '--create', '--database', url, '--port', '0'], { cwd, env });
    await expect.poll(instance.errors).toContain('Waiting for the database, which does not respond.\n');
    instance.stop();
    expect(await instance.code).toBe(0);
  });
});
