import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  collectWarnings,
  MAX_JSON_DEPTH,
  MAX_WARNINGS,
  type Warning,
} from '../../src/engine/document/document.js';
import { findInJson, JsonIndex, readDocument } from '../../src/engine/document/jsonc.js';
import { SpecError } from '../../src/index.js';
import { positionAt } from '../../src/shared/errors/source-location.js';

const MAX_NAMES = 50_000;

const FILE = 'a.imljson';

function readValue(text: string): unknown {
  return readDocument(text, FILE).value;
}

function errorOf(text: string): SpecError {
  try {
    readDocument(text, FILE);
  } catch (error) {
    if (error instanceof SpecError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(text)} was read`);
}

function placeIn(text: string, pointer: string, offset?: number, part?: 'value' | 'key'): string {
  const place = readDocument(text, FILE).locationOf(pointer, offset, part);
  expect(place).toMatchObject({ file: FILE, pointer });
  return `${place.line}:${place.column}`;
}

describe('readDocument', () => {
  it.each([
    ['{"a": [1, -2.5e3, true, false, null, "x"]}', { a: [1, -2500, true, false, null, 'x'] }],
    ['[]', []],
    ['{}', {}],
    ['"text"', 'text'],
    ['0', 0],
    ['// first\n{ /* in */ "a": "http://x" // last\n}', { a: 'http://x' }],
    ['{"a": [1, 2,], "b": {"c": 1,},}', { a: [1, 2], b: { c: 1 } }],
    ['\uFEFF{"a":1}', { a: 1 }],
    ['{\r\n\t"a":\t1\r\n}', { a: 1 }],
    ['"\\u0041\\n\\"\\\\\\/"', 'A\n"\\/'],
    ['"\\ud83d\\ude00 \ud800"', '\u{1F600} \ud800'],
    ['[1e400, -0]', [Number.POSITIVE_INFINITY, -0]],
    ['/**/ 1 /* end */', 1],
  ])('reads %j', (text, value) => {
    expect(readValue(text)).toStrictEqual(value);
  });

  it('agrees with JSON.parse on JSON', () => {
    const text = JSON.stringify({
      a: [{ 'b/~"': '\u2028\ud800\n' }, [[]], {}, 1.5, null],
      '': { ' ': false },
    });
    expect(readValue(text)).toStrictEqual(JSON.parse(text));
  });

  it('reads names such as __proto__ as own members', () => {
    const value = readValue('{"__proto__": {"polluted": 1}, "constructor": 2, "toString": 3}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  it('keeps the last of duplicate names and reports its location', () => {
    const warnings: Warning[] = [];
    const document = readDocument('{"a": {"b": 1,\n "b": 2}}', FILE, collectWarnings(warnings));
    expect(document.value).toEqual({ a: { b: 2 } });
    expect(warnings).toMatchObject([
      { code: 'duplicate-key', place: { file: FILE, pointer: '/a/b', line: 2, column: 2 } },
    ]);
    expect(document.locationOf('/a/b')).toMatchObject({ line: 2, column: 7 });
  });

  it('limits the number of warnings about duplicate names', () => {
    const warnings: Warning[] = [];
    const text = `{${Array.from({ length: MAX_WARNINGS + 50 }, () => '"a":1').join(',')}}`;
    readDocument(text, FILE, collectWarnings(warnings));
    expect(warnings).toHaveLength(MAX_WARNINGS + 1);
    expect(warnings.at(-1)?.message).toContain('omitted');
  });
});

describe('readDocument on invalid JSON', () => {
  it.each([
    ['', 1, 1, 'Expected a value, found the end of the file.'],
    ['// only a comment', 1, 18, 'Expected a value'],
    ['[,]', 1, 2, 'Expected a value, found ,.'],
    ['{,}', 1, 2, 'Expected a name in double quotes, found ,.'],
    ['[1,,2]', 1, 4, 'Expected a value'],
    ['[1 2]', 1, 4, 'Expected "," or "]", found 2.'],
    ['{"a" 1}', 1, 6, 'Expected ":", found 1.'],
    ['{"a":}', 1, 6, 'Expected a value, found }.'],
    ['{"a":1 "b":2}', 1, 8, 'Expected "," or "}"'],
    ['{"a":1}\n{', 2, 1, 'Expected the end of the file, found {.'],
    ['{\n"a": [1', 2, 8, 'The array of line 2 is not closed.'],
    ['{a: 1}', 1, 2, 'found a'],
    ["{'a': 1}", 1, 2, 'double quotes'],
    ['{"a": "x', 1, 7, 'A text has no end'],
    ['{"a": "x\ny"}', 1, 7, 'A text has no end'],
    ['{"a":\n "x\\q"}', 2, 4, 'Unknown escape \\q'],
    ['"\\\\\\u00g1"', 1, 4, 'Unknown escape \\u00g1'],
    ['"a\tb"', 1, 3, 'control character \\u0009'],
    ['{"a": 1 /* c', 1, 9, 'A comment has no end'],
    ['01', 1, 2, 'Expected the end of the file'],
    ['1.', 1, 1, 'found 1.'],
    ['-', 1, 1, 'found -'],
    ['NaN', 1, 1, 'found NaN'],
    ['tru', 1, 1, 'found tru'],
    ['\u00a0{}', 1, 1, '\\u00a0'],
    ['{}\u0000', 1, 3, '\\u0000'],
    ['\uFEFF\uFEFF{}', 1, 1, '\\ufeff'],
    ['{1: 2}', 1, 2, 'a name in double quotes'],
    ['{"a"', 1, 5, 'Expected ":", found the end'],
    [']', 1, 1, 'Expected a value, found ].'],
    ['[}', 1, 2, 'Expected a value, found }.'],
  ])('rejects %j at %i:%i', (text, line, column, message) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ code: 'SPEC_JSON', place: { file: FILE, line, column } });
    expect(error.message).toContain(message);
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('enforces the exact nesting limit of %s', (open, close) => {
    const nested = (depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
    expect(() => readValue(nested(MAX_JSON_DEPTH - 1))).not.toThrow();
    expect(() => readValue(nested(MAX_JSON_DEPTH))).not.toThrow();
    expect(errorOf(nested(MAX_JSON_DEPTH + 1)).message).toContain(`deeper than ${MAX_JSON_DEPTH}`);
    expect(errorOf(open.repeat(1_000_000)).code).toBe('SPEC_JSON');
  });

  it('enforces the exact limit of names per object at any depth', () => {
    const wide = (names: number): string =>
      `{"a":[{${Array.from({ length: names }, (_, index) => `"n${index}":1`).join()}}]}`;
    expect(() => readValue(wide(MAX_NAMES))).not.toThrow();
    const error = errorOf(wide(MAX_NAMES + 1));
    expect(error).toMatchObject({ code: 'SPEC_INVALID', place: { file: FILE, line: 1 } });
    expect(error.message).toContain(`More than ${MAX_NAMES} names in one object.`);
  });

  it('accepts any number of consecutive comments', () => {
    expect(readValue(`${'//\n'.repeat(100_000)}1`)).toBe(1);
    expect(readValue(`${'/**/'.repeat(100_000)}1`)).toBe(1);
  });
});

describe('locationOf', () => {
  const text = '{\n  "a": [10, {"b/c~d": "x"}],\n  "e": 1 // end\n}';

  it.each([
    ['', '1:1'],
    ['/a', '2:8'],
    ['/a/0', '2:9'],
    ['/a/1', '2:13'],
    ['/a/1/b~1c~0d', '2:23'],
    ['/e', '3:8'],
  ])('finds the value at %j', (pointer, place) => {
    expect(placeIn(text, pointer)).toBe(place);
  });

  it('finds names', () => {
    expect(placeIn(text, '/a/1/b~1c~0d', undefined, 'key')).toBe('2:14');
    expect(placeIn(text, '/e', undefined, 'key')).toBe('3:3');
    expect(placeIn('{"ab": 1}', '/ab', 1, 'key')).toBe('1:4');
  });

  it('falls back to the nearest parent', () => {
    expect(placeIn(text, '/a/1/none/deeper')).toBe('2:13');
    expect(placeIn(text, '/a/7')).toBe('2:8');
    expect(placeIn(text, '/a/none', 3, 'key')).toBe('2:8');
    expect(placeIn(text, '/e/0')).toBe('3:8');
    expect(placeIn('[1]', '/0', undefined, 'key')).toBe('1:2');
  });

  it('maps an offset through the escapes of the text', () => {
    expect(placeIn('["ab"]', '/0', 1)).toBe('1:4');
    expect(placeIn('["\\n\\u0041b"]', '/0', 1)).toBe('1:5');
    expect(placeIn('["\\n\\u0041b"]', '/0', 2)).toBe('1:11');
    expect(placeIn('["ab"]', '/0', 99)).toBe('1:5');
    expect(placeIn('[12]', '/0', 1)).toBe('1:2');
  });

  it('ignores the byte order mark', () => {
    expect(placeIn('\uFEFF{"a": 1}', '/a')).toBe('1:7');
  });

  it('does not follow members of other objects', () => {
    expect(placeIn('{"x": {"a": 1}, "a": {"y": 2}}', '/a/y')).toBe('1:28');
    expect(placeIn('[[1, 2], [3, 4]]', '/1/0')).toBe('1:11');
    expect(placeIn('{"a": {"b": 1}, "a": {}}', '/a/b')).toBe('1:22');
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    'u0041',
    '1',
    '-',
    'e',
    'true',
    'null',
    '//',
    '/*',
    '*/',
    '\n',
    ' ',
    'a',
    '\u0000',
    '\ud800',
  );

  it('is parsed, or rejected with a location inside of it', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        try {
          readDocument(text, FILE).locationOf('/a/0', 1, 'key');
        } catch (error) {
          expect(error).toBeInstanceOf(SpecError);
          const { line = 0, column = 0 } = (error as SpecError).place ?? {};
          const lines = text.split(/\r\n|[\n\r]/);
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
        }
      }),
    );
  });

  it('has the value of the JSON text, whatever is between the tokens', () => {
    const between = fc.constantFrom('', ' ', '\n', '\t', '// {"x"\n', '/* ] */');
    fc.assert(
      fc.property(fc.jsonValue(), between, (value, filler) => {
        const json = JSON.stringify(value);
        expect(readValue(`${filler}${json}${filler}`)).toStrictEqual(JSON.parse(json));
        expect(readValue(JSON.stringify(value, null, 2))).toStrictEqual(JSON.parse(json));
      }),
    );
  });
});

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
