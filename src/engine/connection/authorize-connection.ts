import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { toText } from '../../language/values/value.js';
import { AppError } from '../../shared/errors/app-error.js';
import { EngineError, SpecError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { checkForm } from '../component/check-parameters.js';
import type { Runtime } from '../component/runtime.js';
import type { ConnectionComponent } from '../document/app.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRequest, CompiledResponse, CompiledValid } from '../document/compiled-request.js';
import { decodeFormComponent, encodeComponent } from '../http/http-url.js';
import { readForm } from '../parameters/form.js';
import { checkResponse, extendTemp, failureError } from '../run/exchange.js';
import { resolveRequest } from '../run/resolve-request.js';
import { type RunContext, withPosition } from '../run/run-context.js';
import type { CompiledConnection } from './compile-connection.js';
import {
  type AuthorizationReport,
  type AuthorizeInput,
  type ConnectionOptions,
  type ConnectionReport,
  type CreateInput,
  type PendingAuthorization,
  readPending,
  requiredScope,
  writePending,
} from './connection-input.js';
import { type ConnectionRun, runConnection } from './connection-run.js';
import type { OAuthNames } from './connection-store.js';
import { emptyConnection, prepareStart, type StepContext } from './start-step.js';

/** Implements `Connection.create`. */
export async function create(context: StepContext, input: CreateInput): Promise<ConnectionReport> {
  const { component, runtime } = context;
  const compiled = await context.compile();
  if (compiled.kind !== 'basic' && compiled.authorize !== undefined) {
    const message = `The connection "${component.name}" needs an authorization by its user. Use authorize and complete.`;
    throw new EngineError('USAGE', message);
  }
  assertObtainable(component, compiled);
  const parameters = await checkConnectionParameters(component, { ...input.parameters }, runtime);
  const oauth = component.type === 'oauth' ? oauthNames(context, input, undefined) : undefined;
  const stored = { ...emptyConnection(component, parameters, oauth), common: input.common };
  const start = prepareStart(context, stored, input, { oauth });
  return runConnection(runtime, start, async (run) => {
    if (compiled.kind === 'basic') {
      await run.runSection(compiled.requests);
      return run.result();
    }
    await run.runSection(compiled.before);
    await run.runSection(compiled.token, 'OAUTH_TOKEN_REFUSED');
    await run.runSection(compiled.info);
    return run.result();
  });
}

/**
 * Checks that an OAuth connection has a page or requests a token by itself.
 *
 * @throws SpecError (SPEC_INVALID) if it does neither
 */
export function assertObtainable(
  { name, communication }: ConnectionComponent,
  compiled: CompiledConnection,
): void {
  if (compiled.kind === 'basic' || compiled.authorize !== undefined || compiled.token.length > 0) return;
  throw new SpecError('SPEC_INVALID', `The connection "${name}" needs authorize or token.`, {
    place: communication?.locationOf(''),
  });
}

/** Implements `Connection.authorize`. */
export async function authorize(context: StepContext, input: AuthorizeInput): Promise<AuthorizationReport> {
  const { component, runtime } = context;
  const compiled = await context.compile();
  if (compiled.kind === 'basic' || compiled.authorize === undefined) {
    const message = `The connection "${component.name}" has no authorization page. Use create.`;
    throw new EngineError('USAGE', message);
  }
  const { kind, before, authorize: page } = compiled;
  const parameters = await checkConnectionParameters(component, { ...input.parameters }, runtime);
  const codeVerifier = input.codeVerifier ?? createNonce();
  const proofKey = writeProofKey(codeVerifier);
  const state = kind === 'oauth2' ? createNonce() : undefined;
  const oauth = oauthNames(context, input, input.redirectUri);
  const names = { ...oauth, ...proofKey };
  const start = prepareStart(context, emptyConnection(component, parameters, oauth), input, { oauth: names });
  return runConnection(runtime, start, async (run) => {
    await run.runSection(before);
    const here = withPosition(run.context, { document: page.document, requestIndex: 0 });
    const context = extendTemp(page.temp, here);
    const url = buildAuthorizePage(page, { state, codeChallenge: proofKey.codeChallenge }, context);
    const requestToken = kind === 'oauth1' ? readQueryValue(url, 'oauth_token') : undefined;
    const temp = context.scope['temp'];
    const pending = writePending(
      { component: component.name, state, requestToken },
      {
        parameters,
        oauth,
        codeVerifier,
        common: input.common,
        connection: run.stored.connection,
        temp: isPlainObject(temp) ? temp : {},
      },
    );
    return { url, pending };
  });
}

/** Implements `Connection.complete`. */
export async function complete(
  context: StepContext,
  pending: PendingAuthorization,
  query: CallbackQuery,
  options: ConnectionOptions,
): Promise<ConnectionReport> {
  const { component, runtime } = context;
  const { parameters, connection, temp, oauth, codeVerifier, common } = readPending(pending, component.name);
  assertOwnCallback(pending, query);
  const compiled = await context.compile();
  if (compiled.kind === 'basic' || compiled.authorize === undefined) {
    throw new SpecError('SPEC_INVALID', `The connection "${component.name}" has no authorize section.`);
  }
  const { authorize: page, token, info } = compiled;
  const names = { ...oauth, codeVerifier, ...writeProofKey(codeVerifier) };
  const stored = {
    ...emptyConnection(component, parameters, oauth),
    connection,
    common: options.common ?? common,
  };
  const start = prepareStart(context, stored, options, { oauth: names, query: { ...query } });
  return runConnection(runtime, { ...start, temp, secrets: codeVerifier }, async (run) => {
    await receiveCallback(page, query, run);
    await run.runSection(token, 'OAUTH_TOKEN_REFUSED');
    await run.runSection(info);
    return run.result();
  });
}

/** Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc] */
function oauthNames(
  { component, runtime }: StepContext,
  input: CreateInput & Partial<AuthorizeInput>,
  redirectUri: string | undefined,
): OAuthNames {
  return {
    scope: requiredScope(runtime.app, component, input),
    redirectUri,
    localRedirectUri: input.localRedirectUri ?? redirectUri,
    makeRedirectUri: input.makeRedirectUri ?? redirectUri,
  };
}

/** Parameters of the authorization page beside the app's query. */
export interface PageSecrets {
  /** Undefined: no state is sent. */
  readonly state: string | undefined;
  readonly codeChallenge: string;
}

/**
 * Builds the URL of the authorization page from url and qs of `authorize`; sends nothing. `state` always is the
 * engine's. Adds the method of our code challenge if the app omits it. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/connections. [doc][inf]; RFC 7636 section 4.3.
 *
 * @throws AppError of type RuntimeError for an invalid URL
 */
function buildAuthorizePage(
  authorize: CompiledRequest,
  { state, codeChallenge }: PageSecrets,
  context: RunContext,
): string {
  const resolved = resolveRequest(authorize, undefined, context);
  const url = resolved?.request.url ?? '';
  const added: [string, string][] = [];
  if (state !== undefined) added.push(['state', state]);
  const isPlainChallenge =
    readQueryValue(url, 'code_challenge') === codeChallenge &&
    readQueryValue(url, 'code_challenge_method') === undefined;
  if (isPlainChallenge) added.push(['code_challenge_method', 'S256']);
  return withQueryValues(url, added);
}

/** Returns the first value of a query parameter. */
function readQueryValue(url: string, name: string): string | undefined {
  const pair = splitQuery(url).find((text) => readName(text) === name);
  return pair === undefined ? undefined : decodeFormComponent(pair.slice(pair.indexOf('=') + 1));
}

/** Sets query parameters; the rest of the query stays as written. */
function withQueryValues(url: string, values: readonly (readonly [string, string])[]): string {
  const names = new Set(values.map(([name]) => name));
  const kept = splitQuery(url).filter((pair) => !names.has(readName(pair)));
  const added = values.map(([name, value]) => `${encodeComponent(name)}=${encodeComponent(value)}`);
  const query = [...kept, ...added].join('&');
  const address = url.split('?', 1)[0] ?? '';
  return query === '' ? address : `${address}?${query}`;
}

function splitQuery(url: string): readonly string[] {
  const mark = url.indexOf('?');
  return mark === -1
    ? []
    : url
        .slice(mark + 1)
        .split('&')
        .filter((pair) => pair !== '');
}

function readName(pair: string): string {
  return decodeFormComponent(pair.split('=', 1)[0] ?? '');
}

/** Creates an unguessable text of 43 characters for `state` and the code verifier. Source: RFC 7636 section 4.1. */
function createNonce(): string {
  return randomBytes(32).toString('base64url');
}

/** PKCE variables, which expressions read as `oauth.codeChallenge` and so on. */
export interface ProofKeyNames {
  readonly codeChallenge: string;
  readonly codeChallengeMethod: 'S256';
}

/** Derives the PKCE parameters from a code verifier. Source: RFC 7636 section 4.2. */
function writeProofKey(codeVerifier: string): ProofKeyNames {
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  return { codeChallenge, codeChallengeMethod: 'S256' };
}

/**
 * Checks and converts the parameters of a connection and applies defaults. Fields of `rpc://` references are kept
 * unchecked, as an RPC needs the connection.
 *
 * @throws AppError of type BundleValidationError
 */
async function checkConnectionParameters(
  { params }: ConnectionComponent,
  values: PlainObject,
  runtime: Runtime,
): Promise<PlainObject> {
  return params === undefined ? { ...values } : checkForm(readForm(params), values, {}, runtime);
}

/** Query of a callback. Repeated names have a list. */
export type CallbackQuery = Readonly<Record<string, unknown>>;

const NEVER: Directive = { evaluate: () => false, pointer: '/response/valid', raw: false };
const REFUSED: CompiledValid = {
  condition: NEVER,
  message: undefined,
  type: undefined,
  pointer: '/response/valid',
};

/**
 * Processes a callback as the response of `authorize`: `temp`, `valid` and `error`, then stored data; all read
 * `query`. A callback with `error` fails unless `valid` is present and true. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/connections. [doc][inf]
 *
 * @throws AppError (OAUTH_CALLBACK) of the type in `valid` and `error`; default RuntimeError
 */
async function receiveCallback(
  authorize: CompiledRequest,
  query: CallbackQuery,
  run: ConnectionRun,
): Promise<void> {
  const context = withPosition(run.context, { document: authorize.document, requestIndex: 0 });
  const { response } = authorize;
  run.registerSecrets(listSecrets(query));
  const refusal = findRefusal(query);
  const checked =
    refusal === undefined || response.valid !== undefined ? response : refused(response, refusal);
  const spec: CompiledResponse = { ...checked, refusalCode: 'OAUTH_CALLBACK' };
  const received = extendTemp(response.temp, context);
  const failure = checkResponse(spec, undefined, received);
  if (failure !== undefined) throw failureError(failure, received);
  await run.keep(response, received);
}

function refused(response: CompiledResponse, refusal: string): CompiledResponse {
  const message: Directive = { evaluate: () => refusal, pointer: '/response', raw: refusal };
  const error = response.error ?? { message, type: undefined, pointer: '/response', entries: new Map() };
  return { ...response, valid: REFUSED, error };
}

/** All parameters but those that explain a refusal. */
function listSecrets(query: CallbackQuery): CallbackQuery {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !name.startsWith('error')));
}

