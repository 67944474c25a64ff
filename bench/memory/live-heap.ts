/** Bytes that are still in use once everything that can be is collected; needs `--expose-gc`. */
export function liveBytes(): number {
  for (let turn = 0; turn < 4; turn++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
