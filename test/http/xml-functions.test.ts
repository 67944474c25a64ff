import { describe, expect, it } from 'vitest';
import { XML_FUNCTIONS } from '../../src/engine/http/body/xml.js';
import { cpuMsOf } from '../cpu-time.js';
import { ENVIRONMENT } from '../language/functions/call-function.js';

const call = (name: string, value: unknown): unknown => XML_FUNCTIONS[name]?.(ENVIRONMENT, value);

describe('the run time', () => {
  const SMALLEST = 4096;
  /** Eight times the input takes eight times as long if linear, 64 times if quadratic. */
  const MOST_GROWTH = 28;

  const TEXTS: Readonly<Record<string, (count: number) => unknown>> = {
    text: (count) => `<r>${'a'.repeat(count)}</r>`,
    elements: (count) => `<r>${'<a/>'.repeat(count)}</r>`,
    attributes: (count) => `<r>${'<a b=""/>'.repeat(count)}</r>`,
    marks: (count) => `<r>${'&amp;]'.repeat(count)}</r>`,
    comments: (count) => `<r>${'<!--- -->'.repeat(count)}</r>`,
    open: (count) => `<r>${'<'.repeat(count)}`,
    prolog: (count) => `${' '.repeat(count)}<!DOCTYPE a [${'<!--'.repeat(count)}`,
  };
  const DOCUMENTS: Readonly<Record<string, (count: number) => unknown>> = {
    list: (count) => ({ r: { a: Array.from({ length: count }, () => '&') } }),
    members: (count) => ({
      r: Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index])),
    }),
    text: (count) => ({ r: '<a>'.repeat(count) }),
    roots: (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index])),
  };
  const CASES = [
    ...Object.entries(TEXTS).map(([title, make]) => ['parseXML', title, make] as const),
    ...Object.entries(DOCUMENTS).map(([title, make]) => ['createXML', title, make] as const),
  ];

  it.each(CASES)('of %s grows linearly with its input: %s', { retry: 3 }, async (name, _title, make) => {
    const costOf = async (count: number): Promise<number> => {
      const value = make(count);
      let least = Number.POSITIVE_INFINITY;
      for (let time = 0; time < 3; time++) {
        const took = await cpuMsOf(() => {
          try {
            call(name, value);
          } catch {
            // Rejected input takes time too.
          }
        });
        least = Math.min(least, took);
      }
      return least;
    };
    const [small, large] = [await costOf(SMALLEST), await costOf(8 * SMALLEST)];
    expect(large / Math.max(small, 2)).toBeLessThan(MOST_GROWTH);
  });
});
