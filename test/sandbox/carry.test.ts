import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finishAtOnce } from '../../src/iml/values/work.js';
import { decodeValue, encodeValue } from '../../src/sandbox/codec.js';
import { Assembler, cutInPieces, type Piece } from '../../src/sandbox/thread/carry.js';

const MOST = 1_000_000;

function cut(value: unknown, most = MOST, maxDepth?: number): Piece[] {
  const pieces: Piece[] = [];
  finishAtOnce(cutInPieces(value, most, (piece) => pieces.push(piece), maxDepth));
  // As they come out of a port.
  return pieces.map((piece) => structuredClone(piece));
}

function assemble(pieces: readonly Piece[]): unknown {
  const assembler = new Assembler();
  const wholes = pieces.map((piece) => assembler.take(piece));
  expect(wholes.slice(0, -1).every((whole) => whole === undefined)).toBe(true);
  return wholes.at(-1)?.value;
}

/** What a custom function is given of a value. */
function throughCodec(value: unknown): unknown {
  const { text, bytes } = encodeValue(value, MOST);
  return decodeValue(text, bytes);
}

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.date({ noInvalidDate: false })),
    fc.constantFrom(
      null,
      undefined,
      -0,
      Number.NaN,
      () => 1,
      Symbol('s'),
      new Uint8Array([1, 2]),
      Buffer.from('ab'),
    ),
    fc.array(tie('value')),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'length')), tie('value')),
  ),
})).value;

describe('a value on its way to another thread', () => {
  it('arrives as it would in a custom function', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(isDeepStrictEqual(assemble(cut(value)), throughCodec(value))).toBe(true);
      }),
    );
  });

  it('goes in pieces that others need not wait for, whatever it is made of', () => {
    const list = Array.from({ length: 50_000 }, (_, id) => ({ id, name: `n${id}` }));
    const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(50_000));
    for (const value of [list, texts, { list: [[list]], texts }]) {
      const pieces = cut(value, 10_000_000);
      expect(pieces.length).toBeGreaterThan(5);
      for (const { values: held, marks } of pieces) {
        expect(held.length).toBeLessThan(8000);
        expect(marks.length).toBeLessThan(8000);
        const characters = held.filter((one) => typeof one === 'string').join('').length;
        expect(characters).toBeLessThan(250_000);
      }
      expect(assemble(pieces)).toEqual(value);
    }
  });

  it('takes along nothing of the memory that a part of bytes stands in', () => {
    const part = Buffer.from('a'.repeat(1000)).subarray(10, 12);
    const [bytes] = cut(part).flatMap(({ values: held }) => held);
    expect((bytes as Uint8Array).buffer.byteLength).toBe(2);
  });

  it.each<[string, () => unknown, string]>([
    [
      'holds itself',
      () => {
        const list: unknown[] = [];
        list.push(list);
        return list;
      },
      'IML_FUNCTION',
    ],
    ['nests too deeply', () => Array.from({ length: 300 }).reduce((inner) => [inner], 1), 'IML_FUNCTION'],
    ['is too large', () => 'x'.repeat(MOST), 'IML_LIMIT'],
    [
      'unfolds to too much',
      () => Array.from({ length: 40 }).reduce((inner) => [inner, inner], 1),
      'IML_LIMIT',
    ],
    [
      'throws where it is read',
      () => ({
        get broken() {
          throw new Error('no');
        },
      }),
      'IML_HOST_VALUE',
    ],
  ])('is refused as in a custom function where it %s', (_what, make, code) => {
    const refusal = (give: (value: unknown) => unknown): unknown => {
      try {
        return give(make());
      } catch (error) {
        return { code: (error as { code: string }).code, message: (error as Error).message };
      }
    };
    const expected = refusal(throughCodec);
    expect(expected).toMatchObject({ code });
    expect(refusal((value) => cut(value))).toEqual(expected);
  });
});
