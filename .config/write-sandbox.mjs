// Leaves in the package what the sandbox would otherwise make at each start: a memory in which the prelude has run.
// `node .config/write-sandbox.mjs [FOLDER]`, by default dist/sandbox.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const DIST = path.resolve(import.meta.dirname, '../dist');
const folder = path.resolve(process.argv[2] ?? path.join(DIST, 'sandbox'));

mkdirSync(folder, { recursive: true });
const { prepareQuickJs } = await import(path.join(DIST, 'engine/sandbox/prepare-quickjs.js'));
writeFileSync(path.join(folder, 'quickjs.image'), await prepareQuickJs());
// It is made of this package, whose licence has to be included.
const packaged = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
copyFileSync(path.join(path.dirname(packaged), '../LICENSE'), path.join(folder, 'quickjs.LICENSE.txt'));
