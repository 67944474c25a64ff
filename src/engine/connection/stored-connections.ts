import { createSingleFlight } from '../../shared/concurrency.js';
import { AppError } from '../../shared/errors/app-error.js';
import {
  ANY_TEXT,
  checkMembers,
  checkValue,
  type OptionShapes,
  SIGNAL,
  TEXT_LIST,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { asRunError, type Reporting, type RunReport, reporting } from '../component/report.js';
import type { Connection } from './connection.js';
import type { ConnectionStore, StoredConnection } from './connection-store.js';

/** Options of opening a connection. */
export interface OpenOptions {
  /** Names of allowed connection components. Default: all. */
  readonly allowed?: readonly string[] | undefined;
  /** Ends the wait of this caller, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Report of opening a stored connection. */
export type OpenReport = RunReport<{ readonly stored: StoredConnection }, unknown>;

/** Stored connections of an engine. */
export interface StoredConnections {
  /** Rejects with EngineError. */
  readonly open: (name: string, options?: OpenOptions) => Promise<StoredConnection>;
  readonly report: (name: string, options?: OpenOptions) => Reporting<OpenReport>;
  /** Waits for running refreshes, so that renewed tokens are saved. */
  readonly settled: () => Promise<void>;
}

/**
 * Opens connections of a store. Concurrent callers share reading, refreshing and saving of a name: many APIs revoke a
 * connection if an old token is used twice. An aborted caller does not stop it.
 *
 * @param connectionOf returns the connection component of a name, if any
 * @returns `open` rejects with AppError: InvalidConfigurationError for an unknown name or a connection that is not
 * allowed,
 *   InvalidAccessTokenError for one that has expired or cannot be refreshed; EngineError (USAGE) for an invalid stored
 *   value. Errors of the store pass through
 */
export function createStoredConnections(
  store: ConnectionStore | undefined,
  connectionOf: (component: string) => Connection | undefined,
): StoredConnections {
  const opening = createSingleFlight<StoredConnection>();
  const refreshed = async (from: ConnectionStore, name: string): Promise<StoredConnection> => {
    const kept: StoredConnection | null | undefined = await from.get(name);
    // Stores without types may return null.
    if (kept === undefined || kept === null) throw unknownConnection(name);
    assertStored(name, kept);
    const connection = connectionOf(kept.component);
    if (connection === undefined) throw foreignConnection(name, kept);
    const report = await connection.refresh(kept).orThrow();
    if (report.stats.requests > 0) await from.save(name, report.stored);
    return report.stored;
  };
  const open: StoredConnections['open'] = async (name, options = {}) => {
    checkValue(name, ANY_TEXT, 'The name of a connection');
    checkMembers(options, OPEN_SHAPES, 'The options of openConnection');
    const { allowed = [], signal } = options;
    if (store === undefined) throw unknownConnection(name);
    const work = async (): Promise<StoredConnection> =>
      store.exclusively === undefined
        ? refreshed(store, name)
        : store.exclusively(name, () => refreshed(store, name));
    const stored = await opening.run(name, work, signal);
    assertStored(name, stored);
    if (allowed.length > 0 && !allowed.includes(stored.component))
      throw otherConnection(name, stored, allowed);
    return stored;
  };
  const report = async (name: string, options?: OpenOptions): Promise<OpenReport> => {
    try {
      return { ok: true, stored: await open(name, options), error: undefined };
    } catch (thrown) {
      const error = asRunError(thrown);
      if (error === undefined) throw thrown;
      return { ok: false, stored: undefined, error };
    }
  };
  return { open, report: (name, options) => reporting(report(name, options)), settled: opening.settled };
}

const OPEN_SHAPES: OptionShapes<OpenOptions> = { allowed: TEXT_LIST, signal: SIGNAL };

/** A store without types may return any value. */
function assertStored(name: string, kept: unknown): void {
  if (isPlainObject(kept) && typeof kept['component'] === 'string' && isPlainObject(kept['connection']))
    return;
  const message = `The stored connection "${name}" is invalid: expected an object with component and connection.`;
  throw new EngineError('USAGE', message);
}

function unknownConnection(name: string): AppError {
  return new AppError('InvalidConfigurationError', `There is no connection "${name}".`, {
    code: 'CONNECTION_MISSING',
  });
}

function foreignConnection(name: string, { component }: StoredConnection): AppError {
  const message = `The connection "${name}" was created for "${component}", which the app does not have.`;
  return new AppError('InvalidConfigurationError', message, { code: 'CONNECTION_OTHER_APP' });
}

function otherConnection(name: string, stored: StoredConnection, allowed: readonly string[]): AppError {
  const wanted = allowed.map((component) => `"${component}"`).join(' or ');
  const message = `The connection "${name}" was created for "${stored.component}": expected ${wanted}.`;
  return new AppError('InvalidConfigurationError', message, { code: 'CONNECTION_OTHER_APP' });
}
