import type { PlainObject } from '../../shared/plain-object.js';

/** Label of a connection. */
export interface ConnectionMetadata {
  readonly type: 'text' | 'email';
  /** At most 512 characters. */
  readonly value: string;
}

/** Part of `oauth` in expressions that is stored with the connection. */
export interface OAuthNames {
  /** The requested scopes, or those that `token.response.scope` says are granted. */
  readonly scope: readonly string[];
  readonly redirectUri: string | undefined;
  readonly localRedirectUri: string | undefined;
  readonly makeRedirectUri: string | undefined;
}

/**
 * A stored connection. `connection` and `parameters` contain credentials, and may contain dates and bytes: a JSON
 * store can use `toPortable` and `fromPortable`, or store dates as ISO 8601 text, which expressions compare with dates
 * too.
 */
export interface StoredConnection {
  /** Name of the connection component. */
  readonly component: string;
  /** `connection` in expressions of modules: the parameters and all `response.data`. */
  readonly connection: PlainObject;
  /** Values of the form. */
  readonly parameters: PlainObject;
  readonly metadata: ConnectionMetadata | undefined;
  /** User id at the remote API. */
  readonly uid: string | number | undefined;
  /** When the user has to authorize again: a date, or its ISO 8601 text. */
  readonly expires: Date | string | undefined;
  /** OAuth connections only. */
  readonly oauth: OAuthNames | undefined;
  /** Common data that replaced the app's when the connection was created; a refresh needs it. */
  readonly common: unknown;
}

/** The port to an embedder's connection store. */
export interface ConnectionStore {
  readonly get: (name: string) => Promise<StoredConnection | undefined>;
  /** Called after a refresh. Must replace the stored connection before it resolves, as old tokens may be invalid. */
  readonly save: (name: string, stored: StoredConnection) => Promise<void>;
  /**
   * Prevents other processes from refreshing the connection while `work` runs. Default: no lock across processes; one
   * engine always shares a refresh.
   */
  readonly exclusively?: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}
