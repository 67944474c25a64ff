import { AppError } from '../errors/app-error.js';
import { EngineError } from '../errors/engine-error.js';
import { isPlainObject } from '../util/plain-object.js';
import { createSingleFlight } from '../util/single-flight.js';
import type { Connection } from '../component/connection.js';
import type { ConnectionStore, StoredConnection } from './connection-store.js';

/** Finds a connection by the name it is kept under, and refreshes it if that is due. */
export type OpenConnection = (
  name: string,
  options?: {
    /** Names of the app's connections that may be used; none: any. */
    readonly allowed?: readonly string[] | undefined;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<StoredConnection>;

/** Connections that an engine is lent. */
export interface StoredConnections {
  readonly open: OpenConnection;
  /** Waits for what is being refreshed and saved: tokens that were renewed must not get lost. */
  readonly settled: () => Promise<void>;
}

/**
 * Opens connections out of a store. What a name stands for is read, refreshed and saved once for all who ask at the
 * same time: a second refresh with an old token would end the connection at many services. Who leaves does not stop it.
 *
 * @param connectionOf the app's connection of a name, undefined where it has none
 * @returns `open` throws AppError: InvalidConfigurationError for a name that is not kept or not of an allowed
 *   connection, InvalidAccessTokenError where the connection has expired or cannot be refreshed; EngineError (USAGE) for
 *   what is no connection. What the store itself rejects with is handed on
 */
export function createStoredConnections(
  store: ConnectionStore | undefined,
  connectionOf: (component: string) => Connection | undefined,
): StoredConnections {
  const opening = createSingleFlight<StoredConnection>();
  const refreshed = async (from: ConnectionStore, name: string): Promise<StoredConnection> => {
    const kept: StoredConnection | null | undefined = await from.get(name);
    // Stores without types may say null for what they do not have.
    if (kept === undefined || kept === null) throw unknownConnection(name);
    assertStored(name, kept);
    const connection = connectionOf(kept.component);
    if (connection === undefined) throw strangeConnection(name, kept);
    const report = await connection.refresh(kept);
    if (report.requests > 0) await from.save(name, report.stored);
    return report.stored;
  };
  const open: OpenConnection = async (name, { allowed = [], signal } = {}) => {
    if (store === undefined) throw unknownConnection(name);
    const work = (): Promise<StoredConnection> =>
      store.exclusively === undefined
        ? refreshed(store, name)
        : store.exclusively(name, () => refreshed(store, name));
    const stored = await opening.run(name, work, signal);
    assertStored(name, stored);
    if (allowed.length > 0 && !allowed.includes(stored.component))
      throw otherConnection(name, stored, allowed);
    return stored;
  };
  return { open, settled: opening.settled };
}

/** An embedder without types may keep anything. */
function assertStored(name: string, kept: unknown): void {
  const isStored =
    isPlainObject(kept) && typeof kept['component'] === 'string' && isPlainObject(kept['connection']);
  if (isStored) return;
  const message = `What the store gave for "${name}" is no connection: an object with component and connection is expected.`;
  throw new EngineError('USAGE', message);
}

function unknownConnection(name: string): AppError {
  return new AppError('InvalidConfigurationError', `There is no connection "${name}".`);
}

function strangeConnection(name: string, { component }: StoredConnection): AppError {
  const message = `The connection "${name}" is one of "${component}", which the app does not have.`;
  return new AppError('InvalidConfigurationError', message);
}

function otherConnection(name: string, stored: StoredConnection, allowed: readonly string[]): AppError {
  const wanted = allowed.map((component) => `"${component}"`).join(' or ');
  const message = `The connection "${name}" is one of "${stored.component}", and one of ${wanted} is needed.`;
  return new AppError('InvalidConfigurationError', message);
}
