import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { writeFiles } from '../../src/util/write-files.js';
import { writeApp } from '../app/temp-app.js';

const SOURCE = path.resolve(import.meta.dirname, '../../src/util/write-files.ts');

describe('writeFiles', () => {
  it('writes files and the folders they need', async () => {
    const folder = writeApp({});
    const files = ['a/b/one.txt', 'two.txt'].map((name) => ({
      path: path.join(folder, name),
      content: name,
    }));
    await writeFiles(files);
    expect(files.map((file) => readFileSync(file.path, 'utf8'))).toEqual(['a/b/one.txt', 'two.txt']);
    expect(readdirSync(folder).toSorted()).toEqual(['a', 'two.txt']);
  });

  it.runIf(process.getuid !== undefined)(
    'lets nobody but the owner read what is new, and leaves the mode of a folder that was there',
    async () => {
      const folder = writeApp({ 'kept/x.txt': 'x' });
      const modeOf = (name: string): string => (statSync(path.join(folder, name)).mode & 0o777).toString(8);
      const before = modeOf('kept');
      await writeFiles([
        { path: path.join(folder, 'a/b/one.txt'), content: 'one' },
        { path: path.join(folder, 'kept/x.txt'), content: 'new' },
      ]);
      expect(['a', 'a/b', 'a/b/one.txt', 'kept/x.txt', 'kept'].map(modeOf)).toEqual([
        ...['700', '700', '600', '600'],
        before,
      ]);
    },
  );

  it('leaves nothing behind where one cannot be written, and what was there as it was', async () => {
    const folder = writeApp({ 'old.txt': 'old', blocker: 'a file, no folder' });
    const writing = writeFiles([
      { path: path.join(folder, 'new/deep/body.txt'), content: 'new' },
      { path: path.join(folder, 'old.txt'), content: 'new' },
      { path: path.join(folder, 'blocker/case.json'), content: 'new' },
    ]);
    await expect(writing).rejects.toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) });
    expect(readdirSync(folder).toSorted()).toEqual(['blocker', 'old.txt']);
    expect(readFileSync(path.join(folder, 'old.txt'), 'utf8')).toBe('old');
  });

  it('keeps a folder that others use', async () => {
    const folder = writeApp({ 'kept/x.txt': 'x' });
    mkdirSync(path.join(folder, 'kept/case.json'));
    writeFileSync(path.join(folder, 'kept/case.json/inside'), '');
    const writing = writeFiles([{ path: path.join(folder, 'kept/case.json'), content: 'new' }]);
    await expect(writing).rejects.toThrow();
    expect(readdirSync(path.join(folder, 'kept')).toSorted()).toEqual(['case.json', 'x.txt']);
  });

  it.skipIf(process.platform === 'win32')('leaves no half file where there is no room for it', () => {
    const folder = writeApp({ 'out/old.txt': 'old' });
    const built = path.join(folder, 'write-files.mjs');
    buildSync({
      entryPoints: [SOURCE],
      outfile: built,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    const script = `
      const { writeFiles } = await import(${JSON.stringify(built)});
      const at = (name) => ${JSON.stringify(`${folder}/out/`)} + name;
      await writeFiles([
        { path: at('case.bodies/01.json'), content: 'small' },
        { path: at('case.test.json'), content: 'x'.repeat(1_000_000) },
      ]).then(() => process.exit(3), (error) => process.stdout.write(error.code));`;
    // What a process may write stands for what a disk can take: 8 blocks.
    const shell = 'trap "" XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1"';
    const told = execFileSync('sh', ['-c', shell, process.execPath, script], { encoding: 'utf8' });
    expect(told).toBe('EFBIG');
    expect(readdirSync(path.join(folder, 'out'))).toEqual(['old.txt']);
  });
});
