import { decodeText } from '../http/body/decode-text.js';

/** As it stands in an address, a form and JSON, where it is another text there. */
export function listEscapings(secret: string): readonly string[] {
  if (!/[^\w.-]/.test(secret)) return [];
  return others(secret, [...escapeForAddresses(secret), ...escapeForJson(secret)]);
}

/**
 * In quoted-printable without its line breaks and in words of headers; letters beyond ASCII composed or not, and read as if each
 * byte were one.
 */
export function listRewritings(secret: string): readonly string[] {
  if (!/[^A-Za-z0-9]/.test(secret)) return [];
  const bytes = Buffer.from(secret, 'utf8');
  const latin1 = bytes.toString('latin1');
  if (latin1 === secret) return others(secret, quote(latin1));
  const misread = [latin1, decodeText(bytes, 'windows-1252')];
  return others(secret, [...quote(latin1), secret.normalize('NFC'), secret.normalize('NFD'), ...misread]);
}

/** Those of whole addresses, of parts of them by JavaScript and by RFC 3986, and of forms. .NET and Java write digits in lower case. */
function escapeForAddresses(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  const strict = percent.replace(/[!'()*]/g, (sign) => `%${toHex(sign, 2).toUpperCase()}`);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const parts = [percent, strict, form];
  return [encodeURI(secret), ...parts, ...parts.map((text) => text.replace(/%../g, toLowerCase))];
}

/** As JavaScript writes it; as PHP does; in ASCII only, with digits of either case; as Go does, for HTML, and as .NET. */
function escapeForJson(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const lower = json.replace(/[\x7f-\uffff]/g, escapeUnit);
  const upper = json.replace(/[\x7f-\uffff]/g, escapeUnitInCapitals);
  return [
    ...[json, json.replaceAll('/', '\\/'), lower, lower.replaceAll('/', '\\/'), upper],
    json.replace(/[<>&\u2028\u2029]/g, escapeUnit),
    upper.replaceAll('\\"', '"').replace(/[<>&+'"`]/g, escapeUnitInCapitals),
  ];
}

/** What has to be escaped in a text, all that is no letter and no digit, and what has to be in a header, where blanks are `_`. */
function quote(bytes: string): string[] {
  const everything = escapeBytes(bytes, /[^A-Za-z0-9]/g);
  const phrase = escapeBytes(bytes, /[^A-Za-z0-9!*+/-]/g);
  const texts = [
    escapeBytes(bytes, /[^ -<>-~]/g),
    everything,
    everything.replaceAll('=20', '_'),
    phrase.replaceAll('=20', '_'),
  ];
  return [...texts, ...texts.map((text) => text.replace(/=../g, toLowerCase))];
}

function escapeBytes(bytes: string, what: RegExp): string {
  return bytes.replace(what, (byte) => `=${toHex(byte, 2).toUpperCase()}`);
}

function escapeUnit(unit: string): string {
  return `\\u${toHex(unit, 4)}`;
}

function escapeUnitInCapitals(unit: string): string {
  return `\\u${toHex(unit, 4).toUpperCase()}`;
}

function toHex(unit: string, digits: number): string {
  return unit.charCodeAt(0).toString(16).padStart(digits, '0');
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}

function others(secret: string, texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== secret);
}
