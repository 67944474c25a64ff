/**
 * Percent-encoding in three dialects. A lone surrogate counts as U+FFFD, where `encodeURIComponent` throws a URIError.
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Unreserved characters, RFC 3986 section 2.3. */
const UNRESERVED = /^[\w.~-]*$/;

/** Encodes everything but unreserved characters (RFC 3986). For names and values of a query; most need no encoding. */
export function encodeComponent(text: string): string {
  if (UNRESERVED.test(text)) return text;
  const encoded = encodeURIComponent(wellFormed(text));
  return SUB_DELIMITER.test(encoded) ? encodeSubDelimiters(encoded) : encoded;
}

/** Characters that `encodeURIComponent` keeps but RFC 3986 reserves. */
const SUB_DELIMITER = /[!'()*]/;

/** Separate replacements are about ten times faster than one with a callback. */
function encodeSubDelimiters(text: string): string {
  return text
    .replace(/!/g, '%21')
    .replace(/'/g, '%27')
    .replace(/\(/g, '%28')
    .replace(/\)/g, '%29')
    .replace(/\*/g, '%2A');
}

/** Encodes `application/x-www-form-urlencoded`: space becomes `+`, letters, digits and `*-._` stay. */
export function encodeFormComponent(text: string): string {
  if (FORM_UNRESERVED.test(text)) return text;
  const source = Buffer.from(text, 'utf8');
  const target = Buffer.allocUnsafe(3 * source.length);
  let length = 0;
  // An index loop is twice as fast as the iterator of a buffer.
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] ?? 0;
    const written = FORM_BYTES[byte] ?? 0;
    if (written !== 0) {
      target[length++] = written;
    } else {
      target[length++] = 0x25;
      target[length++] = HEX_DIGITS[byte >> 4] ?? 0;
      target[length++] = HEX_DIGITS[byte & 15] ?? 0;
    }
  }
  return target.toString('latin1', 0, length);
}

const FORM_UNRESERVED = /^[\w*.-]*$/;

const HEX_DIGITS: Uint8Array = Buffer.from('0123456789ABCDEF');

/** Output byte by input byte; 0 for bytes that are escaped. */
const FORM_BYTES: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x20) return 0x2b;
  return byte < 0x80 && FORM_UNRESERVED.test(String.fromCharCode(byte)) ? byte : 0;
});

/**
 * Encodes everything but unreserved characters and reserved delimiters, and always `%`. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
export function encodeWhole(text: string): string {
  return encodeURI(wellFormed(text)).replaceAll('%5B', '[').replaceAll('%5D', ']');
}

/** Same as `encodeWhole`, but keeps existing percent-encodings. */
export function encodeRest(text: string): string {
  return encodeWhole(text).replace(/%25(?=[0-9A-Fa-f]{2})/g, '%');
}

/** Encodes spaces, control characters and characters beyond ASCII, which a request line cannot contain. [inf] */
export function encodeUnprintable(text: string): string {
  return wellFormed(text).replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** Decodes percent-encoded text. Invalid escapes and invalid UTF-8 stay readable. */
export function decodeComponent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return Buffer.from(unescapeBytes(text)).toString('utf8');
  }
}

/** Decodes a name or value of a query or form, where `+` is a space. */
export function decodeFormComponent(text: string): string {
  return decodeComponent(withSpaces(text));
}

/** `split` and `join` are about four times faster than `replaceAll` for many matches. */
function withSpaces(text: string): string {
  return text.includes('+') ? text.split('+').join(' ') : text;
}

function unescapeBytes(text: string): Uint8Array {
  const source = Buffer.from(text, 'utf8');
  const target = Buffer.alloc(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] ?? 0;
    const high = byte === 0x25 ? readDigit(source[index + 1]) : -1;
    const low = high < 0 ? -1 : readDigit(source[index + 2]);
    target[length++] = low < 0 ? byte : high * 16 + low;
    if (low >= 0) index += 2;
  }
  return target.subarray(0, length);
}

/** Returns the value of a hexadecimal digit, or -1. */
function readDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}
