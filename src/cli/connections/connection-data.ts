import { StoreError } from '../../errors/engine-error.js';
import type { FindConnectionSecrets } from '../../host/scenarios/scenario-secrets.js';
import { collectGiven } from '../../redaction/collect-secrets.js';
import type { Io } from '../io.js';
import { configFolder } from './config-folder.js';
import { openConnectionFiles } from './connection-store.js';

/** Reads the data of a stored connection by name; an empty list for an unknown name. */
export type ReadConnectionData = (name: string) => Promise<readonly unknown[]>;

/** @returns a function that rejects with StoreError (STORE_FAILED) for a connection that cannot be opened */
export function createConnectionReader(env: Io['env']): ReadConnectionData {
  const files = openConnectionFiles(configFolder(env));
  return async (name) => {
    const entry = await files.read(name);
    if (entry === undefined) return [];
    const { connection, parameters, common } = entry.stored;
    return [connection, parameters, common];
  };
}

/** Collects the secrets of the user's connections. Skips those that cannot be opened. */
export function createConnectionSecrets(env: Io['env']): FindConnectionSecrets {
  const read = createConnectionReader(env);
  return async ({ connection }) => collectGiven(...(await read(connection).catch(ignoreUnreadable)));
}

function ignoreUnreadable(error: unknown): readonly unknown[] {
  if (error instanceof StoreError) return [];
  throw error;
}
