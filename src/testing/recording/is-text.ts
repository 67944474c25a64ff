/** Whether bytes are readable UTF-8 text without control characters. */
export function isText(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) return false;
  return !text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(buffer);
}
