import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isPlainObject } from '../util/plain-object.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text.
 *
 * @param key 32 bytes
 * @param purpose what the text is for: it opens only for the same
 */
export function seal(text: string, key: Uint8Array, purpose: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  cipher.setAAD(Buffer.from(purpose, 'utf8'));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const [encodedIv, tag, encoded] = [iv, cipher.getAuthTag(), data].map((bytes) => bytes.toString('base64'));
  return `${JSON.stringify({ version: 1, algorithm: ALGORITHM, iv: encodedIv, tag, data: encoded })}\n`;
}

/** What was sealed, or undefined for another key, another purpose, or a text that was changed. */
export function unseal(sealed: string, key: Uint8Array, purpose: string): string | undefined {
  try {
    const parts: unknown = JSON.parse(sealed);
    if (!isPlainObject(parts) || parts['version'] !== 1) return undefined;
    const [iv, tag, data] = ['iv', 'tag', 'data'].map((name) => Buffer.from(String(parts[name]), 'base64'));
    if (iv?.byteLength !== IV_BYTES || tag?.byteLength !== TAG_BYTES || data === undefined) return undefined;
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(purpose, 'utf8'));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8');
  } catch {
    // Nothing is told of why: it would help only somebody who tries.
    return undefined;
  }
}
