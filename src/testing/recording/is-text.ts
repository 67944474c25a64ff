/** Whether bytes are text in UTF-8 that a person can read: control characters are none, nor is what fits no character. */
export function isText(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) return false;
  return !text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(buffer);
}
