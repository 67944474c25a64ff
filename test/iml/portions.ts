import fc from 'fast-check';

/** What `fc.assert` is told of some of the runs of a property. */
export interface Portion {
  readonly numRuns: number;
  readonly seed: number;
}

/**
 * The runs of a property as short tests, each with cases of its own: mutation testing passes over tests that take long.
 *
 * @param size so many that a test of them takes a few milliseconds
 */
export function portionsOf(runs: number, size: number): readonly Portion[] {
  const { seed = 0 } = fc.readConfigureGlobal();
  return Array.from({ length: Math.ceil(runs / size) }, (_, index) => ({
    numRuns: Math.min(size, runs - index * size),
    seed: (seed + index) | 0,
  }));
}
