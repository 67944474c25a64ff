import mime, { Mime } from 'mime';
import { functionError } from '../../shared/errors/iml-error.js';
import { replacePattern } from '../pattern/replace-pattern.js';
import { createEqualityKey } from '../values/identity.js';
import {
  assertListLength,
  assertTextLength,
  MAX_LIST_LENGTH,
  rewrite,
  rewriteInChunks,
} from '../values/size-limits.js';
import { isBuffer, isCollection, isMissing, isOn, memberNames, toText } from '../values/value.js';
import { asInteger, asList, onText, quoted } from './arguments.js';
import type { FunctionsIn } from './signatures.js';

/** Source: https://help.make.com/text-and-binary-functions. */
export const TEXT_FUNCTIONS: FunctionsIn<'text'> = {
  ascii: onText((text, [removeDiacritics]) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII.
    (isOn(removeDiacritics) ? withoutAccents(text) : text).replace(/[^\u0000-\u007F]+/g, ''),
  ),

  capitalize: onText(capitalize),

  contains: (_, value, search, ignoreCase) => {
    if (isMissing(value)) return false;
    const ignores = isOn(ignoreCase);
    if (Array.isArray(value)) return listContains(asList(value), search, ignores);
    const [text, part] = [toText(value), toText(search)];
    return ignores ? includesText(text.toLowerCase(), part.toLowerCase()) : includesText(text, part);
  },

  decodeURL: onText((text) => {
    try {
      return decodeURIComponent(text);
    } catch (error) {
      throw functionError(`${quoted(text)} is not percent-encoded text.`, error);
    }
  }),

  encodeURL: onText((text) => rewriteInChunks(text, encodeUrl)),

  indexOf: onText((text, [search, start]) => createTextSearch(toText(search))(text, asInteger(start, 0))),

  length: (_, value) => {
    if (Array.isArray(value) || isBuffer(value)) return value.length;
    return isCollection(value) ? memberNames(value).length : toText(value).length;
  },

  lower: onText((text) => text.toLowerCase()),
  upper: onText((text) => text.toUpperCase()),

  // An unknown extension returns undefined. [choice]
  mime: onText((fileName) => findMediaType(fileName)),

  replace: onText((text, [search, replacement]) => replace(text, toText(search), toText(replacement))),

  replaceEmojiCharacters: onText((text, [replacement]) => {
    const substitute = toText(replacement);
    return rewrite(text, EMOJI, () => substitute);
  }),

  split: ({ semantics }, value, separator, keepsEmpty) => {
    if (isMissing(value)) return value;
    const text = toText(value);
    assertTextLength(text.length);
    const parts = isMissing(separator) ? [text] : splitText(text, toText(separator));
    if (semantics === 'documented') return parts;
    // Make's runtime trims the parts and drops empty ones, unless the third argument is set. [rt]
    const trimmed = parts.map((part) => part.trim());
    return isOn(keepsEmpty) ? trimmed : trimmed.filter((part) => part !== '');
  },

  startcase: onText((text) =>
    text
      .toLowerCase()
      .replace(/(\p{L})(\S*)/gu, (_, letter: string, rest: string) => letter.toUpperCase() + rest),
  ),

  substring: onText((text, [start, end]) => text.substring(asInteger(start, 0), asInteger(end, text.length))),

  trim: onText((text) => text.trim()),
};

