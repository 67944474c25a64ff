import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LONGEST = 120;

/** Folders whose pages are written, not generated; `docs/errors.md` is generated. */
const FOLDERS = ['.', '.github', 'bench', 'docs', 'docs/skills/iml', 'src', 'test'];

const PAGES = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: folder === 'src', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'errors.md')
    .map((name) => path.join(folder, name)),
);

/** The lines of a page outside of code, tables and front matter. */
const prose = (page: string): readonly string[] =>
  readFileSync(path.join(ROOT, page), 'utf8')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^ *(```+)[\s\S]*?^ *\1$/gm, '')
    .split('\n')
    .filter((line) => !/^ *\|/.test(line));

it.each(PAGES)('lines of %s have at most 120 characters', (page) => {
  expect(prose(page).filter((line) => line.length > LONGEST)).toEqual([]);
});
