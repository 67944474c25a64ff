/** A text in UTF-8. A surrogate without its partner becomes U+FFFD. */
export function textBytes(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}
