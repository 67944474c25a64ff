import type { StoredConnection } from './connection-store.js';
import type { ScopeRequest } from './required-scope.js';

/** What every step of a connection can be given. */
export interface ConnectionOptions {
  /** Replaces the common data of the connection, such as a client secret. */
  readonly common?: unknown;
  /** Stops the step: the exchange under way ends, and the step rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a connection is made of. */
export interface CreateInput extends ConnectionOptions, ScopeRequest {
  /** What the user filled in. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** What an authorization starts with. */
export interface AuthorizeInput extends CreateInput {
  /** Where the service sends the user back to; what `oauth.redirectUri` and, by default, the two others read. */
  readonly redirectUri: string;
  readonly localRedirectUri?: string | undefined;
  readonly makeRedirectUri?: string | undefined;
  /** What `oauth.codeVerifier` reads in `token`. Default: a new random one. */
  readonly codeVerifier?: string | undefined;
}

/** What a refresh can be given. */
export interface RefreshInput extends ConnectionOptions {
  /** Refreshes whatever the condition says. Default: false. */
  readonly force?: boolean | undefined;
}

/** A connection that was made before; with its data alone, the data stand for the parameters, too. */
export type KnownConnection = Pick<StoredConnection, 'connection'> & Partial<StoredConnection>;
