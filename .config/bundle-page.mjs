// Bundles the page of `iml dev` into static files without external resources.
// Usage: `node .config/bundle-page.mjs [FOLDER]`. Default: dist/page.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { writePackages } from './bundling.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCE = path.join(ROOT, 'src/tools/dev/page');

/** Bundles the page into a folder. Empties the folder first. */
export async function bundlePage(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { start: 'src/tools/dev/page/start.ts' },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    // Names contain a hash of the content, so that browsers cache files forever.
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const styles = await build({
    absWorkingDir: ROOT,
    entryPoints: { page: 'src/tools/dev/page/styles/page.css' },
    outdir: folder,
    bundle: true,
    minify: true,
    entryNames: '[name]-[hash]',
    metafile: true,
    logLevel: 'warning',
  });
  if (styles.errors.length > 0) throw new Error('The styles do not bundle.');
  const html = readFileSync(path.join(SOURCE, 'index.html'), 'utf8')
    .replace('/start.js', `/${nameOf(metafile, 'src/tools/dev/page/start.ts')}`)
    .replace('/page.css', `/${nameOf(styles.metafile, 'src/tools/dev/page/styles/page.css')}`);
  writeFileSync(path.join(folder, 'index.html'), html);
  copyFileSync(path.join(SOURCE, 'icon.svg'), path.join(folder, 'icon.svg'));
  writePackages(folder, metafile);
}

/** The name of the output file of an entry. */
function nameOf({ outputs }, entry) {
  const [name] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  if (name === undefined) throw new Error(`The bundle has no file for ${entry}.`);
  return path.basename(name);
}

if (process.argv[1] === import.meta.filename) {
  await bundlePage(path.resolve(process.argv[2] ?? path.join(ROOT, 'dist/page')));
}
