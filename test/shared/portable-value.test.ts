import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPortable, toPortable } from '../../src/index.js';
import { createCaseless } from '../../src/language/values/value.js';

const throughJson = (value: unknown): unknown => fromPortable(JSON.parse(JSON.stringify(toPortable(value))));

describe('toPortable and fromPortable', () => {
  it('restore dates and bytes for any member names', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
      fc.uint8Array(),
    );
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('$date', '$bytes', '$value', '__proto__', 'constructor'),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('value')), fc.dictionary(name, tie('value'))),
    }));
    fc.assert(
      fc.property(value, (given) => {
        expect(throughJson(given)).toEqual(given);
      }),
    );
  });

  it('keep members of headers, which are looked up case-insensitively', () => {
    const headers = createCaseless([['X-Cursor', 'c 1']]);
    expect(throughJson({ item: { headers } })).toEqual({ item: { headers: { 'x-cursor': 'c 1' } } });
  });

  it('lose only values that JSON cannot represent', () => {
    const given = {
      a: undefined,
      b: () => 1,
      c: Number.NaN,
      d: new Date(Number.NaN),
      e: [undefined, 1],
      f: 2,
    };
    expect(throughJson(given)).toEqual({ e: [null, 1], f: 2 });
  });

  it('truncate deep nesting', () => {
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    expect(() => throughJson(endless)).not.toThrow();
  });
});
