import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TransportResponse } from '../../src/index.js';
import { BYTE_SCRIPTS, type ByteScript, type Step } from './byte-scripts.js';
import { loopbackTransport, rawServer, request, text } from './loopback.js';

async function play(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return;
    if (step === 'CLOSE') socket.end();
    else if (step === 'RESET') socket.resetAndDestroy();
    else if (typeof step === 'string') await write(socket, step);
    else if ('waitMs' in step) await sleep(step.waitMs, undefined, { ref: false });
    else await repeat(socket, step.repeat, step.times);
  }
}

async function repeat(socket: Socket, piece: string, times: number): Promise<void> {
  const batch = 1000;
  for (let sent = 0; sent < times && !socket.destroyed; sent += batch) {
    await write(socket, piece.repeat(Math.min(batch, times - sent)));
  }
}

function write(socket: Socket, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, 'latin1', () => resolve());
  });
}

async function run(script: ByteScript): Promise<TransportResponse> {
  const server = await rawServer((socket) => void play(socket, script.steps));
  // Short only where the timeout is expected, so that a busy machine does not cause one elsewhere.
  const waitMs = 'code' in script.expect && script.expect.code === 'NETWORK_TIMEOUT' ? 300 : 15_000;
  const transport = loopbackTransport({
    headersTimeoutMs: waitMs,
    bodyTimeoutMs: waitMs,
    maxResponseBytes: 1000,
  });
  try {
    return await transport(request(`${server.origin}/hush?token=hush`, { method: script.method ?? 'GET' }));
  } finally {
    await server.close();
    await transport.close();
  }
}

describe('byte scripts', () => {
  it.concurrent.each(BYTE_SCRIPTS)('$id', async (script) => {
    if ('code' in script.expect) {
      const error: unknown = await run(script).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: 'TransportError', code: script.expect.code });
      expect(String(error)).not.toContain('hush');
      return;
    }
    const response = await run(script);
    expect(response.status).toBe(script.expect.status);
    if (script.expect.body !== undefined) expect(text(response.body)).toBe(script.expect.body);
    if (script.expect.header !== undefined) {
      expect(response.headers[script.expect.header[0]]).toBe(script.expect.header[1]);
    }
  });
});
