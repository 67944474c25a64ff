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
import { type Report, type Reporting, reportFailure, reporting } from '../component/report.js';
import type { StoredConnection } from './connection-store.js';
import type { PendingAuthorization } from './pending-authorization.js';
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

/** Shape of a connection store. */
export const STORE_SHAPE: OptionShape = objectWithFunctions(['get', 'save'], ['exclusively']);

const STEP_SHAPES: OptionShapes<AuthorizeInput & RefreshInput> = {
  parameters: ANY_OBJECT,
  common: ANY_VALUE,
  signal: SIGNAL,
  scopes: TEXT_LIST,
  modules: TEXT_LIST,
  webhooks: TEXT_LIST,
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

/** @throws EngineError (USAGE) for invalid input of a connection step; ImlError (IML_HOST_VALUE) */
export function checkStep(input: unknown): void {
  checkMembers(input, STEP_SHAPES, 'The input of a connection');
}

/** @throws EngineError (USAGE) for an invalid connection; ImlError (IML_HOST_VALUE) */
export function checkKnown(known: unknown): void {
  // Other members are allowed, as stores may add their own.
  checkMembers(known, KNOWN_SHAPES, 'A known connection', true);
}

/** Report of a connection step. `stored` has to be saved and contains credentials. */
export type ConnectionReport = Report<{ readonly stored: StoredConnection }>;

/** A started authorization. */
export interface Authorization {
  /** The page to redirect the user to. */
  readonly url: string;
  /** Input of `complete`, in this process or another. */
  readonly pending: PendingAuthorization;
}

/** Report of a started authorization. */
export type AuthorizationReport = Report<Authorization>;

/** Reports errors that occur before the first request of a step, too. */
export function reportStep<Given extends object>(
  step: () => Promise<Report<Given>>,
): Reporting<Report<Given>> {
  return reporting(step().catch((thrown: unknown) => reportFailure<Given>(thrown, undefined)));
}
