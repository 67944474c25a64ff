import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseJsonInTurns } from '../../src/http/body/json-in-turns.js';
import { Turns } from '../../src/util/turns.js';

const read = (text: string, pieceBytes?: number) =>
  parseJsonInTurns(Buffer.from(text), new Turns(() => {}), pieceBytes);

/** Turns that are over at each look; `onNext` is told of the end of each. */
class ShortTurns extends Turns {
  readonly #onNext: () => void;

  constructor(onNext: () => void) {
    super();
    this.#onNext = onNext;
  }

  override get isOver(): boolean {
    return true;
  }

  override next(): Promise<void> {
    this.#onNext();
    return Promise.resolve();
  }
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

describe('what is read in one turn', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    ['lists that end at once', `${(`[${'1,'.repeat(60)}`).repeat(900)}1${']'.repeat(900)}`],
    ['short lists in lists', `${(`[${'1,'.repeat(10)}`).repeat(900)}1${']'.repeat(900)}`],
    ['collections that end at once', `${`{"a":"${'x'.repeat(100)}","b":`.repeat(900)}1${'}'.repeat(900)}`],
    ['one list', `[${'1,'.repeat(60_000)}1]`],
    ['one text', `"${'x'.repeat(100_000)}"`],
  ])('is in proportion to a piece: %s', async (_name, text) => {
    const parse = JSON.parse;
    let bytes = 0;
    let most = 0;
    vi.spyOn(JSON, 'parse').mockImplementation((piece: string) => {
      bytes += piece.length;
      return parse(piece);
    });
    const turns = new ShortTurns(() => {
      most = Math.max(most, bytes);
      bytes = 0;
    });
    const result = await parseJsonInTurns(Buffer.from(text), turns, 128);
    expect(Math.max(most, bytes)).toBeLessThan(8 * 128);
    expect(result.ok && JSON.stringify(result.value)).toBe(text);
  });
});

describe('JSON read in turns', () => {
  it('is what JSON.parse reads, however small the pieces', async () => {
    const unit = fc.constantFrom('a', '"', '\\', 'u', '\n', 'ä', '€', '🦊', '\ud800', '\u0000');
    const text = fc.string({ unit, maxLength: 40 });
    const values = fc.oneof(
      ...[fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())],
      ...[fc.array(text), fc.dictionary(text, text), text],
    );
    const indents = fc.constantFrom(undefined, 1, '\t');
    await fc.assert(
      fc.asyncProperty(
        values,
        indents,
        fc.integer({ min: 1, max: 40 }),
        async (value, indent, pieceBytes) => {
          // As it is sent: a lone surrogate is not.
          const written = Buffer.from(JSON.stringify(value, null, indent)).toString();
          expect(await read(written, pieceBytes)).toEqual({ ok: true, value: JSON.parse(written) });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is refused where JSON.parse refuses it: texts with a character changed, taken out or put in', async () => {
    const character = fc.constantFrom(...'[]{},:"\\ 0atnu-.\n\v\u0001');
    const edit = fc.record({
      at: fc.nat(),
      take: fc.nat({ max: 2 }),
      put: fc.string({ unit: character, maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        edit,
        fc.integer({ min: 1, max: 20 }),
        async (value, e, size) => {
          const text = JSON.stringify(value);
          const at = e.at % (text.length + 1);
          const changed = text.slice(0, at) + e.put + text.slice(at + e.take);
          const expected = changed.trim() === '' ? { value: undefined } : parsed(changed);
          const result = await read(changed, size);
          expect(result.ok ? { value: result.value } : undefined).toEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{"a":[1,2,],"b":1}'],
    ['{"a":[,1],"b":1}'],
    ['[[1,2,3] 4]'],
    ['[[1,2,3],,4]'],
    ['{"a" 1:[1,2,3]}'],
    ['{[1,2,3]:1}'],
    ['{"a":"b":[1,2,3]}'],
    ['[1,2]]'],
    ['[1,2][3]'],
    ['[1,2}'],
    ['[1,2'],
    ['["a'],
    ['[1] x'],
    ['["abcdef" "ghijkl"]'],
    ['["abcdef" 1]'],
    ['{"a":"abcdef" "b":1}'],
    ['{"a":"b":"abcdef"}'],
    ['["ab\\x"]'],
    ['["abcdef'],
    ['"abcdef'],
    ['"abcdef" "g"'],
    ['\u0001[1]'],
    ['[[1,2,3]\v]'],
  ])('refuses %s', async (text) => {
    expect(parsed(text)).toBeUndefined();
    expect(await read(text, 1)).toMatchObject({ ok: false });
  });

  it('reads a text of invalid UTF-8 as a whole one, wherever it is cut', async () => {
    // Bytes that begin or go on with a character, more often than chance has them.
    const byte = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0x80, 0xbf, 0xc2, 0xe2, 0xf0, 0x61),
    );
    const bytes = fc.array(byte, { minLength: 1, maxLength: 30 }).map((list) => Uint8Array.from(list));
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 9 }), async (raw, pieceBytes) => {
        const inner = raw.filter((byte) => byte >= 0x20 && byte !== 0x22 && byte !== 0x5c);
        const body = Buffer.concat([Buffer.from('["'), inner, Buffer.from('"]')]);
        const result = await parseJsonInTurns(body, new Turns(() => {}), pieceBytes);
        expect(result).toEqual({ ok: true, value: JSON.parse(body.toString()) });
      }),
      { numRuns: 1000, examples: [[Uint8Array.of(0xc2, 0x80, 0x80, 0x80, 0x80), 1]] },
    );
  });

  it('takes the last of members with one name, and __proto__ as a name', async () => {
    const text = '{"a":[1,2,3],"b":2,"a":{"c":[4,5]},"__proto__":[6,7],"b":3}';
    const result = await read(text, 1);
    expect(result.ok && JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('shows nothing of the text in a message', async () => {
    const result = await read(`{"a":["hush-1-token" "hush-2"],"b":${'1'.repeat(50)}}`, 4);
    expect(result).toMatchObject({ ok: false, message: expect.not.stringContaining('hush') });
  });

  it.each([['12'], [' true '], ['null'], ['nul'], ['1 2'], ['<p>'], ['-'], ['1[2]'], ['[1]2']])(
    'reads %s as a small one',
    async (text) => {
      const padded = `${' '.repeat(70_000)}${text}${' '.repeat(70_000)}`;
      const expected = parsed(padded);
      const result = await read(padded);
      expect(result.ok ? { value: result.value } : undefined).toEqual(expected);
    },
  );

  it('refuses a number of very many digits', async () => {
    expect(await read('1'.repeat(100_000))).toMatchObject({ ok: false });
  });

  it('ends at 10000 levels', async () => {
    expect(await read('['.repeat(20_000) + ']'.repeat(20_000))).toEqual({
      ok: false,
      message: 'more than 10000 levels',
    });
  });
});