const MAX_SHOWN = 300;

/** Source: RFC 6749 section 4.1.2.1. */
function findRefusal(query: CallbackQuery): string | undefined {
  const error = shown(query, 'error');
  if (error === '') return undefined;
  const description = shown(query, 'error_description');
  return `The provider refused the authorization: ${error}${description === '' ? '' : ` (${description})`}`;
}

/** Anyone can call the redirect URI with any text. */
function shown(query: CallbackQuery, name: string): string {
  const text = toText(ownMember(query as PlainObject, name));
  return text.replace(/\p{C}/gu, ' ').slice(0, MAX_SHOWN).trim();
}

/**
 * Checks that a callback belongs to an authorization.
 *
 * @throws AppError (OAUTH_CALLBACK) of type RuntimeError
 */
function assertOwnCallback(
  expected: { readonly state: string | undefined; readonly requestToken: string | undefined },
  query: CallbackQuery,
): void {
  assertShort(query);
  if (isOwnCallback(expected, query)) return;
  throw new AppError('RuntimeError', 'The callback does not belong to this authorization.', {
    code: 'OAUTH_CALLBACK',
  });
}

/** Far beyond real callbacks, and small enough to process at once. [choice] */
const MAX_NAMES = 1000;
const MAX_LENGTH = 262_144;

function assertShort(query: CallbackQuery): void {
  const names = Object.keys(query);
  let length = 0;
  for (const name of names.slice(0, MAX_NAMES)) {
    length += name.length;
    for (const value of [query[name]].flat()) length += typeof value === 'string' ? value.length : 1;
  }
  if (names.length <= MAX_NAMES && length <= MAX_LENGTH) return;
  throw new AppError(
    'RuntimeError',
    `A callback has at most ${MAX_NAMES} names and ${MAX_LENGTH} characters.`,
    { code: 'OAUTH_CALLBACK' },
  );
}

/** Whether `state`, or the request token of OAuth 1, equals the sent one. */
export function isOwnCallback(
  expected: { readonly state: string | undefined; readonly requestToken: string | undefined },
  query: CallbackQuery,
): boolean {
  const { state, requestToken } = expected;
  if (state !== undefined) return isSameText(state, ownMember(query, 'state'));
  // A refusal contains the token under a name the provider chooses, such as `denied`.
  const values = Object.values(query);
  return requestToken === undefined
    ? values.length > 0
    : values.some((value) => isSameText(requestToken, value));
}

function isSameText(expected: string, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [expected, given].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
