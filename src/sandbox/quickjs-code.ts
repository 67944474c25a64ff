import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { meterLoops } from './meter-loops.js';

/** QuickJS, compiled once a process; it holds no state of any app. */
export interface QuickJsCode {
  readonly wasm: WebAssembly.Module;
  readonly variant: QuickJSSyncVariant;
  readonly core: typeof import('quickjs-emscripten-core');
}

let loading: Promise<QuickJsCode> | undefined;

/** Reads and compiles QuickJS on first need: an app without functions pays nothing for it. */
export function loadQuickJs(): Promise<QuickJsCode> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<QuickJsCode> {
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  const [core, build, binary] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
    readFile(file),
  ]);
  const wasm = await WebAssembly.compile(meterLoops(binary));
  // The package's types describe its CommonJS file, whose default lies one step deeper than that of its ESM file.
  const variant = build.default as unknown as QuickJSSyncVariant;
  return { core, variant, wasm };
}
