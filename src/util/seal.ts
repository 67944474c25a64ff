import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM: what was changed does not open. */
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** Bytes a key has to have. */
export const SEAL_KEY_BYTES = 32;

/**
 * Encrypts a text, with a fresh nonce each time. The result is one word of ASCII.
 *
 * @param key of `SEAL_KEY_BYTES`
 * @param purpose what the text is for: it opens only for the same, so that sealed texts cannot be put in each other's place
 */
export function seal(text: string, key: Uint8Array, purpose: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose, 'utf8'));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = [nonce, cipher.getAuthTag(), data].map((part) => part.toString('base64url'));
  return [VERSION, ...parts].join('.');
}

/** The sealed text; undefined if the key or the purpose differs, or the text was changed. */
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
    // The reason would only help an attacker.
    return undefined;
  }
}
