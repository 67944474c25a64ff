/**
 * Percent-encoding in the three dialects a request needs. A surrogate without its partner counts as U+FFFD:
 * `encodeURIComponent` alone would throw a URIError.
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** RFC 3986 section 2.3. */
const UNRESERVED = /^[\w.~-]*$/;

/** Everything but letters, digits and `-._~` (RFC 3986 unreserved). For names and values of a query; most of them have nothing to encode. */
export function encodeComponent(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, percent);
}

/** As `application/x-www-form-urlencoded`: a space is `+`, and only letters, digits and `*-._` stay. */
export function encodeFormComponent(text: string): string {
  return encodeURIComponent(wellFormed(text))
    .replace(/[!'()~]/g, percent)
    .replaceAll('%20', '+');
}

/**
 * All that is no unreserved character and no reserved delimiter; `%` always.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
export function encodeWhole(text: string): string {
  return encodeURI(wellFormed(text)).replaceAll('%5B', '[').replaceAll('%5D', ']');
}

/** As `encodeWhole`, but for what is encoded already: `%` and two hexadecimal digits stay, whatever they stand for. */
export function encodeRest(text: string): string {
  return encodeWhole(text).replace(/%25(?=[0-9A-Fa-f]{2})/g, '%');
}

/**
 * Spaces and control characters only; all else is sent as written.
 * Characters beyond ASCII are encoded too, since a request line has no other form for them. [inf]
 */
export function encodeUnprintable(text: string): string {
  return wellFormed(text).replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** Reads a percent-encoded text; a `%` that starts no escape and bytes that are no UTF-8 stay readable. */
export function decodeComponent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return Buffer.from(unescapeBytes(text)).toString('utf8');
  }
}

/** Reads a name or value of a query or form, where `+` is a space. */
export function decodeFormComponent(text: string): string {
  return decodeComponent(text.replaceAll('+', ' '));
}

function unescapeBytes(text: string): Uint8Array {
  const source = Buffer.from(text, 'utf8');
  const target = Buffer.alloc(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index++) {
    const digits = source[index] === 0x25 ? source.toString('latin1', index + 1, index + 3) : '';
    const isEscape = /^[0-9a-f]{2}$/i.test(digits);
    target[length++] = isEscape ? Number.parseInt(digits, 16) : (source[index] ?? 0);
    if (isEscape) index += 2;
  }
  return target.subarray(0, length);
}

function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
