import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
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

  it.each(APPS)('makes tests that pass for %s', async (app) => {
    copy(path.join(CORPUS, app));
    expect((await cli(['init', 'tests'], { cwd: folder })).code).toBe(0);
    const { out, code } = await cli(['test'], { cwd: folder });
    expect(out).toMatch(/^\d+ passed in /);
    expect(code).toBe(0);
  });
});
