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
      return viewAsBuffer(bytes)?.toString('hex') ?? Array.from(bytes, hexOfByte).join('');
    case 'base64':
      return viewAsBuffer(bytes)?.toString('base64') ?? btoa(latin1OfBytes(bytes));
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

function bytesOfHex(text: string): Uint8Array | undefined {
  if (text.length % 2 === 1 || /[^\da-f]/i.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = digitAt(text, index * 2) * 16 + digitAt(text, index * 2 + 1);
  }
  return bytes;
}

/** Reads a valid hex digit. The codes of the letters end in 1 to 6, those of the digits in their value. */
function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return (code & 15) + (code > 0x39 ? 9 : 0);
}

function bytesOfBase64(text: string): Uint8Array | undefined {
  const digits = text.replace(/[\t\n\f\r ]+/g, '').replace(/(?<!=)={1,2}$/, '');
  // A single digit after groups of four has six bits, too few for a byte.
  if (digits.length % 4 === 1 || /[^\w+/-]/.test(digits)) return undefined;
  return bytesOfLatin1(atob(digits.replaceAll('-', '+').replaceAll('_', '/')));
}

function bytesOfLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

function hexOfByte(byte: number): string {
  return byte.toString(16).padStart(2, '0');
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
