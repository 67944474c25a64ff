// Leaves in the package what the sandbox would otherwise make at each start: QuickJS with its loops metered, and a memory in
// which the prelude has run. `node .config/write-sandbox.mjs [FOLDER]`, by default dist/sandbox.

import { copyFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const DIST = path.resolve(import.meta.dirname, '../dist');
const folder = path.resolve(process.argv[2] ?? path.join(DIST, 'sandbox'));

const { prepareQuickJs } = await import(path.join(DIST, 'sandbox/prepare-quickjs.js'));
const { wasm, image } = await prepareQuickJs();
writeFileSync(path.join(folder, 'quickjs.wasm'), wasm);
writeFileSync(path.join(folder, 'quickjs.image'), image);
// Both are made of this package, whose licence asks to go along.
const packaged = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
copyFileSync(path.join(path.dirname(packaged), '../LICENSE'), path.join(folder, 'quickjs.LICENSE.txt'));
