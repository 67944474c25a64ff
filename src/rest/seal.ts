import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { configError } from './problems.js';

/** Encrypts texts that must not be readable in the store: AES-256-GCM, a fresh nonce each. */
export interface Seal {
  /** `context` is bound to the text: only the same context opens it, so that rows cannot swap their secrets. */
  seal(text: string, context: string): string;
  /** @throws RestError `REST_CONFIG` when the text was sealed with another key or context, or changed since */
  open(sealed: string, context: string): string;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const VERSION = 'v1';

/** @throws RestError `REST_CONFIG` when the key is not of 32 bytes */
export function createSeal(key: Uint8Array): Seal {
  if (key.length !== KEY_BYTES) throw configError(`The encryption key must have ${KEY_BYTES} bytes.`);
  return {
    seal: (text, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return [VERSION, ...[nonce, cipher.getAuthTag(), data].map((part) => part.toString('base64url'))].join(
        '.',
      );
    },
    open: (sealed, context) => {
      const [version, nonce = '', tag = '', data = ''] = sealed.split('.');
      if (version !== VERSION) throw configError('A sealed text has an unknown form.');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'));
        decipher.setAAD(Buffer.from(context)).setAuthTag(Buffer.from(tag, 'base64url'));
        return decipher.update(data, 'base64url', 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw configError('A sealed text does not open: was it sealed with another key?', cause);
      }
    },
  };
}
