import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { EngineError } from '../../shared/errors/engine-error.js';

/** QuickJS, compiled once per process, without state. */
export interface QuickJsCode {
  readonly wasm: WebAssembly.Module;
  readonly variant: QuickJSSyncVariant;
  readonly core: typeof import('quickjs-emscripten-core');
  /** The image of the prelude, if the build created one. */
  readonly started: StartedImage | undefined;
}

/**
 * The memory image that the build writes (`prepareQuickJs`), for the bundles and for the unbundled files. It requires one version
 * of the packages, so package.json pins them.
 */
const PREPARED_IMAGE = new URL('../sandbox/quickjs.image', import.meta.url);

const PACKAGE = '@jitl/quickjs-wasmfile-release-sync';

let loading: Promise<QuickJsCode> | undefined;

/**
 * Reads and compiles QuickJS at the first call, so apps without functions do not load it.
 *
 * @param wasm WebAssembly for the first call of a process. Default: the file of the package
 * @throws EngineError (PACKAGE_MISSING) if the file is missing, as in a bundle
 */
export function loadQuickJs(wasm?: Uint8Array): Promise<QuickJsCode> {
  loading ??= load(wasm).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(wasm: Uint8Array | undefined): Promise<QuickJsCode> {
  const [unprepared, image] = await Promise.all([
    loadUnprepared(wasm),
    readFile(PREPARED_IMAGE).catch(() => undefined),
  ]);
  return { ...unprepared, started: image && unpackImage(image) };
}

/** Loads QuickJS without the image. */
export async function loadUnprepared(wasm?: Uint8Array): Promise<QuickJsCode> {
  const [packages, binary] = await Promise.all([loadPackages(), wasm ?? readWasm()]);
  return { ...packages, wasm: await WebAssembly.compile(binary), started: undefined };
}

async function readWasm(): Promise<Uint8Array> {
  try {
    return await readFile(createRequire(import.meta.url).resolve(`${PACKAGE}/wasm`));
  } catch (cause) {
    const message = `Custom functions need the WebAssembly of QuickJS, which was not found. Install ${PACKAGE}, or pass the bytes of its file emscripten-module.wasm as the option "quickJsWasm" of createEngine.`;
    throw new EngineError('PACKAGE_MISSING', message, { cause });
  }
}

async function loadPackages(): Promise<Pick<QuickJsCode, 'core' | 'variant'>> {
  const [core, build] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ]);
  // The types of the package describe its CommonJS file, whose default export is nested one level deeper.
  return { core, variant: build.default as unknown as QuickJSSyncVariant };
}

/** An image of a memory: its non-zero pages by offset. */
export type MemoryImage = ReadonlyMap<number, Uint8Array>;

/** Bytes of a page of WebAssembly. */
export const PAGE_BYTES = 65_536;

const ZEROS = new Uint8Array(PAGE_BYTES);

/**
 * The layout of a memory in the pinned version of the build: static data, the stack, the heap. The address of the end of the
 * heap is that of the variable of `sbrk`, which never lowers it.
 */
const LAYOUT = { stackPages: { from: 2, to: 81 }, heapEndAddress: 86_864 } as const;

/** End of the heap: above, nothing was ever written. */
function readHeapEnd(memory: WebAssembly.Memory): number {
  const end = new DataView(memory.buffer).getUint32(LAYOUT.heapEndAddress, true);
  return Math.min(end, memory.buffer.byteLength);
}

/** Whether the memory of a started QuickJS has the expected layout. */
export function hasKnownLayout(memory: WebAssembly.Memory): boolean {
  const end = readHeapEnd(memory);
  return end > LAYOUT.stackPages.to * PAGE_BYTES && end < memory.buffer.byteLength;
}

/**
 * Offsets of the pages that may hold data between two calls. The stack is empty then. Pages outside are not even read, as a system
 * may allocate a page that is read.
 */
function* listUsedPages(memory: WebAssembly.Memory): Generator<number> {
  const { from, to } = LAYOUT.stackPages;
  const end = readHeapEnd(memory);
  for (let page = 0; page * PAGE_BYTES < end; page = page === from - 1 ? to : page + 1)
    yield page * PAGE_BYTES;
}

export function takeImage(memory: WebAssembly.Memory): MemoryImage {
  const pages = new Map<number, Uint8Array>();
  for (const at of listUsedPages(memory)) {
    const page = new Uint8Array(memory.buffer, at, PAGE_BYTES);
    if (Buffer.compare(page, ZEROS) !== 0) pages.set(at, page.slice());
  }
  return pages;
}

export function restoreImage(memory: WebAssembly.Memory, pages: MemoryImage): void {
  for (const at of [...listUsedPages(memory)]) {
    if (!pages.has(at)) new Uint8Array(memory.buffer, at, PAGE_BYTES).fill(0);
  }
  for (const [at, page] of pages) new Uint8Array(memory.buffer, at).set(page);
}

/** The image of a started guest as the build keeps it in a file: the border's address, then each page behind its offset. */
export interface StartedImage {
  /** Address of the guest's side of the border. */
  readonly border: number;
  readonly pages: MemoryImage;
}

const NUMBER_BYTES = 4;

export function packImage({ border, pages }: StartedImage): Uint8Array {
  const parts = [numberBytes(border)];
  for (const [at, page] of pages) parts.push(numberBytes(at), page);
  return Buffer.concat(parts);
}

export function unpackImage(packed: Uint8Array): StartedImage {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const pages = new Map<number, Uint8Array>();
  for (let at = NUMBER_BYTES; at < packed.byteLength; at += NUMBER_BYTES + PAGE_BYTES) {
    const from = at + NUMBER_BYTES;
    pages.set(view.getUint32(at, true), packed.subarray(from, from + PAGE_BYTES));
  }
  return { border: view.getUint32(0, true), pages };
}

function numberBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(NUMBER_BYTES);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
