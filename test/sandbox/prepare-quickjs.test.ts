import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createGuest } from '../../src/engine/sandbox/guest.js';
import { createMachine } from '../../src/engine/sandbox/machine.js';
import { prepareQuickJs } from '../../src/engine/sandbox/prepare-quickjs.js';
import {
  loadUnprepared,
  type MemoryImage,
  type StartedImage,
  unpackImage,
} from '../../src/engine/sandbox/quickjs-code.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../src/engine/sandbox/sandbox.js';

/** Reads a file of `dist`; the tests run after a build. */
function readShipped(name: string): Buffer {
  return readFileSync(new URL(`../../dist/sandbox/${name}`, import.meta.url));
}

/** A QuickJS instance with its own limits and the names of an app, before the functions are compiled. */
async function openGuest(started: StartedImage | undefined): Promise<MemoryImage> {
  const code = { ...(await loadUnprepared()), started };
  const limits = { ...DEFAULT_SANDBOX_LIMITS, memoryBytes: 5_000_000, stackBytes: 100_000 };
  const machine = await createMachine({ ...limits, now: () => 0, isOver: () => false }, code);
  const offered = {
    builtins: ['upper', 'lower'],
    functions: ['shout'],
    environment: { team: { id: 7 } },
    host: () => ({ text: 'Pnull', bytes: undefined }),
    maxTransfer: 1000,
  };
  createGuest(machine, offered);
  return machine.keep();
}

describe('the prepared files of the sandbox', () => {
  it('equal the result of the prelude', async () => {
    const image = await prepareQuickJs();
    expect(Buffer.compare(image, readShipped('quickjs.image'))).toBe(0);
  });

  it('start a guest with the same memory as the prelude, under any limits', async () => {
    const image = await prepareQuickJs();
    const started = await openGuest(unpackImage(image));
    const run = await openGuest(undefined);
    expect([...started.keys()]).toEqual([...run.keys()]);
    for (const [at, page] of run) expect(Buffer.compare(page, started.get(at) ?? page.slice(1))).toBe(0);
  });

  it('start the sandboxes of the unbundled build, which the tests run', () => {
    const beside = readFileSync(new URL('../../dist/engine/sandbox/quickjs.image', import.meta.url));
    expect(Buffer.compare(beside, readShipped('quickjs.image'))).toBe(0);
  });

  it('contain nothing of this machine or this script', async () => {
    const image = await prepareQuickJs();
    const text = Buffer.from(image).toString('latin1');
    for (const word of ['HOME=', 'LANG=', process.argv[1] ?? '']) expect(text).not.toContain(word);
  });
});
