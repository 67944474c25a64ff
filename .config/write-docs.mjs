// Writes the generated pages of docs: a page per rule of `iml check` and one per entry of the package. Needs a build.
// Usage: `node .config/write-docs.mjs`.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');

/** Replaces the files of a folder. */
function writeFolder(name, pages) {
  const folder = path.join(ROOT, 'docs', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of pages) writeFileSync(path.join(folder, file), text);
}

const { printRuleList, printRulePage } = await import(path.join(DIST, 'tools/check/reports.js'));
const { RULES } = await import(path.join(DIST, 'tools/check/rules.js'));
writeFolder('rules', [
  ...RULES.map((rule) => [`${rule.id}.md`, printRulePage(rule)]),
  ['README.md', printRuleList(RULES)],
]);

const compiled = path.join(DIST, 'api-pages.mjs');
await build({
  entryPoints: [path.join(import.meta.dirname, 'api-pages.ts')],
  outfile: compiled,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
});
const { listEntries, printApiIndex, writeApiPages } = await import(pathToFileURL(compiled).href);
rmSync(compiled);
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const pages = writeApiPages(listEntries(ROOT, manifest));
writeFolder('api', [...pages.map(({ file, text }) => [file, text]), ['README.md', printApiIndex(pages)]]);
