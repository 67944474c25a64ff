import { isBlank, isWideBlank } from './blanks.js';
import { type Alphabet, readUnit, SKIPPED } from './text-finder.js';

/**
 * A text as somebody reads it who undoes an encoding: its units, and for each the stretch of the text as written that it
 * stands for. Unit 0 stands for whatever cannot be part of a secret.
 */
export interface TextView {
  readonly units: Uint16Array;
  /** Undefined where each unit stands for the one at its own place. */
  readonly from: Int32Array | undefined;
  readonly to: Int32Array | undefined;
}

const BARRIER = 0;

/** Escapes within escapes that are undone: JSON in JSON in a query. */
export const MAX_LAYERS = 3;

/** A text as it is written. */
export function plainView(text: string): TextView {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  return { units, from: undefined, to: undefined };
}

/** A space is written `+` in forms: neither is told from the other. */
export function foldSpaces(text: string): string {
  return text.replaceAll(' ', '+');
}

/** The view with spaces as `foldSpaces` has them. */
export function foldedView(view: TextView): TextView {
  if (!view.units.includes(0x20)) return view;
  const units = view.units.slice();
  for (let index = 0; index < units.length; index++) if (units[index] === 0x20) units[index] = 0x2b;
  return { ...view, units };
}

/** References of HTML to the characters of ASCII that are no letter and no digit. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  bsol: '\\',
  colon: ':',
  comma: ',',
  commat: '@',
  dollar: '$',
  equals: '=',
  excl: '!',
  grave: '`',
  gt: '>',
  hat: '^',
  lbrace: '{',
  lbrack: '[',
  lcub: '{',
  lowbar: '_',
  lpar: '(',
  lsqb: '[',
  lt: '<',
  nbsp: ' ',
  newline: '\n',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quest: '?',
  quot: '"',
  rbrace: '}',
  rbrack: ']',
  rcub: '}',
  rpar: ')',
  rsqb: ']',
  semi: ';',
  sol: '/',
  tab: '\t',
  verbar: '|',
  vert: '|',
};

/** References of HTML to the characters of Latin-1 from U+00A0 on, in their order. Source: https://html.spec.whatwg.org/#named-character-references. [doc] */
const LATIN_1_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
  'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
  'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** The case of letters tells two of them apart. */
const LATIN_1: ReadonlyMap<string, string> = new Map(
  LATIN_1_NAMES.split(' ').map((name, index) => [name, String.fromCharCode(0xa0 + index)]),
);

/**
 * Bytes percent-encoded or as `\x41`; escapes of JSON, JavaScript and HTML, some of which need no semicolon; line breaks of
 * quoted-printable; the zeros between the bytes of UTF-16.
 */
const ENCODED = new RegExp(
  [
    String.raw`(?:%[0-9a-f]{2}|\\x[0-9a-f]{2})+`,
    String.raw`\\u\{[0-9a-f]{1,6}\}|[\\%]u[0-9a-f]{4}|\\(?!=\r?\n)[^ux\0]`,
    '&#(?:0*[0-9]{1,7}|x0*[0-9a-f]{1,6});?',
    // By name: behind one that needs no semicolon letters and another one may stand.
    `&(?:${[...Object.keys(ENTITIES), ...LATIN_1.keys()].join('|')});|&(?:amp|lt|gt|quot|nbsp)`,
    String.raw`=\r?\n|\0`,
  ].join('|'),
  'gi',
);

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
};

/**
 * The text behind the view with one layer of escapes undone; undefined where there is none.
 *
 * @param text the view as `readView` reads it
 */
export function decodedView(view: TextView, text: string): TextView | undefined {
  if (!mayBeEncoded(text)) return undefined;
  const writer = createWriter(view);
  let end = 0;
  let isEncoded = false;
  for (const match of text.matchAll(ENCODED)) {
    const [encoded] = match;
    const decoded = decode(encoded);
    if (decoded === undefined) continue;
    isEncoded = true;
    writer.copy(end, match.index);
    end = match.index + encoded.length;
    for (const [character, start, stop] of decoded) {
      writer.write(character, match.index + start, match.index + stop);
    }
  }
  if (!isEncoded) return undefined;
  writer.copy(end, text.length);
  return writer.done();
}

