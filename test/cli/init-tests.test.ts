import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from './fake-io.js';

const CORPUS = path.resolve(import.meta.dirname, '../../../shared/corpus');
const APPS = [
  'HedyAI__make-app-hedy',
  'letmepost__make-app-letmepost',
  'Linked-API__linkedapi-make/src',
  'sudomock__sudomock-make-app/src/sudomock',
  'Ichy77__Open-Source-Make-Apps/src/openrouter',
].filter((app) => existsSync(path.join(CORPUS, app)));

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'iml-init-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const BOOKSHOP = path.resolve(import.meta.dirname, '../../spec-fixtures/bookshop');

function copy(from: string): void {
  cpSync(from, folder, { recursive: true, mode: 0 });
}

describe('iml init tests', () => {
  it('writes a test for each component, which passes, and nothing twice', async () => {
    copy(BOOKSHOP);
    const made = await cli(['init', 'tests'], { cwd: folder });
    expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/^\d+ tests? written/) });
    const tested = await cli(['test'], { cwd: folder });
    expect(tested.out).toMatch(/^\d+ passed in /);
    expect(tested.code).toBe(0);
    const files = readdirSync(path.join(folder, 'tests'), { recursive: true, encoding: 'utf8' });
    const texts = files.filter((file) => file.endsWith('.json'));
    expect(texts.length).toBeGreaterThan(3);
    expect(readFileSync(path.join(folder, 'tests', texts[0] ?? ''), 'utf8')).toContain('"$schema"');
    const again = await cli(['init', 'tests', '.'], { cwd: folder });
    expect(again).toMatchObject({ code: 0, out: '', err: 'Every component has a test.\n' });
  });

  it('writes nothing else', async () => {
    expect((await cli(['init', 'modules'], { cwd: folder })).code).toBe(2);
    expect((await cli(['init', 'tests', 'nowhere'], { cwd: folder })).code).toBe(2);
  });

  it.each([
    ['../../../evil/x', '_.._.._evil_x'],
    ['a/../../../../b', 'a_.._.._.._.._b'],
    ['bell\u0007 and\nline', 'bell_ and_line'],
    ['null\u0000', 'null_'],
    ['turned\u202e', 'turned_'],
  ])('keeps a test of %j in the folder of tests', async (name, file) => {
    copy(BOOKSHOP);
    const manifest = path.join(folder, 'makecomapp.json');
    const text = readFileSync(manifest, 'utf8').replace('"getBook"', JSON.stringify(name));
    writeFileSync(manifest, text);
    const made = await cli(['init', 'tests'], { cwd: folder });
    expect(made.code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may reach a terminal
    expect(made.out + made.err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(readdirSync(path.join(folder, 'tests'))).toContain(file);
    expect(existsSync(path.join(folder, 'tests', file, `${file}.test.json`))).toBe(true);
    expect(await cli(['test'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await cli(['init', 'tests'], { cwd: folder })).toMatchObject({
      code: 0,
      err: 'Every component has a test.\n',
    });
  });

  it('writes nothing where a link of the app leads', async () => {
    copy(BOOKSHOP);
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'iml-elsewhere-'));
    symlinkSync(elsewhere, path.join(folder, 'tests'));
    const made = await cli(['init', 'tests'], { cwd: folder });
    expect(made).toMatchObject({ code: 2, err: expect.stringContaining('through a symbolic link') });
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true });
  });

  it.each(APPS)('makes tests that pass for %s', async (app) => {
    copy(path.join(CORPUS, app));
    expect((await cli(['init', 'tests'], { cwd: folder })).code).toBe(0);
    const { out, code } = await cli(['test'], { cwd: folder });
    expect(out).toMatch(/^\d+ passed in /);
    expect(code).toBe(0);
  });
});
