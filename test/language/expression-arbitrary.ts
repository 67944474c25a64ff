import fc from 'fast-check';

/** An expression as a tree, independent of its spelling. */
export type Shape =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'member'; readonly object: Shape; readonly segment: string }
  | { readonly kind: 'index'; readonly object: Shape; readonly index: Shape | undefined }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly (Shape | undefined)[] }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Shape }
  | { readonly kind: 'list'; readonly items: readonly Shape[] }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Shape; readonly right: Shape };

const KEYWORDS = [
  'true',
  'false',
  'null',
  'erase',
  'ignore',
  'emptystring',
  'emptyarray',
  'space',
  'newline',
];
const NAMES = [
  'a',
  'b',
  'list',
  'object',
  'text',
  'date',
  'missing',
  'undefined',
  'now',
  'pi',
  'constructor',
  'ščř_$1',
];
const QUOTED = ['`a b`', '`__proto__`', '`now`', '`true`', '``', '`2`', '`x.y`'];
const SEGMENTS = [
  'a',
  'b',
  'name',
  'length',
  'toString',
  '__proto__',
  'true',
  '1',
  '2',
  '0',
  '`a b`',
  '`-1`',
  '`2`',
];
const BINARY = ['+', '++', '-', '*', '/', '%', '=', '!=', '<', '<=', '>', '>=', '&', '|'];
const TEXTS = [
  '',
  'a',
  '10',
  '-1.5',
  "it's",
  '"',
  '\\',
  '\\d+',
  'a\nb\tc\r',
  '}}',
  '{{',
  '2024-03-05',
  '🦊',
  'name',
];

/** Operators with several spellings. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '=': ['=', '==', '==='],
  '!=': ['!=', '!=='],
  '&': ['&', '&&'],
  '|': ['|', '||'],
};

/** The functions of the tests, `if`, `ifempty`, and an unknown function. */
const CALLED = ['if', 'ifempty', 'same', 'count', 'fail', 'unknown'];

/** Shapes with calls of these functions. */
export function shapesCalling(called: readonly string[]): fc.Arbitrary<Shape> {
  return fc.letrec<{ shape: Shape }>((tie) => ({
    shape: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...TEXTS).map((value): Shape => ({ kind: 'text', value })),
      fc
        .constantFrom('0', '1', '2', '3', '50', '1.5', '007', '0.1')
        .map((digits): Shape => ({ kind: 'number', digits })),
      fc.constantFrom(...KEYWORDS, ...NAMES, ...QUOTED).map((word): Shape => ({ kind: 'word', word })),
      fc.constantFrom('1.name', '7.`a b`', '7.`2`').map((word): Shape => ({ kind: 'word', word })),
      fc.record({
        kind: fc.constant('member' as const),
        object: tie('shape'),
        segment: fc.constantFrom(...SEGMENTS),
      }),
      fc.record({
        kind: fc.constant('index' as const),
        object: tie('shape'),
        index: fc.option(tie('shape'), { nil: undefined }),
      }),
      fc.record({
        kind: fc.constant('call' as const),
        name: fc.constantFrom(...called),
        args: fc
          .array(fc.option(tie('shape'), { nil: undefined, freq: 9 }), { maxLength: 4 })
          // `f()` has no argument: a single empty argument has no spelling.
          .filter((args) => args.length !== 1 || args[0] !== undefined),
      }),
      fc.record({ kind: fc.constant('list' as const), items: fc.array(tie('shape'), { maxLength: 2 }) }),
      fc.record({
        kind: fc.constant('unary' as const),
        operator: fc.constantFrom('!', '-'),
        operand: tie('shape'),
      }),
      fc.record({
        kind: fc.constant('binary' as const),
        operator: fc.constantFrom(...BINARY),
        left: tie('shape'),
        right: tie('shape'),
      }),
    ),
  })).shape;
}

export const shapes: fc.Arbitrary<Shape> = shapesCalling(CALLED);

/** Chooses the spelling of a shape: returns a number from 0 (inclusive) to `count` (exclusive). */
export type Choose = (count: number) => number;

/** Always the first choice: no white space, no redundant parentheses, the shortest alias. */
export const plainly: Choose = () => 0;

/** Choices from a list of numbers, repeated. */
export function choices(numbers: readonly number[]): Choose {
  let next = 0;
  return (count) => (numbers.length === 0 ? 0 : (numbers[next++ % numbers.length] ?? 0) % count);
}

const SPACES = ['', ' ', '\n', ' \t ', '\r\n', '\u00a0', '\u2003'];

/** Writes a shape as source text. All spellings have the same tree. */
export function write(shape: Shape, choose: Choose): string {
  const space = (): string => SPACES[choose(SPACES.length)] ?? '';
  const inside = (inner: Shape): string => `${space()}${write(inner, choose)}${space()}`;
  const grouped = (inner: Shape, needsBrackets: boolean): string =>
    needsBrackets || choose(4) === 3 ? `(${inside(inner)})` : write(inner, choose);
  const isOperation = (inner: Shape): boolean => inner.kind === 'unary' || inner.kind === 'binary';
  switch (shape.kind) {
    case 'text':
      return quote(shape.value, choose(2) === 0 ? "'" : '"');
    case 'number':
      return shape.digits;
    case 'word':
      return shape.word;
    case 'member': {
      const object = grouped(shape.object, isOperation(shape.object) || shape.object.kind === 'number');
      return `${object}${space()}.${space()}${shape.segment}`;
    }
    case 'index': {
      const object = grouped(shape.object, isOperation(shape.object));
      const index = shape.index === undefined ? space() : inside(shape.index);
      const isBraced = shape.index !== undefined && choose(4) === 3;
      return `${object}${space()}[${isBraced ? `${space()}{{${index}}}${space()}` : index}]`;
    }
    case 'list':
      return `[${shape.items.map(inside).join(choose(2) === 0 ? ',' : ';')}${space()}]`;
    case 'call': {
      const separator = (): string => (choose(2) === 0 ? ',' : ';');
      const args = shape.args.map((arg) => (arg === undefined ? space() : inside(arg)));
      const list = args.reduce((text, arg, index) => text + (index === 0 ? '' : separator()) + arg, '');
      return `${shape.name}${space()}(${list})`;
    }
    case 'unary':
      return `${shape.operator}${space()}${grouped(shape.operand, shape.operand.kind === 'binary')}`;
    case 'binary': {
      const aliases = ALIASES[shape.operator] ?? [shape.operator];
      const operator = aliases[choose(aliases.length)] ?? shape.operator;
      const side = (inner: Shape): string => grouped(inner, inner.kind === 'binary');
      return `${side(shape.left)}${space()}${operator}${space()}${side(shape.right)}`;
    }
  }
}

function quote(value: string, mark: string): string {
  return mark + value.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`) + mark;
}
