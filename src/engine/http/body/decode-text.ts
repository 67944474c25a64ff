import { ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { decodeFormComponent } from '../percent-encoding.js';

/**
 * Decodes bytes to text. A byte order mark takes precedence over `charset` and is removed. An unknown or absent
 * charset means UTF-8. Invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return utf8(bytes.subarray(3));
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', bytes);
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8(bytes);
  return decodeAs(charset, bytes);
}

/** Several times faster than TextDecoder for short bodies; most bodies are UTF-8. */
function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function decodeAs(charset: string, bytes: Uint8Array): string {
  try {
    const decoder = new TextDecoder(charset);
    return decoder.encoding === 'windows-1252' ? windows1252(bytes) : decoder.decode(bytes);
  } catch {
    return utf8(bytes);
  }
}

/** Characters 0x80 to 0x9f. The five undefined bytes map to the control codes of the same number. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Decodes Windows-1252, also used for the labels latin1 and iso-8859-1. Node.js 20 and 22 decode it as ISO 8859-1. */
function windows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character);
}

/**
 * Parses `application/x-www-form-urlencoded` text to a flat collection. Repeated keys become a list. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 */
export function parseForm(text: string): PlainObject {
  const form: PlainObject = {};
  for (const pair of text.split('&')) if (pair !== '') addField(form, readPair(pair));
  return form;
}

type Field = readonly [name: string, value: string];

function readPair(pair: string): Field {
  const at = pair.indexOf('=');
  const name = decodeFormComponent(at === -1 ? pair : pair.slice(0, at));
  return [name, at === -1 ? '' : decodeFormComponent(pair.slice(at + 1))];
}

function addField(form: PlainObject, [name, value]: Field): void {
  const present = ownMember(form, name);
  if (Array.isArray(present)) present.push(value);
  else setMember(form, name, present === undefined ? value : [present, value]);
}

/** Of a body, to tell how its characters are written. */
const LOOKED_AT = 512;

/**
 * Bytes as the text they are, which may end inside of a character: by their byte order mark, as UTF-16 where every second byte is
 * zero, by `charset`, or as UTF-8. Undefined for what is no text: a wrong sign in it would hide a name or a secret from who looks for it.
 */
export function readShownText(bytes: Uint8Array, charset: string | undefined): string | undefined {
  const decoder = openDecoder(wideEncoding(bytes) ?? charset) ?? openDecoder('utf-8');
  try {
    // As a stream, so that a character that is cut off at the end is left out.
    const text = decoder?.decode(bytes, { stream: true });
    return text?.includes('\0') === true ? undefined : text;
  } catch {
    return undefined;
  }
}

function openDecoder(charset: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

/** UTF-16 with a byte order mark or without, whatever its sender says it is. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const start = bytes.subarray(0, LOOKED_AT);
  const countZeros = (rest: 0 | 1): number =>
    start.filter((byte, index) => byte === 0 && index % 2 === rest).length;
  const [even, odd] = [countZeros(0), countZeros(1)];
  const many = start.length / 8;
  if (odd > many && even === 0) return 'utf-16le';
  return even > many && odd === 0 ? 'utf-16be' : undefined;
}
