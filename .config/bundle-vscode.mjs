// Bundles the extension for VS Code into a folder that vsce packs.
// Usage: `node .config/bundle-vscode.mjs [FOLDER]`. Default: dist/vscode.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { listPackages, ROOT } from './bundling.mjs';
import { printLicenses } from './write-licenses.mjs';

const SOURCE = path.join(ROOT, 'src/tools/vscode');

/** Bundles the extension into a folder. Empties the folder first. */
export async function bundleVscode(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/tools/vscode/extension.ts'],
    outfile: path.join(folder, 'extension.js'),
    bundle: true,
    platform: 'node',
    // VS Code loads CommonJS.
    format: 'cjs',
    // Node.js of the oldest supported VS Code.
    target: 'node18',
    external: ['vscode'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  for (const name of ['language-configuration.json', 'snippets.json', 'syntaxes']) {
    cpSync(path.join(SOURCE, name), path.join(folder, name), { recursive: true });
  }
  cpSync(path.join(SOURCE, 'marketplace.md'), path.join(folder, 'README.md'));
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
  writeFileSync(path.join(folder, 'THIRD-PARTY-LICENSES'), printLicenses(listPackages(metafile)));
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(createManifest(), null, 2)}\n`);
}

/** The manifest of the extension, with the members that it shares with the package. */
function createManifest() {
  const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
  const { version, license, repository, homepage, bugs } = read(path.join(ROOT, 'package.json'));
  return {
    ...read(path.join(SOURCE, 'manifest.json')),
    version,
    license,
    repository,
    homepage,
    bugs: { url: bugs },
  };
}

if (process.argv[1] === import.meta.filename) {
  await bundleVscode(path.resolve(process.argv[2] ?? path.join(ROOT, 'dist/vscode')));
}
