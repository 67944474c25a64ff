import type {
  JSValueConstPointer,
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
} from 'quickjs-emscripten-core';
import { EngineError } from '../../shared/errors/engine-error.js';
import {
  hasKnownLayout,
  type MemoryImage,
  PAGE_BYTES,
  type QuickJsCode,
  restoreImage,
  takeImage,
} from './quickjs-code.js';

export interface MachineOptions {
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** Time of the guest's `Date`. */
  readonly now: () => number;
  /** Whether to interrupt. Checked between byte codes and in regular expressions. */
  readonly isOver: () => boolean;
}

/** One WebAssembly instance with its own memory, holding one QuickJS context. */
export interface Machine {
  readonly context: QuickJSContext;
  readonly runtime: QuickJSRuntime;
  /** Number of failed attempts to grow the memory. */
  readonly countRefusals: () => number;
  /**
   * Brings the machine to the state after `run`, from the image of the build if available. Must be called first, and
   * with host functions in the same order as for the image, which contains their addresses.
   */
  readonly start: (run: () => QuickJSHandle) => QuickJSHandle;
  /** Remembers the present state as the one `rewind` returns to. */
  readonly keep: () => MemoryImage;
  /**
   * Puts the machine back to the kept state, synchronously, whatever has happened to it: a kill in the middle of
   * an allocation, a trap, an exhausted host stack. Handles made before `keep` stay valid, later ones do not.
   */
  readonly rewind: () => void;
}

/** Memory outside the limit: stack and data of QuickJS. */
const OWN_PAGES = 256;
const MAXIMUM_PAGES = 32_768;

/** Initial pages, as in the package. */
const INITIAL_PAGES = 256;

type Export = (...args: unknown[]) => unknown;

/**
 * Makes a machine with an empty context. Its interrupt handler is set before anything can be kept: whether there is
 * one is written in the memory, which `rewind` puts back.
 */
export async function createMachine(options: MachineOptions, code: QuickJsCode): Promise<Machine> {
  const limitPages = Math.ceil(options.memoryBytes / PAGE_BYTES);
  const memory = new WebAssembly.Memory({
    initial: INITIAL_PAGES,
    maximum: Math.min(MAXIMUM_PAGES, OWN_PAGES + 2 * limitPages),
  });
  const instance = createSwappableInstance(code, memory, options.now);
  // Suppresses output of the glue code; the trap has the error.
  const glue = { instantiateWasm: instance.instantiate, print: ignore, printErr: ignore };
  const variant = code.core.newVariant(code.variant, {
    wasmMemory: memory,
    emscriptenModule: glue,
  });
  const quickJs = await code.core.newQuickJSWASMModuleFromVariant(variant);
  const runtime = quickJs.newRuntime();
  const setLimits = (): void => {
    runtime.setMemoryLimit(options.memoryBytes);
    runtime.setMaxStackSize(options.stackBytes);
    runtime.setInterruptHandler(options.isOver);
  };
  setLimits();
  const context = runtime.newContext();
  if (!hasKnownLayout(memory)) throw unknownBuild('a memory layout');
  let kept: MemoryImage = new Map();
  return {
    context,
    runtime,
    countRefusals: instance.countRefusals,
    start: (run) => {
      if (!code.started) return run();
      // A new machine has written to no other pages.
      for (const [at, page] of code.started.pages) new Uint8Array(memory.buffer, at).set(page);
      setLimits();
      return new code.core.StaticLifetime(code.started.border as JSValueConstPointer, runtime);
    },
    keep: () => {
      kept = takeImage(memory);
      return kept;
    },
    rewind: () => {
      instance.swap();
      restoreImage(memory, kept);
    },
  };
}

function ignore(): void {}

function unknownBuild(what: string): EngineError {
  return new EngineError(
    'USAGE',
    `The QuickJS build has ${what} that this version does not know: use the pinned version.`,
  );
}

