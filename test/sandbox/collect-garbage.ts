import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use after garbage collection. */
export interface MemoryInUse {
  /** JavaScript objects. */
  readonly heap: number;
  /** Buffers and WebAssembly memories. */
  readonly outside: number;
}

/**
 * Collects garbage until nothing more is freed, as an object with a finalizer is freed one collection later, and
 * returns the bytes in use.
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
