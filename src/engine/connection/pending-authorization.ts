import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { fromPortable, toPortable } from '../../shared/portable-value.js';
import type { OAuthNames } from './connection-store.js';

/**
 * An authorization between the page and its callback: plain JSON, so that another process can complete it. `values`
 * contains credentials: store it as safely as a connection, and only until it is completed.
 */
export interface PendingAuthorization {
  readonly version: 1;
  /** Name of the connection component. */
  readonly component: string;
  /** Expected `state` of the callback; undefined for OAuth 1. */
  readonly state: string | undefined;
  /** Expected `oauth_token` of the callback, if the page of an OAuth 1 connection has one. */
  readonly requestToken: string | undefined;
  readonly values: unknown;
}

/** Data carried from an authorization to its callback. */
export interface PendingValues {
  readonly parameters: PlainObject;
  /** The connection so far. */
  readonly connection: PlainObject;
  readonly temp: PlainObject;
  readonly oauth: OAuthNames;
  readonly codeVerifier: string;
  /** Common data that replaces the app's, if any. */
  readonly common: unknown;
}

export function writePending(
  known: Omit<PendingAuthorization, 'version' | 'values'>,
  values: PendingValues,
): PendingAuthorization {
  return { version: 1, ...known, values: toPortable(values) };
}

/** @throws EngineError (USAGE) for a value that `authorize` of this connection did not create */
export function readPending(pending: PendingAuthorization, component: string): PendingValues {
  const values = fromPortable(pending.values);
  if (pending.version !== 1 || pending.component !== component || !isPlainObject(values)) {
    throw new EngineError('USAGE', `Invalid pending authorization of the connection "${component}".`);
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
