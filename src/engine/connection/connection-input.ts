import {
  ANY_BOOLEAN,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkMembers,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  SIGNAL,
  TEXT_LIST,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { fromPortable, toPortable } from '../../shared/portable-value.js';
import { type Reporting, type RunReport, reportFailure, reporting } from '../component/report.js';
import type { App, ConnectionComponent } from '../document/app.js';
import type { Document } from '../document/document.js';
import type { OAuthNames, StoredConnection } from './connection-store.js';

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

/** Shape of a connection store. */
export const STORE_SHAPE: OptionShape = objectWithFunctions(['get', 'save'], ['exclusively']);

const STEP_SHAPES: OptionShapes<AuthorizeInput & RefreshInput> = {
  parameters: ANY_OBJECT,
  common: ANY_VALUE,
  signal: SIGNAL,
  scopes: TEXT_LIST,
  modules: TEXT_LIST,
  webhooks: TEXT_LIST,
  endpoints: TEXT_LIST,
  redirectUri: ANY_TEXT,
  localRedirectUri: ANY_TEXT,
  makeRedirectUri: ANY_TEXT,
  codeVerifier: ANY_TEXT,
  force: ANY_BOOLEAN,
};

const KNOWN_SHAPES: Readonly<Record<string, OptionShape>> = {
  connection: ANY_OBJECT,
  parameters: ANY_OBJECT,
};

/** @throws EngineError (USAGE) for invalid input of a connection step */
export function checkStep(input: unknown): void {
  checkMembers(input, STEP_SHAPES, 'The input of a connection');
}

/** @throws EngineError (USAGE) for an invalid connection */
export function checkKnown(known: unknown): void {
  // Other members are allowed, as stores may add their own.
  checkMembers(known, KNOWN_SHAPES, 'A known connection', true);
}

/** Report of a connection step. `stored` has to be saved and contains credentials. */
export type ConnectionReport = RunReport<{ readonly stored: StoredConnection }>;

/** A started authorization. */
export interface Authorization {
  /** The page to redirect the user to. */
  readonly url: string;
  /** Input of `complete`, in this process or another. */
  readonly pending: PendingAuthorization;
}

/** Report of a started authorization. */
export type AuthorizationReport = RunReport<Authorization>;

/** Reports errors that occur before the first request of a step, too. */
export function reportStep<Given extends object>(
  step: () => Promise<RunReport<Given>>,
): Reporting<RunReport<Given>> {
  return reporting(step().catch((thrown: unknown) => reportFailure<Given>(thrown, undefined)));
}

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

/** Intended use of a connection. */
export interface ScopeRequest {
  /** Scopes by name. */
  readonly scopes?: readonly string[] | undefined;
  /** Names of modules whose scopes are required. */
  readonly modules?: readonly string[] | undefined;
  /** Names of webhooks whose scopes are required. */
  readonly webhooks?: readonly string[] | undefined;
  /** Names of endpoints whose scopes are required. */
  readonly endpoints?: readonly string[] | undefined;
}

/**
 * `oauth.scope` in expressions: the default scope of the connection and the scopes of its uses, without duplicates.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc]
 *
 * @throws EngineError (USAGE) for an unknown module, webhook or endpoint
 */
export function requiredScope(app: App, connection: ConnectionComponent, request: ScopeRequest): string[] {
  const ofModules = (request.modules ?? []).map((name) => find(app.modules, 'module', name).scope);
  const ofWebhooks = (request.webhooks ?? []).map(
    (name) => find(app.webhooks, 'webhook', name).requiredScope,
  );
  const ofEndpoints = (request.endpoints ?? []).map(
    (name) => find(app.endpoints, 'endpoint', name).requiredScope,
  );
  const documents = [connection.defaultScope, ...ofModules, ...ofWebhooks, ...ofEndpoints];
  return [...new Set([...documents.flatMap(scopesIn), ...(request.scopes ?? [])])];
}

/** Lists the modules, webhooks and endpoints that use a connection. */
export function listScopeUses(app: App, connection: string): ScopeRequest {
  const uses = (component: {
    readonly connection: string | undefined;
    readonly altConnection: string | undefined;
  }): boolean => component.connection === connection || component.altConnection === connection;
  return {
    modules: [...app.modules.values()].filter(uses).map(({ name }) => name),
    webhooks: [...app.webhooks.values()].filter(uses).map(({ name }) => name),
    endpoints: [...app.endpoints.values()]
      .filter(({ connections }) => connections.includes(connection))
      .map(({ name }) => name),
  };
}

/** A list of scopes, or one scope as text. */
function scopesIn(document: Document | undefined): readonly string[] {
  const values: readonly unknown[] = [document?.value].flat();
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

/**
 * The scopes in `token.response.scope`: a list, or text split at blanks and commas. Other values name none.
 * Source: https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf]
 */
export function readGrantedScope(value: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.split(/[\s,]+/) : []))
    .filter((scope) => scope !== '');
}

function find<Component>(components: ReadonlyMap<string, Component>, kind: string, name: string): Component {
  const component = components.get(name);
  if (component !== undefined) return component;
  throw new EngineError('USAGE', `The app has no ${kind} "${name}", whose scope was requested.`);
}
