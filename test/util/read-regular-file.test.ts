import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRegularFile } from '../../src/util/files/read-regular-file.js';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'regular-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it.each([0, 1, 9, 10])('gives the %i bytes of a file that may have 10', (size) => {
  const file = path.join(folder(), 'a');
  writeFileSync(file, 'x'.repeat(size));
  expect(readRegularFile(file, 10)).toEqual({ ok: true, bytes: Buffer.alloc(size, 'x') });
});

it('refuses one more, and more than there were when it was opened', () => {
  const file = path.join(folder(), 'a');
  writeFileSync(file, 'x'.repeat(11));
  const refused = { ok: false, problem: 'has more than 10 bytes' };
  expect(readRegularFile(file, 10)).toEqual(refused);
  writeFileSync(file, 'x');
  expect(readRegularFile(file, 10, () => appendFileSync(file, 'y'.repeat(9)))).toMatchObject({ ok: true });
  const grow = (): void => appendFileSync(file, 'y'.repeat(200_000));
  expect(readRegularFile(file, 100_000, grow)).toEqual({ ok: false, problem: 'has more than 100000 bytes' });
});

it.runIf(process.platform === 'linux')('waits for no pipe, and reads no device and no folder', () => {
  const pipe = path.join(folder(), 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  for (const file of [pipe, '/dev/zero', tmpdir()]) {
    expect(readRegularFile(file, 10)).toEqual({ ok: false, problem: 'is no regular file' });
  }
});

it('has the path judged of what was opened, wherever names lead by then', () => {
  const at = folder();
  const [inside, outside] = [path.join(at, 'inside'), path.join(at, 'outside')];
  writeFileSync(outside, 'canary');
  symlinkSync(outside, inside);
  const judged: string[] = [];
  readRegularFile(inside, 10, (opened) => judged.push(path.basename(opened)));
  expect(judged).toEqual(['outside']);
  renameSync(outside, inside);
  const refuse = (): void => {
    throw new Error('not here');
  };
  expect(() => readRegularFile(inside, 10, refuse)).toThrow('not here');
});
