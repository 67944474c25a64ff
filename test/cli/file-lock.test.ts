import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, expect, it } from 'vitest';

const SOURCE = path.resolve(import.meta.dirname, '../../src/tools/cli/connections/private-file.ts');
const folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
const lock = path.join(folder, 'lock');

/**
 * Takes the lock once per message, and replies whether another process was inside at the same time. Removing a file takes
 * longer in each further process, as it may on a busy disk.
 */
const CHILD = `
  import files from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  import { setTimeout } from 'node:timers/promises';
  const { open, rm } = files;
  const delayMs = Number(process.argv[2]);
  files.rm = async (...input) => {
    if (String(input[0]).startsWith('lock')) await setTimeout(delayMs);
    return rm(...input);
  };
  syncBuiltinESMExports();
  const { withFileLock } = await import('./file-lock.mjs');
  process.on('message', async () => {
    const isShared = await withFileLock('lock', async () => {
      const inside = await open('inside', 'wx').catch(() => undefined);
      await setTimeout(60);
      await inside?.close();
      if (inside !== undefined) await rm('inside');
      return inside === undefined;
    });
    process.send(isShared);
  });
  process.send('ready');`;

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true });
});

async function takeLock(child: ChildProcess): Promise<unknown> {
  const reply = once(child, 'message');
  child.send('lock');
  return (await reply)[0];
}

it('lets one process at a time take over a stale lock', async () => {
  buildSync({
    entryPoints: [SOURCE],
    outfile: path.join(folder, 'file-lock.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  writeFileSync(path.join(folder, 'child.mjs'), CHILD);
  for (const delayMs of [0, 20, 40]) children.push(fork('child.mjs', [`${delayMs}`], { cwd: folder }));
  await Promise.all(children.map((child) => once(child, 'message')));
  for (let round = 0; round < 5; round++) {
    writeFileSync(lock, round % 2 === 0 ? '999999999' : `999999999 ${round}abc`);
    expect(await Promise.all(children.map(takeLock))).toEqual(children.map(() => false));
  }
  expect(readdirSync(folder).toSorted()).toEqual(['child.mjs', 'file-lock.mjs']);
});

it('takes over a stale lock whose removal a process did not finish', async () => {
  writeFileSync(lock, '999999999 aa');
  writeFileSync(`${lock}.aa`, '999999998 bb');
  const [child] = children;
  if (child === undefined) throw new Error('no process');
  expect(await takeLock(child)).toBe(false);
});
