import type { ConnectionComponent } from '../document/app.js';
import { createSingleFlight } from '../util/single-flight.js';
import type { Maker } from '../connection/connection-maker.js';
import type { ConnectionReport } from '../connection/connection-run.js';
import { type CompiledConnection, compileConnection } from '../connection/connection-spec.js';
import type { StoredConnection } from '../connection/connection-store.js';
import { authorize, complete, create } from '../connection/make-connection.js';
import type { PendingAuthorization } from '../connection/pending-authorization.js';
import type { CallbackQuery } from '../connection/receive-callback.js';
import type { ScopeRequest } from '../connection/required-scope.js';
import type { Runtime } from './runtime.js';
import { invalidate, refresh, test } from '../connection/use-connection.js';

/** What every step of a connection can be given. */
export interface ConnectionOptions {
  /** Replaces the common data of the connection, such as a client secret. */
  readonly common?: unknown;
  /** Stops the step: the exchange under way ends, and the step rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface CreateInput extends ConnectionOptions, ScopeRequest {
  /** What the user filled in. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

export interface AuthorizeInput extends CreateInput {
  /** Where the service sends the user back to; what `oauth.redirectUri` and, by default, the two others read. */
  readonly redirectUri: string;
  readonly localRedirectUri?: string | undefined;
  readonly makeRedirectUri?: string | undefined;
  /** What `oauth.codeVerifier` reads in `token`. Default: a new random one. */
  readonly codeVerifier?: string | undefined;
}

export interface Authorization {
  /** The page to send the user to. */
  readonly url: string;
  /** For `complete`, in this process or another. */
  readonly pending: PendingAuthorization;
  /** Requests that were sent before the page. */
  readonly requests: number;
}

export interface RefreshInput extends ConnectionOptions {
  /** Refreshes whatever the condition says. Default: false. */
  readonly force?: boolean | undefined;
}

/** A connection that was made before; with its data alone, the data stand for the parameters, too. */
export type KnownConnection = Pick<StoredConnection, 'connection'> & Partial<StoredConnection>;

/**
 * A connection of an app: how one is made, tested, refreshed and ended.
 * Every step rejects with AppError for what the service or the app says, and with SpecError for a communication that
 * cannot be run. A report's `stored` is what is to be kept.
 */
export interface Connection {
  readonly name: string;
  readonly type: 'basic' | 'oauth';
  /** Whether its user has to open a page: then `authorize` and `complete` take the place of `create`. */
  readonly needsPage: () => Promise<boolean>;
  /** Makes a connection that needs no page: a basic one, or an OAuth one without `authorize`. */
  readonly create: (input?: CreateInput) => Promise<ConnectionReport>;
  /** Starts an authorization: what comes before the page, and the address of the page. */
  readonly authorize: (input: AuthorizeInput) => Promise<Authorization>;
  /** Finishes an authorization with the query of its callback. */
  readonly complete: (
    pending: PendingAuthorization,
    query: CallbackQuery,
    options?: ConnectionOptions,
  ) => Promise<ConnectionReport>;
  /** Asks the service whether a connection works: its `info`, or the one communication of a basic connection. */
  readonly test: (known: KnownConnection, options?: ConnectionOptions) => Promise<ConnectionReport>;
  /**
   * Renews credentials if they are due; `requests` of the report is 0 where they are not. Any number of callers who ask
   * with the same data at the same time share one refresh; one who leaves does not stop it.
   */
  readonly refresh: (known: KnownConnection, input?: RefreshInput) => Promise<ConnectionReport>;
  /** Tells the service that a connection is given up. */
  readonly invalidate: (known: KnownConnection, options?: ConnectionOptions) => Promise<ConnectionReport>;
}

/**
 * Makes a connection of an app ready; nothing is compiled before the first step.
 *
 * @see reference/connections-modules-rpcs.md (Connections)
 */
export function createConnection(component: ConnectionComponent, runtime: Runtime): Connection {
  let compiled: Promise<CompiledConnection> | undefined;
  const compile = (): Promise<CompiledConnection> => {
    compiled ??= runtime.directives().then((context) => compileConnection(component, context));
    return compiled;
  };
  const maker: Maker = { component, runtime, compile, refreshes: createSingleFlight() };
  return {
    name: component.name,
    type: component.type,
    needsPage: async () => {
      const connection = await compile();
      return connection.kind !== 'basic' && connection.authorize !== undefined;
    },
    create: (input = {}) => create(maker, input),
    authorize: (input) => authorize(maker, input),
    complete: (pending, query, options = {}) => complete(maker, pending, query, options),
    test: (known, options = {}) => test(maker, known, options),
    refresh: (known, input = {}) => refresh(maker, known, input),
    invalidate: (known, options = {}) => invalidate(maker, known, options),
  };
}
