import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Authenticated encryption: changed data does not decrypt. */
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** Required key length in bytes. */
export const SEAL_KEY_BYTES = 32;

/**
 * Encrypts a text with a random nonce. The result is ASCII without spaces.
 *
 * @param key of `SEAL_KEY_BYTES` bytes
 * @param purpose additional authenticated data: a text sealed for one purpose does not open for another
 */
export function seal(text: string, key: Uint8Array, purpose: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose, 'utf8'));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = [nonce, cipher.getAuthTag(), data].map((part) => part.toString('base64url'));
  return [VERSION, ...parts].join('.');
}

/** Decrypts a sealed text. Returns undefined if key or purpose differ, or the text was changed. */
export function unseal(sealed: string, key: Uint8Array, purpose: string): string | undefined {
  const [version, ...encoded] = sealed.split('.');
  const [nonce, tag, data] = encoded.map((part) => Buffer.from(part, 'base64url'));
  if (version !== VERSION || encoded.length !== 3 || data === undefined) return undefined;
  if (nonce?.byteLength !== NONCE_BYTES || tag?.byteLength !== TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose, 'utf8')).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8');
  } catch {
    // A reason would only help an attacker.
    return undefined;
  }
}
