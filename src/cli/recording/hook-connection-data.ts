import { EngineError } from '../../errors/engine-error.js';
import { findHookRows } from '../../host/hooks/hooks.js';
import type { HostStore } from '../../host/store/tables.js';
import type { ReadConnectionData } from '../connections/connection-data.js';

/**
 * Connection data of a hook, of all members for a shared webhook: the API may send it with a call.
 *
 * @throws EngineError (HOST_MISSING) for a removed hook; StoreError (STORE_FAILED) for a connection that cannot be
 * opened
 */
export async function findHookConnectionData(
  store: HostStore,
  hookId: number,
  readData: ReadConnectionData,
): Promise<readonly unknown[]> {
  const hooks = await findHookRows(store, hookId);
  if (hooks.length === 0) throw new EngineError('HOST_MISSING', `There is no hook ${hookId}.`);
  const names = new Set(hooks.flatMap(({ connection }) => connection ?? []));
  return Promise.all([...names].map(readData));
}
