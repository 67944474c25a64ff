import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM: what was changed does not open. */
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** Bytes a key has to have. */
export const SEAL_KEY_BYTES = 32;

/** A text that is being encrypted, a piece after the other. */
export interface Sealing {
  readonly add: (piece: string) => void;
  /** One word of ASCII. */
  readonly finish: () => string;
}

/** What is being decrypted. */
export interface Unsealing {
  /** What `add` is to be given, in pieces. */
  readonly data: Uint8Array;
  readonly add: (piece: Uint8Array) => void;
  /** Undefined where it was changed: nothing of it may be used before. */
  readonly finish: () => Buffer | undefined;
}

/**
 * Encrypts a text, with a fresh nonce each time. The result is one word of ASCII.
 *
 * @param key of `SEAL_KEY_BYTES`
 * @param purpose what the text is for: it opens only for the same, so that sealed texts cannot be put in each other's place
 */
export function seal(text: string, key: Uint8Array, purpose: string): string {
  const sealing = startSeal(key, purpose);
  sealing.add(text);
  return sealing.finish();
}

/** What was sealed, or undefined for another key, another purpose, or a text that was changed. */
export function unseal(sealed: string, key: Uint8Array, purpose: string): string | undefined {
  const opening = openSeal(sealed, key, purpose);
  opening?.add(opening.data);
  return opening?.finish()?.toString('utf8');
}

/** `seal` for a text that comes in pieces. */
export function startSeal(key: Uint8Array, purpose: string): Sealing {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose, 'utf8'));
  const pieces: Buffer[] = [];
  return {
    add: (piece) => void pieces.push(cipher.update(piece, 'utf8')),
    finish: () => {
      const data = Buffer.concat([...pieces, cipher.final()]);
      const parts = [nonce, cipher.getAuthTag(), data].map((part) => part.toString('base64url'));
      return [VERSION, ...parts].join('.');
    },
  };
}

/** `unseal` a piece at a time; undefined for what `seal` has not written. */
export function openSeal(sealed: string, key: Uint8Array, purpose: string): Unsealing | undefined {
  const [version, ...encoded] = sealed.split('.');
  const [nonce, tag, data] = encoded.map((part) => Buffer.from(part, 'base64url'));
  if (version !== VERSION || encoded.length !== 3 || data === undefined) return undefined;
  if (nonce?.byteLength !== NONCE_BYTES || tag?.byteLength !== TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose, 'utf8')).setAuthTag(tag);
  const pieces: Buffer[] = [];
  return {
    data,
    add: (piece) => void pieces.push(decipher.update(piece)),
    finish: () => {
      try {
        return Buffer.concat([...pieces, decipher.final()]);
      } catch {
        // Nothing is told of why: it would help only somebody who tries.
        return undefined;
      }
    },
  };
}
