/** Text to bytes and back for the guest's `Buffer`, with Node's leniency towards malformed text. Part of the prelude. */
export const GUEST_ENCODINGS: string = String.raw`
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64URL = BASE64.slice(0, 62) + '-_';
const SEXTETS = new Map([...BASE64 + '-_'].map((char, index) => [char.charCodeAt(0), index < 64 ? index : index - 2]));

// Joins character codes without an argument list as long as the text.
function joinUnits(length, codeAt) {
  let text = '';
  for (let from = 0; from < length; from += 4096) {
    const codes = [];
    for (let index = from; index < length && index < from + 4096; index++) codes.push(codeAt(index));
    text += String.fromCharCode.apply(null, codes);
  }
  return text;
}

function fillBytes(length, byteAt) {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index++) bytes[index] = byteAt(index);
  return bytes;
}

function utf8ToBytes(text) {
  const bytes = new Uint8Array(text.length * 3);
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index);
    if (code < 0x80) {
      bytes[at++] = code;
      continue;
    }
    if (code >= 0xd800 && code < 0xe000) {
      const low = text.charCodeAt(index + 1);
      const isPair = code < 0xdc00 && low >= 0xdc00 && low < 0xe000;
      code = isPair ? 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff) : 0xfffd;
      if (isPair) index++;
    }
    if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
    else if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12);
    else bytes[at++] = 0xf0 | (code >> 18);
    if (code >= 0x10000) bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
    if (code >= 0x800) bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
    bytes[at++] = 0x80 | (code & 0x3f);
  }
  return bytes.slice(0, at);
}

// First byte of a sequence: the number of following bytes, and the bounds of the second byte. Other bytes become
// U+FFFD.
function utf8Lead(byte) {
  if (byte >= 0xc2 && byte <= 0xdf) return [1, 0x80, 0xbf];
  if (byte >= 0xe0 && byte <= 0xef) return [2, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf];
  if (byte >= 0xf0 && byte <= 0xf4) return [3, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf];
  return [0, 0, 0];
}

function utf8ToText(bytes) {
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const start = at;
    while (at < bytes.length && at - start < 4096 && bytes[at] < 0x80) at++;
    if (at > start) {
      text += String.fromCharCode.apply(null, bytes.subarray(start, at));
      continue;
    }
    const lead = bytes[at++];
    let [left, lower, upper] = utf8Lead(lead);
    let code = left === 0 ? -1 : lead & (0x3f >> left);
    while (left > 0 && at < bytes.length && bytes[at] >= lower && bytes[at] <= upper) {
      code = (code << 6) | (bytes[at++] & 0x3f);
      lower = 0x80;
      upper = 0xbf;
      left--;
    }
    text += code < 0 || left > 0 ? '\ufffd' : String.fromCodePoint(code);
  }
  return text;
}

function base64ToBytes(text) {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let at = 0;
  let bits = 0;
  let buffered = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x3d) break;
    const sextet = SEXTETS.get(code);
    if (sextet === undefined) continue;
    buffered = ((buffered << 6) | sextet) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = buffered >> bits;
  }
  return bytes.slice(0, at);
}

function bytesToBase64(bytes, alphabet, pad) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (bytes[at] << 16) | ((bytes[at + 1] || 0) << 8) | (bytes[at + 2] || 0);
    text += alphabet[group >> 18] + alphabet[(group >> 12) & 0x3f];
    text += at + 1 < bytes.length ? alphabet[(group >> 6) & 0x3f] : pad;
    text += at + 2 < bytes.length ? alphabet[group & 0x3f] : pad;
  }
  return text;
}

function hexToBytes(text) {
  const digits = /^(?:[0-9a-f]{2})*/i.exec(text)[0];
  return fillBytes(digits.length / 2, (index) => parseInt(digits.substr(index * 2, 2), 16));
}

function bytesToHex(bytes) {
  let text = '';
  for (let index = 0; index < bytes.length; index++) text += (bytes[index] < 16 ? '0' : '') + bytes[index].toString(16);
  return text;
}

const UTF8 = { toBytes: utf8ToBytes, toText: utf8ToText };
const LATIN1 = {
  toBytes: (text) => fillBytes(text.length, (index) => text.charCodeAt(index)),
  toText: (bytes) => joinUnits(bytes.length, (index) => bytes[index]),
};
const ASCII = { toBytes: LATIN1.toBytes, toText: (bytes) => joinUnits(bytes.length, (index) => bytes[index] & 0x7f) };
const UTF16 = {
  toBytes: (text) => fillBytes(text.length * 2, (index) => text.charCodeAt(index >> 1) >> (index & 1 ? 8 : 0)),
  toText: (bytes) => joinUnits(bytes.length >> 1, (index) => bytes[index * 2] | (bytes[index * 2 + 1] << 8)),
};
const CODECS = Object.assign(Object.create(null), {
  utf8: UTF8,
  'utf-8': UTF8,
  hex: { toBytes: hexToBytes, toText: bytesToHex },
  base64: { toBytes: base64ToBytes, toText: (bytes) => bytesToBase64(bytes, BASE64, '=') },
  base64url: { toBytes: base64ToBytes, toText: (bytes) => bytesToBase64(bytes, BASE64URL, '') },
  latin1: LATIN1,
  binary: LATIN1,
  ascii: ASCII,
  utf16le: UTF16,
  'utf-16le': UTF16,
  ucs2: UTF16,
  'ucs-2': UTF16,
});

function findCodec(encoding) {
  if (encoding === undefined || encoding === null) return UTF8;
  const codec = CODECS[String(encoding).toLowerCase()];
  if (codec === undefined) throw new TypeError('Unknown encoding: ' + encoding);
  return codec;
}

function textToBytes(text, encoding) {
  return findCodec(encoding).toBytes(text);
}

function bytesToText(bytes, encoding) {
  return findCodec(encoding).toText(bytes);
}
`;
