import { functionError } from '../../errors/iml-error.js';
import { isBuffer, isMissing, isOn, toText } from '../values/coerce.js';
import { isCollection, memberNames } from '../values/collection.js';
import type { FunctionTable } from '../environment/environment.js';
import { assertListLength, assertTextLength, MAX_LIST_LENGTH, rewrite, rewriteInChunks } from '../values/size-limits.js';
import { createEqualityKey } from '../values/identity.js';
import { mediaTypeOf } from '../values/mime-types.js';
import { replacePattern } from '../pattern/replace-pattern.js';
import { asInteger, asList, onText, quoted } from './arguments.js';
import { EMOJI } from './emoji.js';

/** Source: reference/iml-functions.md section 3. */
export const TEXT_FUNCTIONS: FunctionTable = {
  ascii: onText((text, [removeDiacritics]) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII.
    (isOn(removeDiacritics) ? withoutAccents(text) : text).replace(/[^\u0000-\u007F]+/g, ''),
  ),

  capitalize: onText(capitalize),

  contains: (_, value, search, ignoreCase) => {
    if (isMissing(value)) return false;
    const ignores = isOn(ignoreCase);
    if (Array.isArray(value)) return listContains(asList(value), search, ignores ? foldCase : unchanged);
    const [text, part] = [toText(value), toText(search)];
    return ignores ? text.toLowerCase().includes(part.toLowerCase()) : text.includes(part);
  },

  decodeURL: onText((text) => {
    try {
      return decodeURIComponent(text);
    } catch (error) {
      throw functionError(`${quoted(text)} is not percent-encoded text.`, error);
    }
  }),

  encodeURL: onText((text) => rewriteInChunks(text, encodeUrl)),

  indexOf: onText((text, [search, start]) => text.indexOf(toText(search), asInteger(start, 0))),

  length: (_, value) => {
    if (isMissing(value)) return 0;
    if (Array.isArray(value) || isBuffer(value)) return value.length;
    return isCollection(value) ? memberNames(value).length : toText(value).length;
  },

  lower: onText((text) => text.toLowerCase()),
  upper: onText((text) => text.toUpperCase()),

  // An unknown extension gives undefined. Source: reference/iml-functions.md section 3. [choice]
  mime: onText((fileName) => mediaTypeOf(fileName)),

  replace: onText((text, [search, replacement]) => replace(text, toText(search), toText(replacement))),

  replaceEmojiCharacters: onText((text, [replacement]) => {
    const substitute = toText(replacement);
    return rewrite(text, EMOJI, () => substitute);
  }),

  split: onText((text, [separator]) => {
    if (isMissing(separator)) return [text];
    const parts = splitText(text, toText(separator));
    assertListLength(parts.length);
    return parts;
  }),

  startcase: onText((text) =>
    text
      .toLowerCase()
      .replace(/(\p{L})(\S*)/gu, (_, letter: string, rest: string) => letter.toUpperCase() + rest),
  ),

  substring: onText((text, [start, end]) => text.substring(asInteger(start, 0), asInteger(end, text.length))),

  trim: onText((text) => text.trim()),
};

/** A lone surrogate has no UTF-8 form; it is sent as U+FFFD, as everywhere on the web. */
function encodeUrl(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

/** Letters with a stroke or joined ones: Unicode does not take these apart into a letter and an accent. */
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
const JOINED_LETTER = new RegExp(`[${[...PLAIN_LETTERS.keys()].join('')}]`, 'g');

function withoutAccents(text: string): string {
  const letters = text.normalize('NFD').replace(/\p{M}+/gu, '');
  return letters.replace(JOINED_LETTER, (letter) => PLAIN_LETTERS.get(letter) ?? letter);
}

function capitalize(text: string): string {
  const first = text.codePointAt(0);
  if (first === undefined) return text;
  const character = String.fromCodePoint(first);
  return character.toUpperCase() + text.slice(character.length);
}

type Fold = (value: unknown) => unknown;

function foldCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function unchanged(value: unknown): unknown {
  return value;
}

function listContains(list: readonly unknown[], search: unknown, fold: Fold): boolean {
  const keyOf = createEqualityKey();
  const wanted = keyOf(fold(search));
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    // Most searches are for text or numbers: items of another type need no key.
    if (typeof item === typeof search || isMissing(item)) {
      if (keyOf(fold(item)) === wanted) return true;
    }
  }
  return false;
}

/** `/pattern/flags` is a regular expression; other text is looked for literally, and its replacement is taken literally. */
function replace(text: string, search: string, replacement: string): string {
  const end = search.lastIndexOf('/');
  if (end > 1 && search.startsWith('/')) {
    const flags = search.slice(end + 1);
    if (FLAGS.test(flags)) return replacePattern(text, search.slice(1, end), flags, replacement);
  }
  return search === '' ? text : replaceAll(text, search, replacement);
}

/** Other letters behind the last slash are no flags: `/a/b` is a path, not a pattern. */
const FLAGS = /^[dgimsuy]*$/;

function replaceAll(text: string, search: string, replacement: string): string {
  let count = 0;
  if (replacement.length > search.length) {
    for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + search.length)) count++;
  }
  assertTextLength(text.length + count * (replacement.length - search.length));
  return text.replaceAll(search, () => replacement);
}

/** The parts between separators; an empty separator gives the characters, none of them cut in half. */
function splitText(text: string, separator: string): string[] {
  if (separator !== '') return text.split(separator, MAX_LIST_LENGTH + 1);
  assertListLength(text.length);
  return Array.from(text);
}
