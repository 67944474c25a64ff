import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { builtCli } from '../cli/build-cli.js';

/** Time for which a stopping server waits for calls in progress. Idle connections close at once. */
const GRACE_MS = 10_000;

const start = builtCli();

async function openConnection(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

it('iml rest exits on a signal, even if its connections have sent incomplete requests', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'iml-rest-process-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { child, written, result } = start(['rest', '--create', '--data', folder, '--port', '0']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => written.out, { timeout: 60_000 }).toContain('Further tokens');
  const origin = /http:\S+(?=\/api)/.exec(written.out)?.[0] ?? '';

  await openConnection(origin);
  const half = await openConnection(origin);
  half.write('GET /api/v2/pi');
  const answered = await openConnection(origin);
  const answer = new Promise((resolve) => answered.once('data', resolve));
  answered.write('GET /api/v2/ping HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(String(await answer)).toContain('200');

  child.kill('SIGTERM');
  const stoppedAtMs = performance.now();
  expect(await result).toMatchObject({ code: 0, signal: null, err: '' });
  expect(performance.now() - stoppedAtMs).toBeLessThan(GRACE_MS);
}, 120_000);
