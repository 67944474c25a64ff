import fc from 'fast-check';

/** Characters with special case folding, surrogates, line terminators and word characters. */
const CHARACTERS = [
  'a',
  'b',
  'A',
  'B',
  '1',
  ' ',
  '_',
  '-',
  '\n',
  '\u2028',
  'k',
  'K',
  '\u212a',
  's',
  'ſ',
  'é',
  'É',
  'ß',
  '😀',
  '\ud83d',
  '\ude00',
];

const NON_SYNTAX = CHARACTERS.filter((character) => character !== '-');

const ATOMS = [
  '.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\n',
  '\\x61',
  '\\u0041',
  '[ab]',
  '[^ab]',
  '[a-z]',
  '[^\\w]',
  '[\\s\\S]',
  '[\\da]',
  '[]',
  '[^]',
];
const LEGACY_ATOMS = [
  '\\07',
  '\\c',
  '\\cA',
  '[\\c]',
  '{',
  '}',
  ']',
  '\\-',
  '\\k',
  '\\u{61}',
  '[\\w-b]',
  '\\8',
  'x{',
  'b{,2}',
  '\\xa',
];
const UNICODE_ATOMS = [
  '\\u{1f600}',
  '\\ud83d\\ude00',
  '\\p{L}',
  '\\P{Lu}',
  '[\\p{Lu}😀]',
  '[^😀]',
  '\\u{61}',
  '\\/',
];
const ASSERTIONS = ['^', '$', '\\b', '\\B'];
const QUANTIFIERS = ['*', '+', '?', '{2}', '{0}', '{1,}', '{0,2}', '{1,3}', '{2,3}'];

/** Short texts of the characters that occur in patterns. */
export const texts: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b', 'A') }, fc.constantFrom(...CHARACTERS)), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

/** Flags in any order, each at most once. */
export const flagLists: fc.Arbitrary<string> = fc
  .subarray(['g', 'i', 'm', 's', 'y', 'd'])
  .map((letters) => letters.join(''));

export const replacements: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      'x',
      '$',
      '$$',
      '$&',
      '$`',
      "$'",
      '$1',
      '$2',
      '$3',
      '$0',
      '$01',
      '$10',
      '$00',
      '<',
      '>',
      '0',
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

export interface PatternOptions {
  /** Whether to use the atoms of flag `u` or those of Annex B. */
  readonly unicode: boolean;
  readonly backreferences: boolean;
}

/** Patterns with every construct except named groups. Most are valid. */
export function patterns({ unicode, backreferences }: PatternOptions): fc.Arbitrary<string> {
  const atoms = [...ATOMS, ...(unicode ? UNICODE_ATOMS : LEGACY_ATOMS)];
  const { disjunction } = fc.letrec<Record<'disjunction' | 'sequence' | 'term' | 'atom' | 'group', string>>(
    (tie) => ({
      disjunction: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        { weight: 3, arbitrary: tie('sequence') },
        fc.array(tie('sequence'), { minLength: 2, maxLength: 3 }).map((items) => items.join('|')),
      ),
      sequence: fc.array(tie('term'), { maxLength: 4 }).map((terms) => terms.join('')),
      term: fc.oneof(
        { weight: 6, arbitrary: tie('atom') },
        {
          weight: 6,
          arbitrary: fc
            .tuple(tie('atom'), fc.constantFrom(...QUANTIFIERS), fc.constantFrom('', '', '?'))
            .map((parts) => parts.join('')),
        },
        { weight: 1, arbitrary: fc.constantFrom(...ASSERTIONS) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('disjunction'))
            .map(([opening, body]) => `${opening}${body})`),
        },
      ),
      atom: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'pattern' },
        { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'A', ...NON_SYNTAX) },
        { weight: 2, arbitrary: fc.constantFrom(...atoms) },
        { weight: 1, arbitrary: fc.constantFrom(...(backreferences ? ['\\1', '\\2'] : ['a', 'b'])) },
        { weight: 5, arbitrary: tie('group') },
      ),
      group: fc
        .tuple(fc.constantFrom('(', '(', '(?:'), tie('disjunction'))
        .map(([opening, body]) => `${opening}${body})`),
    }),
  );
  return disjunction;
}

/** Patterns of a few letters that match at the same positions in many ways. All are valid without a flag. */
export const busyPatterns: fc.Arbitrary<string> = fc.letrec<
  Record<'disjunction' | 'sequence' | 'term' | 'atom', string>
>((tie) => ({
  disjunction: fc.oneof(
    { depthSize: 'small' },
    { weight: 3, arbitrary: tie('sequence') },
    fc.array(tie('sequence'), { minLength: 2, maxLength: 3 }).map((items) => items.join('|')),
  ),
  sequence: fc.array(tie('term'), { maxLength: 3 }).map((terms) => terms.join('')),
  term: fc.oneof(
    { weight: 4, arbitrary: tie('atom') },
    {
      weight: 5,
      arbitrary: fc
        .tuple(tie('atom'), fc.constantFrom(...QUANTIFIERS), fc.constantFrom('', '?'))
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: fc.constantFrom(...ASSERTIONS) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('disjunction'))
        .map(([opening, body]) => `${opening}${body})`),
    },
  ),
  atom: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: fc.constantFrom('a', 'a', 'b', '.', '[abcdefghijklmnopqrstuvwxyz0123456789]') },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('(', '(?:'), tie('disjunction'))
        .map(([opening, body]) => `${opening}${body})`),
    },
  ),
})).disjunction;
