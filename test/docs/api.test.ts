import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listEntries, printApiIndex, writeApiPages } from '../../.config/api-pages.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const pages = writeApiPages(listEntries(ROOT, manifest));

it('describes every entry in the index', () => {
  const index = printApiIndex(pages);
  for (const { file } of pages) expect(index).toContain(`](${file})`);
});

const prose = [
  path.join(ROOT, 'README.md'),
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(ROOT, 'docs', name)),
]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

/** Entries that worker threads load. */
const WORKERS: readonly string[] = ['worker.md', 'host-worker.md'];

it.each(
  pages.filter(({ file }) => !WORKERS.includes(file)).map(({ file, values }) => [file, values] as const),
)('README or docs use every function and constant of docs/api/%s', (_file, values) => {
  expect(values.filter((name) => !new RegExp(`\\b${name}\\b`).test(prose))).toEqual([]);
});
