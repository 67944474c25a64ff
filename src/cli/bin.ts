#!/usr/bin/env node
import module from 'node:module';
import v8 from 'node:v8';

// Node 22 keeps what it compiled for the next start. Set before anything is loaded that is worth it.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') {
  module.enableCompileCache();
}
// The parser of HTTP answers and QuickJS are WebAssembly of large functions. V8 optimizes them after a few kB of work,
// which takes longer than most commands: 0.15 s of the processor for one answer, 0.1 s for one call of a custom function.
// V8 counts how far jumps lead, which in QuickJS is far: this, nearly all it can count to, is some 50 calls. Those that work
// on get there, too.
v8.setFlagsFromString('--wasm-tiering-budget=2000000000');
// The bundle's own lines tell nobody anything.
if (process.env['IML_DEBUG']) process.setSourceMapsEnabled(true);

await import('./main.js');
