import type { FunctionName } from '../../../src/language/functions/signatures.js';

/** Creates the arguments of a call. Their total size is proportional to `size`. */
export type ArgumentsOfSize = (size: number) => readonly unknown[];

function filled(piece: string, size: number): string {
  return piece.repeat(Math.ceil(size / piece.length));
}

/** Texts that make scanners backtrack: unterminated, nested, almost matching, with a wrong end. */
const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  letters: (size) => filled('a', size),
  spaces: (size) => `${filled(' ', size)}x`,
  digits: (size) => `${filled('1', size)}x`,
  zeros: (size) => `0.${filled('0', size)}e`,
  words: (size) => filled('ab cd ', size),
  dots: (size) => filled('a.', size),
  slashes: (size) => filled('/', size),
  quotes: (size) => filled('\'"', size),
  commas: (size) => filled(',', size),
  brackets: (size) => filled('[', size),
  closedBrackets: (size) => filled('[', size / 2) + filled(']', size / 2),
  dateTokens: (size) => filled('YYYYMMDD[', size),
  percent: (size) => filled('%41', size),
  brokenPercent: (size) => `${filled('%E2%82%AC', size)}%`,
  openTags: (size) => filled('<a', size),
  openTagsAndEnd: (size) => `${filled('<a', size)}>`,
  tagsWithSpace: (size) => filled('<a ', size),
  openQuotes: (size) => filled('<a x="', size),
  mixedQuotes: (size) => filled(`<a x="' y='" `, size),
  spacedQuotes: (size) => `<a x=${filled(' ', size)}"`,
  manySpacedQuotes: (size) => `<a x=${filled('   "', size)}>`,
  scripts: (size) => filled('<script>', size),
  almostScripts: (size) => `<script>${filled('</script', size)}`,
  styles: (size) => filled('<style></style', size),
  comments: (size) => filled('<!--', size),
  declarations: (size) => filled('<!', size),
  closers: (size) => filled('>', size),
  marks: (size) => filled('\u0315\u0316', size),
  lettersWithMarks: (size) => `a${filled('\u0315\u0316\u0345', size)}`,
  composed: (size) => filled('\u1e69\u0323', size),
  sigmas: (size) => filled("\u03a3'", size),
  emojiTags: (size) => filled('\u{1f3f4}\u{e0061}\u{e0062}', size),
  openEmojiTag: (size) => `\u{1f3f4}${filled('\u{e0061}', size)}`,
  joinedEmoji: (size) => filled('\u{1f468}\u200d', size),
  flags: (size) => filled('\u{1f1e6}', size),
  keycaps: (size) => filled('1\ufe0f', size),
  surrogates: (size) => filled('\ud800', size),
  openJson: (size) => filled('[', size),
  nestedJson: (size) => filled('[', size / 2) + filled(']', size / 2),
  jsonTexts: (size) => `["${filled('\\u0041', size)}"]`,
  jsonNumbers: (size) => `[${filled('1,', size)}1]`,
  longNumber: (size) => filled('9', size),
  base64: (size) => filled('QUJD', size),
  spacedBase64: (size) => filled('Q\n', size),
  paddedBase64: (size) => filled('=', size),
  extensions: (size) => filled('.x', size),
  markdown: (size) => filled('*_`', size),
};

/** Each text as the first argument, followed by other arguments. */
function texts(...others: readonly unknown[]): ArgumentsOfSize[] {
  return Object.values(TEXTS).map((make) => (size: number) => [make(size), ...others]);
}

/** Needles that match long prefixes at every offset. */
const SEARCHES: readonly ArgumentsOfSize[] = [
  (size) => [filled('a', size), `${filled('a', size / 4)}b${filled('a', size / 4)}`],
  (size) => [filled('a', size), `b${filled('a', size / 2)}`],
  (size) => [filled('a', size), `${filled('a', size / 2)}b`],
  (size) => [filled(`${'a'.repeat(300)}b`, size), `${'a'.repeat(301)}`],
  (size) => [filled('ab', size), `${filled('ab', size / 4)}${filled('ba', size / 4)}`],
  (size) => [filled('a', size), 'a'],
  (size) => [filled('a', size), 'aab'],
  (size) => [filled('a', size), filled('a', size)],
];

const PATTERNS: readonly string[] = [
  '/(a+)+$/',
  '/(a|a)*b/g',
  '/a*a*a*b/g',
  '/(?=a*b)/g',
  '/(?<=b.*)a/g',
  '/(.*)\\1x/g',
  '/\\s+$/g',
  '/[^x]*x/g',
  '/(?:(?:a{1,50}){1,50}){1,50}b/',
  '/.*?b/gs',
  '/\\b/g',
  '/a|aa|aaa/gi',
];

/** Characters of input per item of a list. */
const SIZE_OF_ITEM = 8;

