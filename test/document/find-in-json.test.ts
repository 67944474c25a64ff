import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInJson } from '../../src/document/reading/find-in-json.js';
import { readDocument } from '../../src/document/reading/jsonc.js';

interface Spot {
  readonly path: readonly string[];
  readonly offset: number;
  readonly keyOffset: number | undefined;
}

/** Writes JSON with what may stand between its tokens, and notes where each value begins. */
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
  it('finds every value and name where it was written', () => {
    fc.assert(
      fc.property(JSON_TREE, BETWEEN, (value, between) => {
        const writer = new Writer(between);
        writer.write(value);
        const source = { text: writer.text, file: 'a.json' };
        readDocument(source.text, source.file);
        for (const { path, offset, keyOffset } of writer.spots) {
          expect(findInJson(source, path)).toEqual({ offset, keyOffset, exact: true });
          const beyond = findInJson(source, [...path, 'no such step']);
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
    expect(findInJson({ text, file: 'a.json' }, path)).toEqual(location);
  });
});
