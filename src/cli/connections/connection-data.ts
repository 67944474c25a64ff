import { StoreError } from '../../errors/engine-error.js';
import type { FindConnectionSecrets } from '../../host/scenarios/scenario-secrets.js';
import { collectGiven } from '../../redaction/collect-secrets.js';
import type { ConnectionFiles } from './connection-store.js';

/** Reads the data of a stored connection by name; an empty list for an unknown name. */
export type ReadConnectionData = (name: string) => Promise<readonly unknown[]>;

/** @returns a function that rejects with StoreError (STORE_FAILED) for a connection that cannot be opened */
export function createConnectionReader(files: ConnectionFiles): ReadConnectionData {
  return async (name) => {
    const entry = await files.read(name);
    if (entry === undefined) return [];
    const { connection, parameters, common } = entry.stored;
    return [connection, parameters, common];
  };
}

/** Collects the secrets of stored connections. Skips those that cannot be opened. */
export function createConnectionSecrets(files: ConnectionFiles): FindConnectionSecrets {
  const read = createConnectionReader(files);
  return async ({ connection }) => collectGiven(...(await read(connection).catch(ignoreUnreadable)));
}

function ignoreUnreadable(error: unknown): readonly unknown[] {
  if (error instanceof StoreError) return [];
  throw error;
}
