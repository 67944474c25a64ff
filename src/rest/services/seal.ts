import { SEAL_KEY_BYTES, seal, unseal } from '../../shared/seal.js';
import { configError } from '../problems.js';

/** Encrypts texts that must not be readable in the store. */
export interface Seal {
  /** `context` is bound to the text: only the same context opens it, so that rows cannot swap their secrets. */
  seal(text: string, context: string): string;
  /** @throws RestError `REST_CONFIG` for text of another key or context and for changed text */
  open(sealed: string, context: string): string;
}

/**
 * A seal with a key. It opens what the same key sealed in the same context.
 *
 * @throws RestError `REST_CONFIG` if the key does not have 32 bytes; `open` throws it for text of another key or
 * context
 */
export function createSeal(key: Uint8Array): Seal {
  if (key.length !== SEAL_KEY_BYTES)
    throw configError(`The encryption key must have ${SEAL_KEY_BYTES} bytes.`);
  return {
    seal: (text, context) => seal(text, key, context),
    open: (sealed, context) => {
      const text = unseal(sealed, key, context);
      if (text !== undefined) return text;
      throw configError('A sealed text does not open: was it sealed with another key?');
    },
  };
}
