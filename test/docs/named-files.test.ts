import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

const list = (folder: string): readonly string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .filter((name) => !name.includes('node_modules'));

/** Maps name files relative to themselves or to `src`, or by file name. */
const FILES: readonly string[] = ['src', 'test', 'bench', '.config'].flatMap(list);

const isThere = (named: string): boolean =>
  FILES.some((file) => file === named || file.endsWith(`/${named.replace(/^(?:\.{1,2}\/)+/, '')}`));

describe('READMEs name existing files', () => {
  it.each(list('src').filter((name) => name.endsWith('/README.md')))('%s', (readme) => {
    const text = readFileSync(path.join(ROOT, readme), 'utf8');
    const named = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });

  it('reports a missing file', () => {
    expect(isThere('engine/run/run-communication.ts')).toBe(true);
    expect(isThere('engine/run/no-such-file.ts')).toBe(false);
  });
});

/** Files of the package, and folders whose pages `npm run docs` writes. */
const isPacked = (file: string): boolean =>
  ['README.md', 'CHANGELOG.md', 'LICENSE', ...list('docs')].includes(file) ||
  /^docs\/(?:rules|commands|api|functions)\/[\w-]+\.md$/.test(file);

describe('relative links of packed pages', () => {
  const pages = ['README.md', 'CHANGELOG.md', ...list('docs').filter((name) => name.endsWith('.md'))];

  it.each(pages)('lead to packed files: %s', (page) => {
    const text = readFileSync(path.join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    const files = links
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => path.posix.join(path.posix.dirname(page), link));
    expect(files.filter((file) => !isPacked(file))).toEqual([]);
  });
});
