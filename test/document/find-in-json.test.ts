import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { findInJson, JsonIndex, readDocument } from '../../src/engine/document/jsonc.js';
import { positionAt } from '../../src/shared/errors/source-location.js';

interface Spot {
  readonly path: readonly string[];
  readonly offset: number;
  readonly keyOffset: number | undefined;
}

/** Writes JSON with random white space and comments between tokens, and records the offset of each value. */
class Writer {
  text = '';
  readonly spots: Spot[] = [];
  readonly #between: readonly string[];
  #written = 0;

  constructor(between: readonly string[]) {
    this.#between = between;
  }

  write(value: unknown, path: readonly string[] = [], keyOffset?: number): void {
    this.#space();
    this.spots.push({ path, offset: this.text.length, keyOffset });
    if (typeof value !== 'object' || value === null) this.text += JSON.stringify(value);
    else {
      const isList = Array.isArray(value);
      this.text += isList ? '[' : '{';
      for (const [index, [name, member]] of Object.entries(value).entries()) {
        if (index > 0) this.#put(',');
        this.#space();
        const at = isList ? undefined : this.text.length;
        if (!isList) {
          this.text += JSON.stringify(name);
          this.#put(':');
        }
        this.write(member, [...path, name], at);
      }
      this.#put(isList ? ']' : '}');
    }
    this.#space();
  }

  #put(token: string): void {
    this.#space();
    this.text += token;
  }

  #space(): void {
    this.text += this.#between[this.#written++ % this.#between.length] ?? '';
  }
}

const NAME = fc.oneof(
  fc.constantFrom('a', 'b', '0', '1', '"', '\\', '//', '{', '__proto__', ''),
  fc.string(),
);

const { tree: JSON_TREE } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(
      fc.string({ unit: fc.constantFrom('"', '\\', '/', '*', '{', ']', ',', ':', 'x', '\n') }),
      fc.integer(),
    ),
    fc.constantFrom(null, true, -1.5e-9),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(NAME, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const BETWEEN = fc.array(
  fc.constantFrom('', '', ' ', '\n', '\t', '\r\n', '/* "{] */', '// ",[\n', '/**/', '/***/', '// //\r'),
  { minLength: 1, maxLength: 6 },
);

describe('findInJson', () => {
  it('finds every value and name at its offset', () => {
    fc.assert(
      fc.property(JSON_TREE, BETWEEN, (value, between) => {
        const writer = new Writer(between);
        writer.write(value);
        const source = { text: writer.text, file: 'a.json' };
        readDocument(source.text, source.file);
        const index = new JsonIndex(source.text);
        for (const { path, offset, keyOffset } of writer.spots) {
          expect(findInJson(index, path)).toEqual({ offset, keyOffset, exact: true });
          expect(index.positionAt(offset)).toEqual(positionAt(source.text, offset));
          const beyond = findInJson(index, [...path, 'no such step']);
          expect(beyond).toEqual({ offset, keyOffset, exact: false });
        }
      }),
    );
  });

  it.each([
    ['{"a": {"b": 1}, "a": 2}', ['a', 'b'], { offset: 21, keyOffset: 16, exact: false }],
    ['{"a": 2, "a": {"b": 1}}', ['a', 'b'], { offset: 20, keyOffset: 15, exact: true }],
    ['{"\\u0061": [1, 2, ], }', ['a', '1'], { offset: 15, keyOffset: undefined, exact: true }],
    ['[[1], [2]]', ['01', '0'], { offset: 0, keyOffset: undefined, exact: false }],
    ['"a"', ['0'], { offset: 0, keyOffset: undefined, exact: false }],
  ])('finds in %s the path %j', (text, path, location) => {
    expect(findInJson(new JsonIndex(text), path)).toEqual(location);
  });

  it('finds offsets in a text in any order', () => {
    const index = new JsonIndex('["a\\n\\u0041b", "cd"]');
    const asked = [
      [1, 2],
      [1, 3],
      [1, 1],
      [16, 1],
      [1, 4],
    ] as const;
    expect(asked.map(([start, offset]) => index.offsetInString(start, offset))).toEqual([5, 11, 3, 18, 12]);
  });
});

describe('readDocument', () => {
  it('accepts a document that is one text, with locations in it', () => {
    const { locationOf } = readDocument('"text {{a.b}}"', 'a.json');
    expect(locationOf('', 7)).toEqual({ file: 'a.json', pointer: '', line: 1, column: 9 });
  });

  it('reads the file once for all locations', () => {
    const text = JSON.stringify(Array.from({ length: 300 }, (_, index) => ({ [`a${index}`]: index })));
    const { locationOf } = readDocument(text, 'a.json');
    locationOf('/0');
    // Each reading of the text reads each of its characters.
    const read = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      for (let index = 0; index < 300; index++) locationOf(`/${index}/a${index}`);
      expect(read.mock.calls.length).toBeLessThan(text.length);
    } finally {
      read.mockRestore();
    }
  });
});
