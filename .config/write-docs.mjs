// Writes the generated pages of docs: one per rule of `iml check`, command, group of functions and
// entry of the package. Needs a build.
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
  ['index.md', printRuleList(RULES)],
]);

const { COMMANDS } = await import(path.join(DIST, 'tools/cli/commands.js'));
const { commandHelp } = await import(path.join(DIST, 'tools/cli/output/print-help.js'));
const commands = await Promise.all(
  Object.entries(COMMANDS).map(async ([name, { summary, load }]) => {
    const help = commandHelp(await load(), 100);
    return [`${name}.md`, `# iml ${name}\n\n${summary}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`];
  }),
);
const list = Object.entries(COMMANDS).map(
  ([name, { summary }]) => `| [iml ${name}](${name}.md) | ${summary} |\n`,
);
writeFolder('commands', [
  ...commands,
  ['index.md', `# Commands\n\n| command | |\n| --- | --- |\n${list.join('')}`],
]);

/** Compiles and imports a module of this folder. */
async function load(name) {
  const compiled = path.join(DIST, `${name}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname, `${name}.ts`)],
    outfile: compiled,
    bundle: true,
    packages: 'external',
    external: ['#moment'],
    format: 'esm',
    platform: 'node',
  });
  const loaded = await import(pathToFileURL(compiled).href);
  rmSync(compiled);
  return loaded;
}

const { writeFunctionPages } = await load('function-pages');
writeFolder(
  'functions',
  writeFunctionPages().map(({ file, text }) => [file, text]),
);

const { listEntries, printApiIndex, writeApiPages } = await load('api-pages');
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const pages = writeApiPages(listEntries(ROOT, manifest));
writeFolder('api', [...pages.map(({ file, text }) => [file, text]), ['index.md', printApiIndex(pages)]]);
