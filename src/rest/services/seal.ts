import { StoreError } from '../../shared/errors/engine-error.js';
import { SEAL_KEY_BYTES, seal, unseal } from '../../shared/seal.js';
import { configError } from '../problems.js';
import type { RestStore } from '../store/tables.js';

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

const CHECK_SETTING = 'encryption-check';

const CHECK = 'sealed with the key of this store';

/** Name of the setting with the sealed signing key. */
export const SIGNING_KEY_SETTING = 'oidc-signing-key';

/**
 * Checks that the encryption key is the one of the store; an empty store takes the first key. Every start of every
 * node runs this check, so that no other key seals data.
 *
 * @param source source of the key for messages: a file, a variable
 * @throws RestError `REST_CONFIG` for another key
 */
export async function assertEncryptionKey(store: RestStore, seal: Seal, source: string): Promise<void> {
  const known = await store.get('settings', { name: CHECK_SETTING });
  const opens = known ? canOpen(seal, known.value, CHECK_SETTING) : await opensOlderData(store, seal);
  if (!opens) throw wrongKey(source);
  if (known) return;
  const row = { name: CHECK_SETTING, value: seal.seal(CHECK, CHECK_SETTING) };
  try {
    await store.transaction((writer) => writer.insert('settings', row));
  } catch (error) {
    const winner = await store.get('settings', { name: CHECK_SETTING });
    if (!(error instanceof StoreError) || !winner) throw error;
    if (!canOpen(seal, winner.value, CHECK_SETTING)) throw wrongKey(source);
  }
}

/** A store without a check value may have data that an earlier version sealed. */
async function opensOlderData(store: RestStore, seal: Seal): Promise<boolean> {
  const signingKey = await store.get('settings', { name: SIGNING_KEY_SETTING });
  if (signingKey) return canOpen(seal, signingKey.value, SIGNING_KEY_SETTING);
  const [key] = await store.find('keys', { limit: 1 });
  return !key || key.parameters === '' || canOpen(seal, key.parameters, keyContext(key));
}

/** The context of the parameters of a key: its team and type never change. */
export function keyContext({
  teamId,
  typeName,
}: {
  readonly teamId: number;
  readonly typeName: string;
}): string {
  return `key:${teamId}:${typeName}`;
}

function canOpen(seal: Seal, sealed: string, context: string): boolean {
  try {
    seal.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

function wrongKey(source: string): Error {
  return configError(
    `${source} is not the encryption key that the data of this instance are sealed with. Start it with that key. ` +
      'If the key is lost, the encrypted data is lost too: start with an empty folder or database.',
  );
}
