import { describe, expect, it } from 'vitest';
import { functions, ImlError } from '../../../src/language/index.js';
import { ENVIRONMENT } from './call-function.js';
import { type ArgumentsOfSize, BOUNDED_CALLS, WORST_CALLS } from './growth-inputs.js';

const SMALLEST = 4096;
const SIZES: readonly number[] = [SMALLEST, 2 * SMALLEST, 4 * SMALLEST, 8 * SMALLEST];

/** Shorter times are dominated by noise. */
const NEGLIGIBLE_MS = 30;

/** Limit of the growth for eight times the input: linear time grows by 8, sorting by 11, quadratic time by 64. */
const MAX_GROWTH = 28;

/** Attempts per call: CPU time includes garbage collection, which varies, while quadratic growth shows in each attempt. */
const ATTEMPTS = 6;

/** Time limit of a call with a bounded cost on a slow machine; without the bound it would take hours. */
const BOUND_MS = 30_000;

/** Returns the CPU time of the fastest of several calls, in milliseconds. The call may throw an `ImlError`. */
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

/** Returns the costs at all sizes; empty if the cost of the largest size is negligible. */
function costsOf(name: string, make: ArgumentsOfSize): readonly number[] {
  const largest = costOf(name, make(8 * SMALLEST), 1);
  if (largest < NEGLIGIBLE_MS) return [];
  return SIZES.map((size) => costOf(name, make(size), 3));
}

/** Returns the costs of the first attempt within the limit, or of the last attempt. */
function leastCosts(name: string, make: ArgumentsOfSize): readonly number[] {
  let costs: readonly number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    costs = costsOf(name, make);
    if (growthIn(costs) < MAX_GROWTH) break;
  }
  return costs;
}

function growthIn(costs: readonly number[]): number {
  return (costs.at(-1) ?? 0) / Math.max(costs[0] ?? 0, NEGLIGIBLE_MS / MAX_GROWTH);
}

function describeCall(make: ArgumentsOfSize): string {
  return make(8)
    .map((argument) => JSON.stringify(argument)?.slice(0, 60))
    .join('; ');
}

describe('the cost of a built-in function', () => {
  it.each(Object.entries(WORST_CALLS))('of %s is not quadratic', (name, calls) => {
    for (const make of calls) {
      const costs = leastCosts(name, make);
      const shown = `${describeCall(make)} took ${costs.map(Math.round).join(', ')} ms at sizes 1, 2, 4, 8`;
      expect(growthIn(costs), shown).toBeLessThan(MAX_GROWTH);
    }
  });

  it.each(Object.entries(BOUNDED_CALLS))('of %s is bounded', (name, calls) => {
    for (const make of calls) {
      for (const size of [SMALLEST, 8 * SMALLEST]) {
        expect(costOf(name, make(size), 1), describeCall(make)).toBeLessThan(BOUND_MS);
      }
    }
  });
});
