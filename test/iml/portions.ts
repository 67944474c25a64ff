import fc from 'fast-check';

/** What `fc.assert` is told of some of the runs of a property. */
export interface Portion {
  readonly numRuns: number;
  readonly seed: number;
}

/**
 * Splits the runs of a property into several short tests, each with a seed of its own.
 *
 * @param size runs per test
 */
export function portionsOf(runs: number, size: number): readonly Portion[] {
  const { seed = 0 } = fc.readConfigureGlobal();
  return Array.from({ length: Math.ceil(runs / size) }, (_, index) => ({
    numRuns: Math.min(size, runs - index * size),
    seed: (seed + index) | 0,
  }));
}