/** `decodedView` where nobody asks what stands where: the text it reads, undefined where there is nothing to undo. */
export function undoEscapes(text: string): string | undefined {
  if (!mayBeEncoded(text)) return undefined;
  let isEncoded = false;
  const read = text.replace(ENCODED, (encoded) => {
    const decoded = decode(encoded);
    if (decoded === undefined) return encoded;
    isEncoded = true;
    return decoded.length === 1 ? (decoded[0]?.[0] ?? '') : decoded.map(([character]) => character).join('');
  });
  return isEncoded ? read : undefined;
}

/** Characters with the stretch of the encoded text they come from. */
type Decoded = readonly (readonly [character: string, start: number, end: number])[];

function decode(encoded: string): Decoded | undefined {
  const whole = (character: string): Decoded => [[character, 0, encoded.length]];
  const kind = encoded.slice(0, 2).toLowerCase();
  if (encoded === '\0' || encoded.startsWith('=')) return [];
  if (kind === '\\u' || kind === '%u')
    return whole(toCharacter(Number.parseInt(encoded.replace(/[^0-9a-f]/gi, ''), 16)));
  if (encoded.startsWith('%') || kind === '\\x') return decodeBytes(encoded);
  if (encoded.startsWith('\\')) return whole(ESCAPES[encoded.slice(1)] ?? encoded.slice(1));
  if (kind !== '&#') {
    const name = encoded.slice(1).replace(';', '');
    const character = ENTITIES[name.toLowerCase()] ?? LATIN_1.get(name);
    return character === undefined ? undefined : whole(character);
  }
  const isHex = encoded[2] === 'x' || encoded[2] === 'X';
  return whole(
    toCharacter(isHex ? Number.parseInt(encoded.slice(3), 16) : Number.parseInt(encoded.slice(2), 10)),
  );
}

function toCharacter(codePoint: number): string {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '\ufffd';
}

/** UTF-8 where it is, else each byte is a character of Latin-1. Written `%41` or `\x41`, one behind the other. */
function decodeBytes(encoded: string): Decoded {
  const bytes: number[] = [];
  const starts: number[] = [];
  for (let at = 0; at < encoded.length; ) {
    const digits = at + (encoded[at] === '%' ? 1 : 2);
    bytes.push(Number.parseInt(encoded.slice(digits, digits + 2), 16));
    starts.push(at);
    at = digits + 2;
  }
  const decoded: (readonly [string, number, number])[] = [];
  for (let index = 0; index < bytes.length; ) {
    const length = sequenceLength(bytes, index);
    const character =
      length === 1
        ? String.fromCharCode(bytes[index] ?? 0)
        : Buffer.from(bytes.slice(index, index + length)).toString('utf8');
    decoded.push([character, starts[index] ?? 0, starts[index + length] ?? encoded.length]);
    index += length;
  }
  return decoded;
}

function sequenceLength(bytes: readonly number[], at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0xc2) return 1;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
  const rest = bytes.slice(at + 1, at + length);
  return rest.length === length - 1 && rest.every((byte) => byte >> 6 === 0b10) ? length : 1;
}

/** The units of a view as text. */
export function readView({ units }: TextView): string {
  return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
}

interface Writer {
  /** Takes over what stands between two places of the view below. */
  readonly copy: (start: number, end: number) => void;
  /** A character that stands for a stretch of the view below. */
  readonly write: (character: string, start: number, end: number) => void;
  readonly done: () => TextView;
}

/** No layer makes a text longer, so the view below says how much room is enough. */
function createWriter(below: TextView): Writer {
  const { length } = below.units;
  const units = new Uint16Array(length);
  const from = new Int32Array(length);
  const to = new Int32Array(length);
  let count = 0;
  const put = (unit: number, start: number, end: number): void => {
    units[count] = unit;
    from[count] = startIn(below, start);
    to[count] = endIn(below, end - 1);
    count++;
  };
  return {
    copy: (start, end) => {
      for (let index = start; index < end; index++) put(below.units[index] ?? 0, index, index + 1);
    },
    write: (character, start, end) => {
      for (let index = 0; index < character.length; index++) put(character.charCodeAt(index), start, end);
    },
    done: () => ({
      units: units.subarray(0, count),
      from: from.subarray(0, count),
      to: to.subarray(0, count),
    }),
  };
}

/** Where in the text as written a unit of a view begins. */
export function startIn({ from }: TextView, index: number): number {
  return from === undefined ? index : (from[index] ?? 0);
}