/** Replaces a lone surrogate by U+FFFD, as the web platform does, because it has no UTF-8 form. */
function encodeUrl(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

/** Letters that Unicode does not decompose into a letter and an accent. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    ẞ: 'SS',
    æ: 'ae',
    Æ: 'AE',
    œ: 'oe',
    Œ: 'OE',
    ø: 'o',
    Ø: 'O',
    ł: 'l',
    Ł: 'L',
    đ: 'd',
  }).concat(
    Object.entries({
      Đ: 'D',
      ð: 'd',
      Ð: 'D',
      þ: 'th',
      Þ: 'Th',
      ħ: 'h',
      Ħ: 'H',
      ı: 'i',
      ŧ: 't',
      Ŧ: 'T',
      ŋ: 'n',
      Ŋ: 'N',
    }),
  ),
);
const UNDECOMPOSED_LETTER = new RegExp(`[${[...PLAIN_LETTERS.keys()].join('')}]`, 'g');

const MARKS = /\p{M}+/gu;

/**
 * Removes existing marks before normalization, because sorting a long run of marks takes quadratic time. Normalization
 * adds only a few marks per letter.
 */
function withoutAccents(text: string): string {
  const letters = text.replace(MARKS, '').normalize('NFD').replace(MARKS, '');
  return letters.replace(UNDECOMPOSED_LETTER, (letter) => PLAIN_LETTERS.get(letter) ?? letter);
}

function capitalize(text: string): string {
  const first = text.codePointAt(0);
  if (first === undefined) return text;
  const character = String.fromCodePoint(first);
  return character.toUpperCase() + text.slice(character.length);
}

function listContains(list: readonly unknown[], search: unknown, ignoresCase: boolean): boolean {
  const matches = typeof search === 'string' ? sameTextAs(search, ignoresCase) : sameValueAs(search);
  for (let index = 0; index < list.length; index++) if (matches(list[index])) return true;
  return false;
}

function sameTextAs(search: string, ignoresCase: boolean): (item: unknown) => boolean {
  if (!ignoresCase) return (item) => item === search;
  const expected = search.toLowerCase();
  return (item) => typeof item === 'string' && item.toLowerCase() === expected;
}

function sameValueAs(search: unknown): (item: unknown) => boolean {
  // Fast path: converting each number to a key would dominate the time.
  if (typeof search === 'number') return (item) => item === search || Object.is(item, search);
  const keyOf = createEqualityKey();
  const expected = keyOf(search);
  // Items of another type need no key.
  return (item) => (typeof item === typeof search || isMissing(item)) && keyOf(item) === expected;
}

/** `/pattern/flags` is a regular expression. Any other search text and its replacement are literal. */
function replace(text: string, search: string, replacement: string): string {
  const end = search.lastIndexOf('/');
  if (end > 1 && search.startsWith('/')) {
    const flags = search.slice(end + 1);
    if (FLAGS.test(flags)) return replacePattern(text, search.slice(1, end), flags, replacement);
  }
  return search === '' ? text : replaceAll(text, search, replacement);
}

/** Other letters after the last slash are not flags: `/a/b` is a path, not a pattern. */
const FLAGS = /^[dgimsuy]*$/;

function includesText(text: string, part: string): boolean {
  return createTextSearch(part)(text, 0) !== -1;
}

function replaceAll(text: string, search: string, replacement: string): string {
  const find = createTextSearch(search);
  let result = '';
  let end = 0;
  for (let at = find(text, 0); at !== -1; at = find(text, end)) {
    result += text.slice(end, at) + replacement;
    assertTextLength(result.length);
    end = at + search.length;
  }
  assertTextLength(result.length + text.length - end);
  return result + text.slice(end);
}

/** Splits text at a separator. An empty separator splits into code points. */
function splitText(text: string, separator: string): string[] {
  if (separator === '') {
    assertListLength(text.length);
    return Array.from(text);
  }
  if (isShortNeedle(separator)) {
    // One more part than allowed suffices to detect an overflow.
    const parts = text.split(separator, MAX_LIST_LENGTH + 1);
    assertListLength(parts.length);
    return parts;
  }
  const find = createTextSearch(separator);
  const parts: string[] = [];
  let end = 0;
  for (let at = find(text, 0); at !== -1; at = find(text, end)) {
    assertListLength(parts.push(text.slice(end, at)));
    end = at + separator.length;
  }
  parts.push(text.slice(end));
  return parts;
}

// Old symbols such as ©, ™ and ↔ count as text unless a variation selector selects the emoji.
const LETTERLIKE = '\\u00A9\\u00AE\\u203C\\u2049\\u2122\\u2139\\u2194-\\u21AA';
const PICTURE = `(?:[${LETTERLIKE}]\\uFE0F|(?![${LETTERLIKE}])\\p{Extended_Pictographic}(?!\\uFE0E)\\p{EMod}?\\uFE0F?)`;
const FLAG = '\\p{Regional_Indicator}{2}';
const KEYCAP = '[0-9#*]\\uFE0F?\\u20E3';
const REGION = '\\u{1F3F4}[\\u{E0030}-\\u{E007A}]+\\u{E007F}';

/** One visible emoji: a picture with skin tone and joined pictures, a flag or a keycap. */
const EMOJI: RegExp = new RegExp(`${REGION}|${PICTURE}(?:\\u200D${PICTURE})*|${FLAG}|${KEYCAP}`, 'gu');

/** Returns the offset of the next occurrence at or after `from`, or -1, like `indexOf`. */
type TextSearch = (text: string, from: number) => number;

/**
 * Maximum length of a needle for native search. In the worst case native search compares the whole needle at every
 * offset, which would take quadratic time for long needles.
 */
const SHORT_NEEDLE = 256;

/** Whether native functions may search for this text. */
function isShortNeedle(needle: string): boolean {
  return needle.length <= SHORT_NEEDLE;
}

/** Creates a search for `needle` in time linear in the text. */
function createTextSearch(needle: string): TextSearch {
  if (isShortNeedle(needle)) return (text, from) => text.indexOf(needle, from);
  let borders: Int32Array | undefined;
  return (text, from) => {
    if (text.length - from < needle.length) return -1;
    borders ??= findBorders(needle);
    return search(text, needle, borders, Math.max(from, 0));
  };
}

/**
 * Failure function of Knuth, Morris and Pratt: for each prefix of the needle, the length of its longest proper prefix that
 * is also a suffix.
 */
function findBorders(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let index = 1; index < needle.length; index++) {
    const code = needle.charCodeAt(index);
    while (length > 0 && needle.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (needle.charCodeAt(length) === code) length++;
    borders[index] = length;
  }
  return borders;
}

function search(text: string, needle: string, borders: Int32Array, from: number): number {
  let matched = 0;
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === code) matched++;
    if (matched === needle.length) return index - matched + 1;
  }
  return -1;
}

/** Common types that `mime` does not list. */
const additions = new Mime({
  'application/graphql': ['graphql'],
  'application/gzip': ['tgz', 'gzip'],
  'application/vnd.apache.parquet': ['parquet'],
  'application/vnd.sqlite3': ['sqlite', 'sqlite3'],
  'application/x-fictionbook+xml': ['fb2'],
  'application/x-ndjson': ['ndjson', 'jsonl'],
  'application/zstd': ['zst'],
  'image/vnd.microsoft.icon': ['cur'],
  'text/x-python': ['py'],
});

/** Finds the media type of a file by its case-insensitive extension; undefined for an unknown or missing extension. */
function findMediaType(fileName: string): string | undefined {
  const dot = fileName.lastIndexOf('.');
  if (dot === -1) return undefined;
  const extension = fileName.slice(dot + 1);
  return mime.getType(extension) ?? additions.getType(extension) ?? undefined;
}
