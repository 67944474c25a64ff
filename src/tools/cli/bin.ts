#!/usr/bin/env node
import module from 'node:module';
import v8 from 'node:v8';
import { chooseWasmFlag } from './wasm-flag.js';

// Node 22 caches compiled code for the next start. Must run before heavy modules are loaded.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') {
  module.enableCompileCache();
}
v8.setFlagsFromString(chooseWasmFlag(process.argv.slice(2)));
// Source maps of the bundle help only with IML_DEBUG.
if (process.env['IML_DEBUG']) process.setSourceMapsEnabled(true);

await import('./main.js');
