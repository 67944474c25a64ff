import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use after all garbage is gone. */
export interface MemoryInUse {
  /** Objects of JavaScript. */
  readonly heap: number;
  /** Buffers, and the memories of WebAssembly. */
  readonly outside: number;
}

/**
 * What is in use once nothing more can be collected: what has a finalizer goes only with the collection after the one
 * that found it, so it goes on until a collection frees nothing.
 */
export async function memoryInUse(): Promise<MemoryInUse> {
  let least = measure();
  for (let idle = 0; idle < 3; idle++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    const now = measure();
    if (now.heap < least.heap || now.outside < least.outside) idle = -1;
    least = { heap: Math.min(now.heap, least.heap), outside: Math.min(now.outside, least.outside) };
  }
  return least;
}

function measure(): MemoryInUse {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, outside: external + arrayBuffers };
}
