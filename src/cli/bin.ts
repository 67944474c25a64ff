#!/usr/bin/env node
import module from 'node:module';
import v8 from 'node:v8';
import { chooseWasmFlag } from './wasm-flag.js';

// Node 22 keeps what it compiled for the next start. Set before anything is loaded that is worth it.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') {
  module.enableCompileCache();
}
v8.setFlagsFromString(chooseWasmFlag(process.argv.slice(2)));
// The bundle's own lines tell nobody anything.
if (process.env['IML_DEBUG']) process.setSourceMapsEnabled(true);

await import('./main.js');