const ITEMS: Readonly<Record<string, (count: number) => readonly unknown[]>> = {
  numbers: (count) => Array.from({ length: count }, (_, index) => count - index),
  sameNumbers: (count) => Array.from({ length: count }, () => 7),
  numericTexts: (count) => Array.from({ length: count }, (_, index) => `${index}.0`),
  texts: (count) => Array.from({ length: count }, (_, index) => `text ${index}`),
  commonPrefix: (count) => Array.from({ length: count / 64 }, (_, index) => `${'x'.repeat(60)}${index % 7}`),
  sameTexts: (count) => Array.from({ length: count }, () => 'same'),
  dates: (count) => Array.from({ length: count }, (_, index) => new Date(index)),
  booleans: (count) => Array.from({ length: count }, (_, index) => index % 2 === 0),
  missing: (count) => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? null : undefined)),
  items: (count) =>
    Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: index, a: { b: 1 } })),
  sameItems: (count) => Array.from({ length: count }, () => ({ key: 'k', value: 1, a: { b: 1 } })),
  lists: (count) => Array.from({ length: count }, (_, index) => [index]),
  sawtooth: (count) => Array.from({ length: count }, (_, index) => (index * 7919) % 101),
  deep: (count) => {
    let list: unknown[] = [];
    for (let depth = 0; depth < count; depth++) list = [list];
    return list;
  },
  oneLongText: (count) => [filled('a', 4 * count), filled('a', 4 * count), `${filled('a', 4 * count)}b`],
};

const LISTS = Object.fromEntries(
  Object.entries(ITEMS).map(([name, make]) => [name, (size: number) => make(size / SIZE_OF_ITEM)]),
);

function lists(...others: readonly unknown[]): ArgumentsOfSize[] {
  return Object.values(LISTS).map((make) => (size: number) => [make(size), ...others]);
}

/** Two lists of the same kind. */
const PAIRS: readonly ArgumentsOfSize[] = Object.values(LISTS).map((make) => (size) => [
  make(size),
  make(size),
]);

const MEMBERS: ArgumentsOfSize = (size) => [
  Object.fromEntries(Array.from({ length: size / SIZE_OF_ITEM }, (_, index) => [`name${index}`, index])),
];

function namesOfMembers(size: number): string[] {
  const count = size / SIZE_OF_ITEM;
  return Array.from({ length: count }, (_, index) => `name${count - index}`);
}

const DATE = new Date(0);
const LONG_PATH = (size: number): string => filled('a.', size);

/** Dates and numbers as text, and amounts. */
const DATE_AND_AMOUNT: readonly ArgumentsOfSize[] = [
  ...texts(1),
  (size) => [DATE, size],
  (size) => [DATE, TEXTS['digits']?.(size)],
  (size) => [DATE, TEXTS['spaces']?.(size)],
];

const NUMBER: readonly ArgumentsOfSize[] = [...texts(), (size) => [10 ** (size % 300), size]];

const NUMBERS: readonly ArgumentsOfSize[] = [...lists(), (size) => LISTS['numericTexts']?.(size) ?? []];

