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
