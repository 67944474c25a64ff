import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { createFolderWriter } from '../../src/shared/files.js';
import { writeApp } from '../app/temp-app.js';

const SOURCE = path.resolve(import.meta.dirname, '../../src/shared/files.ts');

describe('writeAll', () => {
  it('writes files and their folders', async () => {
    const folder = writeApp({});
    const files = ['a/b/one.txt', 'two.txt'].map((name) => ({
      path: path.join(folder, name),
      content: name,
    }));
    await createFolderWriter(folder).writeAll(files);
    expect(files.map((file) => readFileSync(file.path, 'utf8'))).toEqual(['a/b/one.txt', 'two.txt']);
    expect(readdirSync(folder).toSorted()).toEqual(['a', 'two.txt']);
  });

  it.runIf(process.getuid !== undefined)(
    'makes new files readable by the owner only and keeps the mode of existing folders',
    async () => {
      const folder = writeApp({ 'kept/x.txt': 'x' });
      const modeOf = (name: string): string => (statSync(path.join(folder, name)).mode & 0o777).toString(8);
      const before = modeOf('kept');
      await createFolderWriter(folder).writeAll([
        { path: path.join(folder, 'a/b/one.txt'), content: 'one' },
        { path: path.join(folder, 'kept/x.txt'), content: 'new' },
      ]);
      expect(['a', 'a/b', 'a/b/one.txt', 'kept/x.txt', 'kept'].map(modeOf)).toEqual([
        ...['700', '700', '600', '600'],
        before,
      ]);
    },
  );

  it('restores the previous state if one file cannot be written', async () => {
    const folder = writeApp({ 'old.txt': 'old', blocker: 'a file, no folder' });
    const writing = createFolderWriter(folder).writeAll([
      { path: path.join(folder, 'new/deep/body.txt'), content: 'new' },
      { path: path.join(folder, 'old.txt'), content: 'new' },
      { path: path.join(folder, 'blocker/case.json'), content: 'new' },
    ]);
    await expect(writing).rejects.toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) });
    expect(readdirSync(folder).toSorted()).toEqual(['blocker', 'old.txt']);
    expect(readFileSync(path.join(folder, 'old.txt'), 'utf8')).toBe('old');
  });

  it('keeps a folder that other processes use', async () => {
    const folder = writeApp({ 'kept/x.txt': 'x' });
    mkdirSync(path.join(folder, 'kept/case.json'));
    writeFileSync(path.join(folder, 'kept/case.json/inside'), '');
    const writing = createFolderWriter(folder).writeAll([
      { path: path.join(folder, 'kept/case.json'), content: 'new' },
    ]);
    await expect(writing).rejects.toThrow();
    expect(readdirSync(path.join(folder, 'kept')).toSorted()).toEqual(['case.json', 'x.txt']);
  });

  // `ulimit` of the shell limits the size of files.
  it.skipIf(process.platform === 'win32')('leaves no partial file if the disk is full', () => {
    const folder = writeApp({ 'out/old.txt': 'old' });
    const built = path.join(folder, 'folder-writer.mjs');
    buildSync({
      entryPoints: [SOURCE],
      outfile: built,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    const script = `
      const { createFolderWriter } = await import(${JSON.stringify(built)});
      const at = (name) => ${JSON.stringify(`${folder}/out/`)} + name;
      await createFolderWriter(at('')).writeAll([
        { path: at('case.bodies/01.json'), content: 'small' },
        { path: at('case.test.json'), content: 'x'.repeat(1_000_000) },
      ]).then(() => process.exit(3), (error) => process.stdout.write(error.code));`;
    // Limits the file size of the process to 8 blocks to simulate a full disk.
    const shell = 'trap "" XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1"';
    const told = execFileSync('sh', ['-c', shell, process.execPath, script], { encoding: 'utf8' });
    expect(told).toBe('EFBIG');
    expect(readdirSync(path.join(folder, 'out'))).toEqual(['old.txt']);
  });
});

describe('a folder writer', () => {
  const open = () => {
    const folder = writeApp({ 'root/kept.txt': 'kept', 'outside/x.txt': 'x' });
    const root = path.join(folder, 'root');
    symlinkSync('../outside', path.join(root, 'link'));
    symlinkSync('../absent', path.join(root, 'dangling'));
    symlinkSync('../outside/x.txt', path.join(root, 'file'));
    return { folder, root, writer: createFolderWriter(root) };
  };

  it.each(['link/new.txt', 'link/sub/new.txt', 'dangling/new.txt', '../outside/new.txt'])(
    'rejects writing or removing %s',
    async (name) => {
      const { folder, root, writer } = open();
      const file = path.join(root, name);
      const refusal = { name: 'OutsideFolderError' };
      await expect(writer.replace(file, 'a')).rejects.toMatchObject(refusal);
      await expect(writer.create(file, 'a')).rejects.toMatchObject(refusal);
      await expect(writer.remove(file)).rejects.toMatchObject(refusal);
      await expect(writer.createFolder(file)).rejects.toMatchObject(refusal);
      const files = [path.join(root, 'first.txt'), file].map((target) => ({ path: target, content: 'a' }));
      await expect(writer.writeAll(files)).rejects.toMatchObject(refusal);
      expect(readdirSync(folder).toSorted()).toEqual(['outside', 'root']);
      expect(readdirSync(path.join(folder, 'outside'))).toEqual(['x.txt']);
      expect(readdirSync(root)).not.toContain('first.txt');
    },
  );

  it('replaces a link to a file instead of following it', async () => {
    const { folder, root, writer } = open();
    await writer.replace(path.join(root, 'file'), 'new');
    expect(await writer.create(path.join(root, 'dangling'), 'new')).toBe(false);
    expect(readFileSync(path.join(root, 'file'), 'utf8')).toBe('new');
    expect(readFileSync(path.join(folder, 'outside/x.txt'), 'utf8')).toBe('x');
  });
});
