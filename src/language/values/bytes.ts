/** Conversions between text and bytes. In `ascii` and `latin1` a character is a byte. */
export type BytesEncoding = 'utf8' | 'hex' | 'base64' | 'latin1' | 'ascii';

const ENCODINGS: ReadonlyMap<string, BytesEncoding> = new Map([
  ['utf8', 'utf8'],
  ['utf-8', 'utf8'],
  ['text', 'utf8'],
  ['hex', 'hex'],
  ['base64', 'base64'],
  ['latin1', 'latin1'],
  ['binary', 'latin1'],
  ['ascii', 'ascii'],
]);

/** Finds an encoding by its case-insensitive name; `binary` is an alias of `latin1`, `text` of `utf8`. */
export function findEncoding(name: string): BytesEncoding | undefined {
  return name.length > 16 ? undefined : ENCODINGS.get(name.toLowerCase());
}

/**
 * Converts text to bytes; undefined for invalid hex or Base64. Base64 may lack padding, use the URL alphabet and have
 * line breaks. `latin1` drops the upper bits of larger characters. UTF-8 replaces a lone surrogate by U+FFFD.
 */
export function bytesOfText(text: string, encoding: BytesEncoding): Uint8Array | undefined {
  switch (encoding) {
    case 'utf8':
      return ENCODER.encode(text);
    case 'hex':
      return bytesOfHex(text);
    case 'base64':
      return bytesOfBase64(text);
    default:
      return bytesOfLatin1(text);
  }
}

/** Converts bytes to text: padded Base64, lower-case hex, U+FFFD for invalid UTF-8, `ascii` without the upper bit. */
export function textOfBytes(bytes: Uint8Array, encoding: BytesEncoding): string {
  switch (encoding) {
    case 'utf8':
      return DECODER.decode(bytes);
    case 'hex':
      return viewAsBuffer(bytes)?.toString('hex') ?? hexOfBytes(bytes);
    case 'base64':
      return viewAsBuffer(bytes)?.toString('base64') ?? base64OfBytes(bytes);
    case 'latin1':
      return viewAsBuffer(bytes)?.toString('latin1') ?? latin1OfBytes(bytes);
    case 'ascii':
      return textOfBytes(
        bytes.map((byte) => byte & 0x7f),
        'latin1',
      );
  }
}

/** Returns the maximum number of characters for `count` bytes. */
export function computeTextLength(count: number, encoding: BytesEncoding): number {
  if (encoding === 'hex') return count * 2;
  return encoding === 'base64' ? Math.ceil(count / 3) * 4 : count;
}

/** Returns a `Buffer` view of the bytes, whose conversions are faster; undefined outside Node. */
function viewAsBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer | undefined {
  const node: Pick<typeof Buffer, 'from'> | undefined = globalThis.Buffer;
  return node?.from(buffer, byteOffset, length);
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

const BASE64_CODES = toCodes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const HEX_CODES = toCodes('0123456789abcdef');
const PADDING = 0x3d;

const NO_DIGIT = 255;
const SPACE = 254;
const BASE64_DIGITS = makeDigitTable([...BASE64_CODES], { '-': 62, _: 63 });
const HEX_DIGITS = makeDigitTable([...HEX_CODES], { A: 10, B: 11, C: 12, D: 13, E: 14, F: 15 });
for (const space of '\t\n\f\r ') BASE64_DIGITS[space.charCodeAt(0)] = SPACE;

function toCodes(alphabet: string): Uint8Array {
  return Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
}

/** Creates a table from character codes below 256 to digit values. */
function makeDigitTable(codes: readonly number[], more: Readonly<Record<string, number>>): Uint8Array {
  const digits = new Uint8Array(256).fill(NO_DIGIT);
  for (const [digit, code] of codes.entries()) digits[code] = digit;
  for (const [character, digit] of Object.entries(more)) digits[character.charCodeAt(0)] = digit;
  return digits;
}

function digitAt(text: string, index: number, digits: Uint8Array): number {
  return digits[text.charCodeAt(index)] ?? NO_DIGIT;
}

function bytesOfHex(text: string): Uint8Array | undefined {
  if (text.length % 2 === 1) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    const high = digitAt(text, index * 2, HEX_DIGITS);
    const low = digitAt(text, index * 2 + 1, HEX_DIGITS);
    if (high === NO_DIGIT || low === NO_DIGIT) return undefined;
    bytes[index] = high * 16 + low;
  }
  return bytes;
}

function bytesOfBase64(text: string): Uint8Array | undefined {
  const end = endOfBase64(text);
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  let length = 0;
  let digitCount = 0;
  let group = 0;
  for (let index = 0; index < end; index++) {
    const digit = digitAt(text, index, BASE64_DIGITS);
    if (digit === SPACE) continue;
    if (digit === NO_DIGIT) return undefined;
    group = ((group << 6) | digit) & 0xffff;
    digitCount++;
    // Every digit except the first of a group of four completes a byte. Lower bits remain for the next byte.
    const remaining = (3 - ((digitCount - 1) % 4)) * 2;
    if (remaining < 6) bytes[length++] = group >> remaining;
  }
  // A single digit has six bits, too few for a byte.
  return digitCount % 4 === 1 ? undefined : bytes.subarray(0, length);
}

/** Returns the offset after the last digit: before the padding and the white space around it. */
function endOfBase64(text: string): number {
  let end = text.length;
  let paddings = 0;
  while (end > 0) {
    const code = text.charCodeAt(end - 1);
    if (code === PADDING) paddings++;
    if (paddings > 2 || (code !== PADDING && BASE64_DIGITS[code] !== SPACE)) break;
    end--;
  }
  return end;
}

function bytesOfLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

function hexOfBytes(bytes: Uint8Array): string {
  const codes = new Uint8Array(bytes.length * 2);
  let length = 0;
  for (const byte of bytes) {
    codes[length++] = HEX_CODES[byte >> 4] ?? 0;
    codes[length++] = HEX_CODES[byte & 15] ?? 0;
  }
  return DECODER.decode(codes);
}

function base64OfBytes(bytes: Uint8Array): string {
  const codes = new Uint8Array(computeTextLength(bytes.length, 'base64')).fill(PADDING);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    codes[length++] = BASE64_CODES[group >> 18] ?? 0;
    codes[length++] = BASE64_CODES[(group >> 12) & 63] ?? 0;
    if (index + 1 < bytes.length) codes[length++] = BASE64_CODES[(group >> 6) & 63] ?? 0;
    if (index + 2 < bytes.length) codes[length++] = BASE64_CODES[group & 63] ?? 0;
  }
  return DECODER.decode(codes);
}

function latin1OfBytes(bytes: Uint8Array): string {
  // Not TextDecoder: its `latin1` is windows-1252. In chunks, as each byte becomes an argument of a call.
  const chunk = 8192;
  let text = '';
  for (let index = 0; index < bytes.length; index += chunk) {
    text += String.fromCharCode(...bytes.subarray(index, index + chunk));
  }
  return text;
}
