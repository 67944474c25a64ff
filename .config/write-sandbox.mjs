// Writes the memory image of a sandbox that has run the prelude, so that sandboxes start from it.
// Usage: `node .config/write-sandbox.mjs [FOLDER]`. Default: dist/sandbox.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const DIST = path.resolve(import.meta.dirname, '../dist');
const folder = path.resolve(process.argv[2] ?? path.join(DIST, 'sandbox'));

mkdirSync(folder, { recursive: true });
const { prepareQuickJs } = await import(path.join(DIST, 'engine/sandbox/prepare-quickjs.js'));
const image = await prepareQuickJs();
writeFileSync(path.join(folder, 'quickjs.image'), image);
// The unbundled files, which the tests run, look for it in their own folder.
writeFileSync(path.join(DIST, 'engine/sandbox/quickjs.image'), image);
// The image contains code of this package, so its license is included.
const packaged = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
copyFileSync(path.join(path.dirname(packaged), '../LICENSE'), path.join(folder, 'quickjs.LICENSE.txt'));
