import type { StoredConnection } from './connection-store.js';
import type { ScopeRequest } from './required-scope.js';

/** Options of every step of a connection. */
export interface ConnectionOptions {
  /** Replaces the common data of the connection, such as a client secret. */
  readonly common?: unknown;
  /** Aborts the step: the current exchange ends, and the step rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Input of `Connection.create`. */
export interface CreateInput extends ConnectionOptions, ScopeRequest {
  /** Values of the connection's form. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** Input of `Connection.authorize`. */
export interface AuthorizeInput extends CreateInput {
  /** Redirect URI of the callback. Expressions read it as `oauth.redirectUri` and, by default, the two others. */
  readonly redirectUri: string;
  readonly localRedirectUri?: string | undefined;
  readonly makeRedirectUri?: string | undefined;
  /** `oauth.codeVerifier` in `token`. Default: random. */
  readonly codeVerifier?: string | undefined;
}

/** Input of `Connection.refresh`. */
export interface RefreshInput extends ConnectionOptions {
  /** Refreshes even if the condition is false. Default: false. */
  readonly force?: boolean | undefined;
}

/** An existing connection. If only its data is given, the data is used for the parameters too. */
export type KnownConnection = Pick<StoredConnection, 'connection'> & Partial<StoredConnection>;