/** The most expensive calls of each built-in function. */
export const WORST_CALLS: Readonly<Record<FunctionName, readonly ArgumentsOfSize[]>> = {
  // General
  errorFactory: [...texts('DataError'), (size) => ['DataError', TEXTS['letters']?.(size)]],
  if: [...texts(1, 2)],
  ifempty: [...texts('x')],
  switch: [
    (size) => [filled('a', size), `${filled('a', size)}b`, 1, filled('a', size), 2],
    (size) => ['x', ...(LISTS['texts']?.(size) ?? [])],
  ],
  get: [
    (size) => [LISTS['items']?.(size), size],
    (size) => [{ a: 1 }, LONG_PATH(size)],
    (size) => [LISTS['deep']?.(size), filled('1.', size)],
  ],
  omit: [(size) => [...MEMBERS(size), namesOfMembers(size)]],
  pick: [(size) => [...MEMBERS(size), namesOfMembers(size)]],
  equal: [...PAIRS, (size) => [...MEMBERS(size), ...MEMBERS(size)]],

  // Numbers
  abs: NUMBER,
  ceil: NUMBER,
  floor: NUMBER,
  round: NUMBER,
  trunc: NUMBER,
  average: NUMBERS,
  max: NUMBERS,
  min: NUMBERS,
  sum: NUMBERS,
  median: NUMBERS,
  stdevS: NUMBERS,
  stdevP: NUMBERS,
  formatNumber: [
    ...texts(2),
    (size) => [1e300, 100, TEXTS['letters']?.(size), TEXTS['letters']?.(size)],
    (size) => [1, TEXTS['digits']?.(size)],
  ],
  parseNumber: [...texts(), ...texts(',')],

  // Text
  ascii: [...texts(), ...texts(true)],
  capitalize: texts(),
  contains: [
    ...SEARCHES,
    ...lists('text 1'),
    (size) => [filled('\u0130', size), filled('\u0130', size / 2), true],
  ],
  decodeURL: texts(),
  encodeURL: texts(),
  indexOf: SEARCHES,
  length: [...texts(), MEMBERS, ...lists()],
  lower: texts(),
  upper: texts(),
  mime: texts(),
  replace: [...SEARCHES.map((make) => (size: number) => [...make(size), 'xy']), ...texts('a', 'bb')],
  replaceEmojiCharacters: texts('x'),
  split: [...SEARCHES, ...texts(''), ...texts(',')],
  startcase: texts(),
  substring: texts(1, 5),
  trim: [...texts(), (size) => [`x${filled(' ', size)}x`]],
  escapeHTML: texts(),
  escapeMarkdown: texts(),
  stripHTML: texts(),

  // Bytes
  base64: [...texts(), (size) => [new Uint8Array(size)]],
  md5: texts(),
  sha1: [...texts(), (size) => ['a', 'hex', TEXTS['letters']?.(size)]],
  sha256: [...texts(), (size) => ['a', 'base64', TEXTS['letters']?.(size)]],
  sha512: [...texts(), (size) => ['a', 'hex', TEXTS['base64']?.(size), 'base64']],
  toBinary: [...texts(), ...texts('base64'), ...texts('hex'), ...texts('latin1')],
  toString: [...texts(), ...lists(), (size: number) => [new Uint8Array(size).fill(0xe2), 'utf8']],

  // Dates
  formatDate: [...texts(), ...Object.values(TEXTS).map((make) => (size: number) => [DATE, make(size)])],
  parseDate: [
    ...texts(),
    ...texts('YYYY-MM-DD'),
    ...Object.values(TEXTS).map((make) => (size: number) => ['2024-01-01', make(size)]),
    ...Object.values(TEXTS).map((make) => (size: number) => ['2024-01-01', 'YYYY', make(size)]),
  ],
  addSeconds: DATE_AND_AMOUNT,
  addMinutes: DATE_AND_AMOUNT,
  addHours: DATE_AND_AMOUNT,
  addDays: DATE_AND_AMOUNT,
  addMonths: DATE_AND_AMOUNT,
  addYears: DATE_AND_AMOUNT,
  setSecond: DATE_AND_AMOUNT,
  setMinute: DATE_AND_AMOUNT,
  setHour: DATE_AND_AMOUNT,
  setDate: DATE_AND_AMOUNT,
  setDay: DATE_AND_AMOUNT,
  setMonth: DATE_AND_AMOUNT,
  setYear: DATE_AND_AMOUNT,
  dateDiff: [...texts(DATE, 'D'), (size) => [DATE, DATE, TEXTS['letters']?.(size)]],
  dateDifference: [...texts(DATE, 'days'), (size) => [DATE, DATE, TEXTS['letters']?.(size)]],

  // Arrays
  add: [...lists(1, 2), (size) => [[], ...(LISTS['numbers']?.(size) ?? [])]],
  arrayDiff: PAIRS,
  arrayIntersect: PAIRS,
  deduplicate: lists(),
  distinct: [...lists(), ...lists('key'), ...lists('a.b')],
  first: lists(),
  last: lists(),
  flatten: [...lists(), ...lists(1e9)],
  isArray: lists(),
  join: [...lists(), (size) => [LISTS['numbers']?.(size / 64), filled('-', 64)]],
  keys: [...lists(), MEMBERS],
  map: [
    ...lists('key'),
    ...lists('a.b', 'key', 'k1,k2'),
    (size) => [LISTS['items']?.(size), 'value', 'key', LISTS['texts']?.(size)],
    (size) => [LISTS['items']?.(size), 'value', 'key', TEXTS['commas']?.(size)],
  ],
  merge: [...PAIRS, (size) => LISTS['lists']?.(size) ?? []],
  pop: lists(),
  shift: lists(),
  remove: [(size) => [LISTS['numbers']?.(size), ...(LISTS['numbers']?.(size) ?? [])]],
  reverse: lists(),
  shuffle: lists(),
  slice: lists(1, 1e9),
  sort: [...lists(), ...lists('desc ci', 'key'), ...lists('asc', 'a.b')],
  toArray: [...lists(), MEMBERS],
  toCollection: lists('key', 'value'),

  // JSON, tokens and signatures
  createJSON: [...lists(), MEMBERS, ...texts()],
  parseJSON: texts(),
  jwt: [
    ...texts('secret'),
    (size) => [...MEMBERS(size), 'secret'],
    (size) => [{ a: 1 }, TEXTS['letters']?.(size), 'RS256'],
    (size) => [{ a: 1 }, 'secret', 'HS256', { expiresIn: TEXTS['digits']?.(size) }],
  ],
  generateJwtWithKeyId: [...texts('secret'), (size) => [{ a: 1 }, TEXTS['letters']?.(size)]],
  cryptoSign: [
    (size) => ['sha256', 'a', TEXTS['letters']?.(size)],
    (size) => [TEXTS['letters']?.(size), 'a', 'b'],
  ],
};

/** Calls with a bounded cost: their time may grow steeply up to the bound. */
export const BOUNDED_CALLS: Readonly<Record<string, readonly ArgumentsOfSize[]>> = {
  replace: PATTERNS.flatMap((pattern) => [
    (size: number) => [filled('a', size), pattern, 'x'],
    (size: number) => [filled('ab ', size), pattern, "$'"],
    (size: number) => [filled(' ', size), pattern, '$&$&'],
  ]),
};
