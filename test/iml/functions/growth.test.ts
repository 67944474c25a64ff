import { describe, expect, it } from 'vitest';
import { functions, ImlError } from '../../../src/iml/index.js';
import { ENVIRONMENT } from './call-function.js';
import { type ArgumentsOfSize, BOUNDED_CALLS, WORST_CALLS } from './growth-inputs.js';

const SMALLEST = 4096;
const SIZES: readonly number[] = [SMALLEST, 2 * SMALLEST, 4 * SMALLEST, 8 * SMALLEST];

/** Below this the noise of a busy machine is larger than the work, and nobody would notice what it costs. */
const NEGLIGIBLE_MS = 30;

/** Eight times the input takes eight times as long, with a logarithm for sorting eleven; the square of it 64. */
const MOST_GROWTH = 28;

/**
 * Processor time is that of all threads of this process, the collector's included. What that adds differs from one
 * attempt to the next; a square is there in each of them.
 */
const ATTEMPTS = 6;

/** What a call may take that ends at a bound of its own, on the slowest of machines; without the bound it is hours. */
const BOUND_MS = 30_000;

/** Processor time of the quickest of a few calls; a result or an `ImlError` are both fine. */
function costOf(name: string, args: readonly unknown[], times: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    const before = process.cpuUsage();
    try {
      functions[name]?.(ENVIRONMENT, ...args);
    } catch (error) {
      if (!(error instanceof ImlError)) throw error;
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    if (least < NEGLIGIBLE_MS / 10) break;
  }
  return least;
}

/** Costs at all sizes, the largest first: where that is negligible the others need not be known. */
function costsOf(name: string, make: ArgumentsOfSize): readonly number[] {
  const largest = costOf(name, make(8 * SMALLEST), 1);
  if (largest < NEGLIGIBLE_MS) return [];
  return SIZES.map((size) => costOf(name, make(size), 3));
}

/** Costs of the first attempt that grows as it may, or of the last. */
function leastCosts(name: string, make: ArgumentsOfSize): readonly number[] {
  let costs: readonly number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    costs = costsOf(name, make);
    if (growthIn(costs) < MOST_GROWTH) break;
  }
  return costs;
}

function growthIn(costs: readonly number[]): number {
  return (costs.at(-1) ?? 0) / Math.max(costs[0] ?? 0, NEGLIGIBLE_MS / MOST_GROWTH);
}

function describeCall(make: ArgumentsOfSize): string {
  return make(8)
    .map((argument) => JSON.stringify(argument)?.slice(0, 60))
    .join('; ');
}

describe('the cost of a built-in function', () => {
  it('is looked at for each of them', () => {
    expect(Object.keys(WORST_CALLS).sort()).toEqual(Object.keys(functions).sort());
  });

  it.each(Object.entries(WORST_CALLS))('%s grows with its input, not with its square', (name, calls) => {
    for (const make of calls) {
      const costs = leastCosts(name, make);
      const shown = `${describeCall(make)} took ${costs.map(Math.round).join(', ')} ms at sizes 1, 2, 4, 8`;
      expect(growthIn(costs), shown).toBeLessThan(MOST_GROWTH);
    }
  });

  it.each(Object.entries(BOUNDED_CALLS))('%s ends at its bound', (name, calls) => {
    for (const make of calls) {
      for (const size of [SMALLEST, 8 * SMALLEST]) {
        expect(costOf(name, make(size), 1), describeCall(make)).toBeLessThan(BOUND_MS);
      }
    }
  });
});
