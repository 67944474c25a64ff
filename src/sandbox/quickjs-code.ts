import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { type StartedImage, unpackImage } from './memory-image.js';
import { meterLoops } from './meter-loops.js';

/** QuickJS, compiled once a process; it holds no state of any app. */
export interface QuickJsCode {
  readonly wasm: WebAssembly.Module;
  readonly variant: QuickJSSyncVariant;
  readonly core: typeof import('quickjs-emscripten-core');
  /** A memory in which the prelude has run, where the build has left one. */
  readonly started: StartedImage | undefined;
}

/**
 * What the build leaves (`prepareQuickJs`), found from `dist/sandbox` as from the bundle in `dist/bin`. They belong to one
 * version of the packages, which package.json therefore names exactly.
 */
const PREPARED_WASM = new URL('../sandbox/quickjs.wasm', import.meta.url);
const PREPARED_IMAGE = new URL('../sandbox/quickjs.image', import.meta.url);

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
  const [packages, wasm, image] = await Promise.all([
    loadPackages(),
    readIfThere(PREPARED_WASM),
    readIfThere(PREPARED_IMAGE),
  ]);
  if (!wasm || !image) return loadUnprepared();
  return { ...packages, wasm: await WebAssembly.compile(wasm), started: unpackImage(image) };
}

/** The same without what the build leaves: sources that nobody has built, and the build itself. */
export async function loadUnprepared(): Promise<QuickJsCode> {
  const wasm = await WebAssembly.compile(await meterQuickJs());
  return { ...(await loadPackages()), wasm, started: undefined };
}

/** The binary of the package, metered. */
export async function meterQuickJs(): Promise<Uint8Array<ArrayBuffer>> {
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  return meterLoops(await readFile(file));
}

async function loadPackages(): Promise<Pick<QuickJsCode, 'core' | 'variant'>> {
  const [core, build] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ]);
  // The package's types describe its CommonJS file, whose default lies one step deeper than that of its ESM file.
  return { core, variant: build.default as unknown as QuickJSSyncVariant };
}

function readIfThere(file: URL): Promise<Buffer | undefined> {
  return readFile(file).catch(() => undefined);
}
