import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findIml, toCommandLine } from '../../src/tools/vscode/find-iml.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

let top = '';

beforeEach(() => {
  top = makeTemporaryFolder();
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(name: string): string {
  const file = path.join(top, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
}

const search = (found: Partial<Parameters<typeof findIml>[0]> = {}): Promise<string | undefined> =>
  findIml({
    apps: [path.join(top, 'apps/a')],
    roots: [top],
    setting: 'tools/iml',
    searchPath: path.join(top, 'bin'),
    platform: 'linux',
    ...found,
  });

describe('findIml', () => {
  it('takes the nearest iml of the app, then of the workspace, then the setting, then PATH', async () => {
    expect(await search()).toBeUndefined();
    const candidates = ['bin/iml', 'tools/iml', 'node_modules/.bin/iml', 'apps/a/node_modules/.bin/iml'];
    for (const name of candidates) {
      const file = write(name);
      expect(await search()).toBe(file);
    }
  });

  it('does not leave the workspace, and ignores relative folders of PATH', async () => {
    write('node_modules/.bin/iml');
    const folder = path.join(top, 'apps/a');
    expect(await search({ apps: [], roots: [folder], setting: '', searchPath: 'bin' })).toBeUndefined();
  });

  it('takes the batch file that npm writes on Windows', async () => {
    write('node_modules/.bin/iml');
    const file = write('node_modules/.bin/iml.cmd');
    expect(await search({ platform: 'win32' })).toBe(file);
  });
});

describe('toCommandLine', () => {
  it('starts batch files of Windows through a shell, with quotes', () => {
    expect(toCommandLine('C:\\my apps\\iml.cmd', ['test', 'a b.test.json'], 'win32')).toEqual({
      command: '"C:\\my apps\\iml.cmd"',
      args: ['"test"', '"a b.test.json"'],
      shell: true,
    });
  });

  it('starts other files directly', () => {
    expect(toCommandLine('/bin/iml', ['a b'], 'linux')).toEqual({
      command: '/bin/iml',
      args: ['a b'],
      shell: false,
    });
  });
});
