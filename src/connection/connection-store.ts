import type { PlainObject } from '../util/plain-object.js';

/** The label of a connection. */
export interface ConnectionMetadata {
  readonly type: 'text' | 'email';
  /** At most 512 characters. */
  readonly value: string;
}

/** What the expressions of a connection read as `oauth`, as far as it outlives the authorization. */
export interface OAuthNames {
  readonly scope: readonly string[];
  readonly redirectUri: string | undefined;
  readonly localRedirectUri: string | undefined;
  readonly makeRedirectUri: string | undefined;
}

/**
 * A connection as it is kept. `connection` and `parameters` hold credentials, and may hold dates and bytes:
 * a store that writes JSON keeps them with `toPortable` and `fromPortable`, or has dates come back as ISO 8601 text,
 * which expressions compare with dates all the same.
 */
export interface StoredConnection {
  /** Name of the app's connection it is made for. */
  readonly component: string;
  /** What expressions of modules read as `connection`: the parameters and all `response.data`. */
  readonly connection: PlainObject;
  /** What the user filled in. */
  readonly parameters: PlainObject;
  readonly metadata: ConnectionMetadata | undefined;
  /** The user at the remote service. */
  readonly uid: string | number | undefined;
  /** When the user has to authorize again: a date, or its ISO 8601 text. */
  readonly expires: Date | string | undefined;
  /** Of an OAuth connection. */
  readonly oauth: OAuthNames | undefined;
  /** What replaced the common data of the app's connection when this one was made; a refresh needs it again. */
  readonly common: unknown;
}

/** The port to where an embedder keeps connections. */
export interface ConnectionStore {
  readonly get: (name: string) => Promise<StoredConnection | undefined>;
  /** Called after a refresh: what is kept must be replaced before the promise resolves, as old tokens may be void. */
  readonly save: (name: string, stored: StoredConnection) => Promise<void>;
  /**
   * Keeps other processes from refreshing the same connection while `work` runs. Default: none does;
   * within one engine a refresh is shared anyway.
   */
  readonly exclusively?: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}