/** Where in the text as written a unit of a view ends. */
export function endIn({ to }: TextView, index: number): number {
  return to === undefined ? index + 1 : (to[index] ?? 0);
}

/** Hexadecimal digits in lower case, whatever separates the bytes: `73:65`, `73 65`, `=73=65`, `0x73, 0x65`, `73|65`, `"73","65"`. */
export function hexView(view: TextView): TextView {
  const { units } = view;
  return selectUnits(view, (unit, index) => readHex(unit, units[index - 1], units[index + 1]));
}

/** The units of `hexView` of a text where nobody asks what stands where. */
export function hexUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const read = readHex(text.charCodeAt(index), text.charCodeAt(index - 1), text.charCodeAt(index + 1));
    if (read !== undefined) units[count++] = read;
  }
  return units.subarray(0, count);
}

function readHex(unit: number, before: number | undefined, after: number | undefined): number | undefined {
  // `0x` in front of each byte.
  if (isHexDigit(unit)) return unit === 0x30 && isLetterX(after) ? undefined : toLower(unit);
  return (isLetterX(unit) && before === 0x30) || isSeparator(unit) ? undefined : BARRIER;
}

/** Digits of base64 in its usual alphabet, line breaks and blanks left out. */
export function base64View(view: TextView): TextView {
  return selectUnits(view, (unit) => {
    const read = readUnit(unit, BASE64_ALPHABET);
    return read === SKIPPED ? undefined : read;
  });
}

/** How `foldedView` reads. */
export const PLAIN_ALPHABET: Alphabet = makeAlphabet((unit) => (unit === 0x20 ? 0x2b : unit), true);

/** How `base64View` reads. */
export const BASE64_ALPHABET: Alphabet = makeAlphabet((unit) => {
  if (unit === 0x2d) return 0x2b;
  if (unit === 0x5f) return 0x2f;
  if (isAlphanumeric(unit) || unit === 0x2b || unit === 0x2f) return unit;
  return isBlank(unit) ? SKIPPED : BARRIER;
}, false);

function makeAlphabet(read: (unit: number) => number, goesOn: boolean): Alphabet {
  return { ascii: Uint16Array.from({ length: 128 }, (_, unit) => read(unit)), goesOn };
}

/** Whether a text holds what `decodedView` may undo. */
export function mayBeEncoded(text: string): boolean {
  return /[%\\&\0]|=\r?\n/.test(text);
}

/** Whether `hexView` would show so many bytes one behind the other. */
export function mayHoldHex(text: string, bytes: number): boolean {
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (isHexDigit(unit)) {
      if (++digits >= 2 * bytes) return true;
    } else if (
      digits > 0 &&
      !isSeparator(unit) &&
      !(isLetterX(unit) && text.charCodeAt(index - 1) === 0x30)
    ) {
      digits = 0;
    }
  }
  return false;
}

function selectUnits(view: TextView, select: (unit: number, index: number) => number | undefined): TextView {
  const { length } = view.units;
  const units = new Uint16Array(length);
  const from = new Int32Array(length);
  const to = new Int32Array(length);
  let count = 0;
  for (let index = 0; index < length; index++) {
    const unit = select(view.units[index] ?? 0, index);
    if (unit === undefined) continue;
    units[count] = unit;
    from[count] = startIn(view, index);
    to[count] = endIn(view, index);
    count++;
  }
  return { units: units.subarray(0, count), from: from.subarray(0, count), to: to.subarray(0, count) };
}

function isHexDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x66) || (unit >= 0x41 && unit <= 0x46);
}

function isLetterX(unit: number | undefined): boolean {
  return unit === 0x78 || unit === 0x58;
}

function toLower(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
}

function isAlphanumeric(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
}

/** A space may be written `+`; quotes are those of a list of texts. */
function isSeparator(unit: number): boolean {
  return (
    isBlank(unit) ||
    isWideBlank(unit) ||
    unit === 0x22 ||
    unit === 0x27 ||
    unit === 0x2b ||
    unit === 0x2c ||
    unit === 0x2d ||
    unit === 0x2e ||
    unit === 0x2f ||
    unit === 0x3a ||
    unit === 0x3b ||
    unit === 0x3d ||
    unit === 0x5f ||
    unit === 0x7c
  );
}