interface SwappableInstance {
  readonly instantiate: (
    imports: WebAssembly.Imports,
    ready: (instance: WebAssembly.Instance) => void,
  ) => WebAssembly.Exports;
  /** Replaces the instance by a new one over the same memory: its globals (stack pointer) and tables are as at the start. */
  readonly swap: () => void;
  readonly countRefusals: Machine['countRefusals'];
}

/**
 * The glue code binds to the exports of one instance, so it gets forwarding functions. A trap does not restore the C
 * stack pointer; only a new instance resets it.
 */
function createSwappableInstance(
  code: QuickJsCode,
  memory: WebAssembly.Memory,
  now: () => number,
): SwappableInstance {
  let imports: WebAssembly.Imports = {};
  let exported: Record<string, Export> = {};
  let refusals = 0;
  const swap = (): void => {
    exported = new WebAssembly.Instance(code.wasm, imports).exports as Record<string, Export>;
  };
  const noteRefusal = (grow: Export) => (bytes: number) => {
    const isGrown = grow(bytes);
    if (!isGrown) refusals++;
    return isGrown;
  };
  return {
    swap,
    countRefusals: () => refusals,
    instantiate: (given, ready) => {
      imports = pinImports(given, memory, { clock: now, noteRefusal });
      swap();
      const forwarding: WebAssembly.Exports = {};
      for (const [name, value] of Object.entries(exported)) {
        forwarding[name] = typeof value === 'function' ? forward(() => exported, name) : value;
      }
      // The glue code only reads `exports`.
      ready({ exports: forwarding } as WebAssembly.Instance);
      return forwarding;
    },
  };
}

/** Fixed parameters: WebAssembly ignores those it does not know, and a rest array would cost more than the call. */
function forward(current: () => Record<string, Export>, name: string): Export {
  return (a, b, c, d, e, f, g, h, i, j) => current()[name]?.(a, b, c, d, e, f, g, h, i, j);
}

interface Pins {
  readonly clock: () => number;
  /** Wraps the function that grows the memory. */
  readonly noteRefusal: (grow: Export) => (bytes: number) => unknown;
}

/**
 * Names of the imports to replace in the pinned version of the build, by kind. They are not identified by their code,
 * which bundlers rewrite. The tests of the sandbox notice a build with other names.
 */
const IMPORTS = { zone: 'm', clock: 'p', environment: 'e', environmentSize: 'f', growing: 'k' } as const;

/**
 * Replaces imports of the build that depend on the host. Local time becomes UTC, as on Make's servers [inf]. The
 * clock is that of the environment. Environment variables are empty, because the glue code would add the language of
 * this machine and the path of the script. Memory growth stays with the build but is counted.
 */
function pinImports(
  imports: WebAssembly.Imports,
  memory: WebAssembly.Memory,
  { clock, noteRefusal }: Pins,
): WebAssembly.Imports {
  const [[space, members] = ['', {}]] = Object.entries(imports);
  const grow = members[IMPORTS.growing];
  if (typeof grow !== 'function' || Object.values(IMPORTS).some((name) => members[name] === undefined)) {
    throw unknownBuild('imports');
  }
  return {
    [space]: {
      ...members,
      [IMPORTS.zone]: (_seconds: bigint, result: number) => writeUtc(memory, result),
      [IMPORTS.clock]: clock,
      [IMPORTS.environmentSize]: (count: number, bytes: number) => writeNothing(memory, count, bytes),
      [IMPORTS.environment]: () => 0,
      [IMPORTS.growing]: noteRefusal(grow as Export),
    },
  };
}

/** Fills a `struct tm`; QuickJS reads its UTC offset only. */
function writeUtc(memory: WebAssembly.Memory, pointer: number): void {
  new Int32Array(memory.buffer, pointer, 10).fill(0);
}

/** No variables, in no bytes. */
function writeNothing(memory: WebAssembly.Memory, count: number, bytes: number): number {
  for (const pointer of [count, bytes]) new Uint32Array(memory.buffer, pointer, 1).fill(0);
  return 0;
}
