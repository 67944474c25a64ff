import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRegularFile } from '../../src/shared/files.js';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'regular-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it.each([0, 1, 9, 10])('readRegularFile returns %i bytes of a file with a limit of 10', (size) => {
  const file = path.join(folder(), 'a');
  writeFileSync(file, 'x'.repeat(size));
  expect(readRegularFile(file, 10)).toEqual({ ok: true, bytes: Buffer.alloc(size, 'x') });
});

it('readRegularFile rejects more bytes than the limit, even if the file grows', () => {
  const file = path.join(folder(), 'a');
  writeFileSync(file, 'x'.repeat(11));
  const refused = { ok: false, problem: 'has more than 10 bytes' };
  expect(readRegularFile(file, 10)).toEqual(refused);
  writeFileSync(file, 'x');
  expect(readRegularFile(file, 10, () => appendFileSync(file, 'y'.repeat(9)))).toMatchObject({ ok: true });
  const grow = (): void => appendFileSync(file, 'y'.repeat(200_000));
  expect(readRegularFile(file, 100_000, grow)).toEqual({ ok: false, problem: 'has more than 100000 bytes' });
});

it.runIf(process.platform === 'linux')(
  'readRegularFile does not wait for a pipe and rejects devices and folders',
  () => {
    const pipe = path.join(folder(), 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    for (const file of [pipe, '/dev/zero', tmpdir()]) {
      expect(readRegularFile(file, 10)).toEqual({ ok: false, problem: 'is not a regular file' });
    }
  },
);

it('readRegularFile checks the path of the opened file, even if links change', () => {
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
