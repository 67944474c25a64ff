import { asRunError, type Report, type Reporting, reporting } from '../component/report.js';
import { AppError } from '../errors/app-error.js';
import {
  ANY_TEXT,
  checkMembers,
  checkValue,
  type OptionShapes,
  readSafely,
  SIGNAL,
  TEXT_LIST,
} from '../errors/check-options.js';
import { EngineError } from '../errors/engine-error.js';
import { isPlainObject } from '../util/plain-object.js';
import { createSingleFlight } from '../util/single-flight.js';
import type { Connection } from './connection.js';
import type { ConnectionStore, StoredConnection } from './connection-store.js';

/** For whom a connection is opened. */
export interface OpenOptions {
  /** Names of the app's connections that may be used. Default: any. */
  readonly allowed?: readonly string[] | undefined;
  /** Ends the wait of this caller, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of opening a connection that is kept. */
export type OpenReport = Report<{ readonly stored: StoredConnection }, unknown>;

/** Connections that an engine is lent. */
export interface StoredConnections {
  /** Rejects with EngineError. */
  readonly open: (name: string, options?: OpenOptions) => Promise<StoredConnection>;
  readonly report: (name: string, options?: OpenOptions) => Reporting<OpenReport>;
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

/** An embedder without types may keep anything. */
function assertStored(name: string, kept: unknown): void {
  const isStored = readSafely(
    `What the store gave for "${name}"`,
    () => isPlainObject(kept) && typeof kept['component'] === 'string' && isPlainObject(kept['connection']),
  );
  if (isStored) return;
  const message = `What the store gave for "${name}" is no connection: an object with component and connection is expected.`;
  throw new EngineError('USAGE', message);
}

function unknownConnection(name: string): AppError {
  return new AppError('InvalidConfigurationError', `There is no connection "${name}".`, {
    code: 'CONNECTION_MISSING',
  });
}

function strangeConnection(name: string, { component }: StoredConnection): AppError {
  const message = `The connection "${name}" is one of "${component}", which the app does not have.`;
  return new AppError('InvalidConfigurationError', message, { code: 'CONNECTION_OTHER_APP' });
}

function otherConnection(name: string, stored: StoredConnection, allowed: readonly string[]): AppError {
  const wanted = allowed.map((component) => `"${component}"`).join(' or ');
  const message = `The connection "${name}" is one of "${stored.component}", and one of ${wanted} is needed.`;
  return new AppError('InvalidConfigurationError', message, { code: 'CONNECTION_OTHER_APP' });
}
