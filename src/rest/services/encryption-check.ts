import { StoreError } from '../../shared/errors/engine-error.js';
import { configError } from '../problems.js';
import type { RestStore } from '../store/tables.js';
import { SIGNING_KEY_SETTING } from './oidc-provider.js';
import type { Seal } from './seal.js';

const SETTING = 'encryption-check';
const CHECK = 'sealed with the key of this store';

/**
 * Checks that the encryption key is the one of the store; an empty store takes the first key. Every start of every
 * node runs this check, so that no other key seals data.
 *
 * @param source source of the key for messages: a file, a variable
 * @throws RestError `REST_CONFIG` for another key
 */
export async function assertEncryptionKey(store: RestStore, seal: Seal, source: string): Promise<void> {
  const known = await store.get('settings', { name: SETTING });
  const opens = known ? canOpen(seal, known.value, SETTING) : await opensOlderData(store, seal);
  if (!opens) throw wrongKey(source);
  if (known) return;
  const row = { name: SETTING, value: seal.seal(CHECK, SETTING) };
  try {
    await store.transaction((writer) => writer.insert('settings', row));
  } catch (error) {
    const winner = await store.get('settings', { name: SETTING });
    if (!(error instanceof StoreError) || !winner) throw error;
    if (!canOpen(seal, winner.value, SETTING)) throw wrongKey(source);
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
    `${source} is not the encryption key that the data of this instance are sealed with. Start it with that key; where it is lost, ` +
      'so is what was sealed: begin with an empty folder or database.',
  );
}
