import { EngineError } from '../errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../util/plain-object.js';
import { fromPortable, toPortable } from '../util/portable-value.js';
import type { OAuthNames } from './connection-store.js';

/**
 * An authorization between the page and its callback: plain JSON data, so that another process can complete it.
 * `values` holds credentials: keep it where a connection could be kept, and only until it is completed.
 */
export interface PendingAuthorization {
  readonly version: 1;
  /** Name of the app's connection. */
  readonly component: string;
  /** What the callback has to bring as `state`; undefined with OAuth 1, which has none. */
  readonly state: string | undefined;
  /** What the callback has to bring as `oauth_token`, where the page of an OAuth 1 connection was told one. */
  readonly requestToken: string | undefined;
  readonly values: unknown;
}

/** What an authorization carries on to its callback. */
export interface PendingValues {
  readonly parameters: PlainObject;
  /** The connection as far as it is made. */
  readonly connection: PlainObject;
  readonly temp: PlainObject;
  readonly oauth: OAuthNames;
  readonly codeVerifier: string;
  /** What replaces the common data of the app's connection, if anything. */
  readonly common: unknown;
}

export function writePending(
  known: Omit<PendingAuthorization, 'version' | 'values'>,
  values: PendingValues,
): PendingAuthorization {
  return { version: 1, ...known, values: toPortable(values) };
}

/** @throws EngineError (USAGE) for what `authorize` of this connection has not made */
export function readPending(pending: PendingAuthorization, component: string): PendingValues {
  const values = fromPortable(pending.values);
  if (pending.version !== 1 || pending.component !== component || !isPlainObject(values)) {
    throw new EngineError('USAGE', `This is no pending authorization of the connection "${component}".`);
  }
  const oauth = collectionIn(values, 'oauth');
  const scope = ownMember(oauth, 'scope');
  return {
    parameters: collectionIn(values, 'parameters'),
    connection: collectionIn(values, 'connection'),
    temp: collectionIn(values, 'temp'),
    oauth: {
      scope: Array.isArray(scope) ? scope.filter((name) => typeof name === 'string') : [],
      redirectUri: textIn(oauth, 'redirectUri'),
      localRedirectUri: textIn(oauth, 'localRedirectUri'),
      makeRedirectUri: textIn(oauth, 'makeRedirectUri'),
    },
    codeVerifier: textIn(values, 'codeVerifier') ?? '',
    common: ownMember(values, 'common'),
  };
}

function collectionIn(object: PlainObject, name: string): PlainObject {
  const value = ownMember(object, name);
  return isPlainObject(value) ? value : {};
}

function textIn(object: PlainObject, name: string): string | undefined {
  const value = ownMember(object, name);
  return typeof value === 'string' ? value : undefined;
}
