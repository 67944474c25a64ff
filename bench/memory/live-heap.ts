/** Bytes in use after garbage collection. Needs `--expose-gc`. */
export function liveBytes(): number {
  for (let round = 0; round < 4; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
