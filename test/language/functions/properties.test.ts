import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { functions, ImlError } from '../../../src/language/index.js';
import { callFunction, ENVIRONMENT } from './call-function.js';

const CASES = Object.entries(functions);

const hostileName = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'toJSON',
  'then',
  'length',
  'a.b',
  '/a/g',
  'desc',
  'hex',
);
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  hostileName,
  fc.double(),
  fc.integer({ min: -5, max: 5 }),
  fc.anything({
    withDate: true,
    withTypedArray: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withBigInt: true,
    key: fc.oneof(hostileName, fc.string()),
  }),
  fc.array(fc.dictionary(fc.oneof(hostileName, fc.string()), fc.anything()), { maxLength: 4 }),
);
const args = fc.array(value, { maxLength: 5 });

describe.each(CASES)('%s', (_, run) => {
  it('throws only ImlError and does not modify its arguments', () => {
    fc.assert(
      fc.property(args, (values) => {
        const before = fc.stringify(values);
        try {
          run(ENVIRONMENT, ...values);
        } catch (error) {
          if (!(error instanceof ImlError)) throw error;
        }
        expect(fc.stringify(values)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });
});

describe('properties of functions', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const call = callFunction;

  it('createJSON has the result of JSON.stringify', () => {
    fc.assert(
      fc.property(json, (data) => {
        expect(call('createJSON', data)).toBe(JSON.stringify(data));
      }),
    );
  });
  it('decodeURL is the inverse of encodeURL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(call('encodeURL', text)).toBe(encodeURIComponent(text));
        expect(call('decodeURL', call('encodeURL', text))).toBe(text);
      }),
    );
  });
  it('join is the inverse of split with documented semantics', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, separator) => {
        const parts = functions['split']?.({ ...ENVIRONMENT, semantics: 'documented' }, text, separator);
        expect(call('join', parts, separator)).toBe(text);
      }),
    );
  });
  it('distinct is idempotent and returns only items of the array', () => {
    fc.assert(
      fc.property(fc.array(json), (list) => {
        const kept = call('distinct', list) as unknown[];
        expect(call('distinct', kept)).toEqual(kept);
        expect(call('arrayDiff', kept, list)).toEqual([]);
      }),
    );
  });
  it('sort is idempotent and keeps all items', () => {
    fc.assert(
      fc.property(fc.array(json), (list) => {
        const sorted = call('sort', list);
        expect(call('arrayDiff', list, sorted)).toEqual([]);
        expect(call('length', sorted)).toBe(list.length);
        expect(call('sort', sorted)).toEqual(sorted);
      }),
    );
  });
  it('parseNumber is the inverse of formatNumber', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e12, max: 1e12 }),
        fc.integer({ min: 0, max: 6 }),
        (number, decimals) => {
          const value = number / 10 ** decimals;
          const text = call('formatNumber', value, decimals);
          expect(call('parseNumber', text, ',')).toBeCloseTo(value, 6);
        },
      ),
    );
  });
});
