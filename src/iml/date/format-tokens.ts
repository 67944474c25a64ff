import { limitError } from '../../errors/iml-error.js';

/** A piece of a date format: something to fill in, or text to copy. */
export interface FormatToken {
  readonly kind: 'token' | 'literal';
  readonly text: string;
}

/** Longest format, in UTF-16 units: far above any in use, so that one from data stays cheap. */
const MAX_FORMAT_LENGTH = 10_000;

/**
 * Every token, the longest spelling first among those that begin alike.
 * Source: https://help.make.com/tokens-for-datetime-formatting [doc]; those not listed there (`Hmm`, `N`, `y`, `e`, `z`, ...) are
 * moment's. [inf]
 */
const TOKENS_BY_LETTER: Readonly<Record<string, readonly string[]>> = {
  A: ['A'],
  a: ['a'],
  D: ['DDDo', 'DDDD', 'DDD', 'DD', 'Do', 'D'],
  d: ['dddd', 'ddd', 'dd', 'do', 'd'],
  E: ['E'],
  e: ['eHHmm', 'e'],
  G: ['GGGGG', 'GGGG', 'GG'],
  g: ['ggggg', 'gggg', 'gg'],
  H: ['Hmmss', 'Hmm', 'HH', 'H'],
  h: ['hmmss', 'hmm', 'hh', 'h'],
  k: ['kk', 'k'],
  M: ['MMMM', 'MMM', 'MM', 'Mo', 'M'],
  m: ['mm', 'm'],
  N: ['NNNNN', 'NNNN', 'NNN', 'NN', 'N'],
  Q: ['Qo', 'Q'],
  S: ['SSSSSSSSS', 'SSSSSSSS', 'SSSSSSS', 'SSSSSS', 'SSSSS', 'SSSS', 'SSS', 'SS', 'S'],
  s: ['ss', 's'],
  W: ['WW', 'Wo', 'W'],
  w: ['ww', 'wo', 'w'],
  X: ['X'],
  x: ['x'],
  Y: ['YYYYYY', 'YYYYY', 'YYYY', 'YY', 'Y'],
  y: ['yyyy', 'yyy', 'yy', 'yo', 'y'],
  Z: ['ZZ', 'Z'],
  z: ['zz', 'z'],
};

/** Formats that stand for longer ones. */
const LONG_FORMATS: ReadonlyMap<string, string> = new Map([
  ['LT', 'h:mm A'],
  ['LTS', 'h:mm:ss A'],
  ['L', 'MM/DD/YYYY'],
  ['LL', 'MMMM D, YYYY'],
  ['LLL', 'MMMM D, YYYY h:mm A'],
  ['LLLL', 'dddd, MMMM D, YYYY h:mm A'],
  ['l', 'M/D/YYYY'],
  ['ll', 'MMM D, YYYY'],
  ['lll', 'MMM D, YYYY h:mm A'],
  ['llll', 'ddd, MMM D, YYYY h:mm A'],
]);

const LONG_FORMAT = /\[[^[]*\]|\\?(?:LTS?|L{1,4}|l{1,4})/g;
const LINE_BREAK = /[\n\r\u2028\u2029]/;

/**
 * Cuts a format into tokens and text to copy, in time linear in its length.
 * `[...]` and a token behind `\` are copied. Line breaks outside brackets are dropped, as moment drops them.
 * @throws IML_LIMIT for a format longer than `MAX_FORMAT_LENGTH`.
 */
export function tokenizeFormat(format: string): readonly FormatToken[] {
  if (format.length > MAX_FORMAT_LENGTH) {
    throw limitError(`The date format is longer than ${MAX_FORMAT_LENGTH} characters.`);
  }
  const expanded = format.replace(LONG_FORMAT, (found) => LONG_FORMATS.get(found) ?? found);
  const tokens: FormatToken[] = [];
  let literal = '';
  let offset = 0;
  while (offset < expanded.length) {
    const piece = readPiece(expanded, offset);
    offset += piece.length;
    if (piece.kind === 'literal') {
      literal += piece.text;
      continue;
    }
    if (literal !== '') tokens.push({ kind: 'literal', text: literal });
    literal = '';
    tokens.push({ kind: 'token', text: piece.text });
  }
  if (literal !== '') tokens.push({ kind: 'literal', text: literal });
  return tokens;
}

interface Piece extends FormatToken {
  /** Units of the format it takes up. */
  readonly length: number;
}

function readPiece(format: string, offset: number): Piece {
  const first = format[offset] ?? '';
  if (first === '[') return readBracket(format, offset);
  if (first === '\\') return readEscape(format, offset);
  if (LINE_BREAK.test(first)) return { kind: 'literal', text: '', length: 1 };
  const token = tokenAt(format, offset);
  if (token === undefined) return { kind: 'literal', text: first, length: 1 };
  // In moment `w|` and `W|` are tokens without a meaning, so they are copied.
  if ((token === 'w' || token === 'W') && format[offset + 1] === '|') {
    return { kind: 'literal', text: `${token}|`, length: 2 };
  }
  return { kind: 'token', text: token, length: token.length };
}

/** A bracket closes at the last `]` before the next `[`; one that never closes is copied. */
function readBracket(format: string, offset: number): Piece {
  const next = format.indexOf('[', offset + 1);
  const end = format.slice(offset, next < 0 ? format.length : next).lastIndexOf(']');
  if (end < 0) return { kind: 'literal', text: '[', length: 1 };
  return { kind: 'literal', text: format.slice(offset + 1, offset + end), length: end + 1 };
}

function readEscape(format: string, offset: number): Piece {
  const next = format[offset + 1];
  if (next === undefined || LINE_BREAK.test(next)) return { kind: 'literal', text: '', length: 1 };
  if (next === '\\') return { kind: 'literal', text: '', length: 2 };
  const token = next === 'e' ? next : (tokenAt(format, offset + 1) ?? next);
  return { kind: 'literal', text: token, length: token.length + 1 };
}

function tokenAt(format: string, offset: number): string | undefined {
  const letter = format[offset] ?? '';
  const candidates = Object.hasOwn(TOKENS_BY_LETTER, letter) ? TOKENS_BY_LETTER[letter] : undefined;
  return candidates?.find((token) => format.startsWith(token, offset));
}
