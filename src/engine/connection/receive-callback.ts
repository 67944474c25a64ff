import { createHash, timingSafeEqual } from 'node:crypto';
import { toText } from '../../language/values/coerce.js';
import { AppError } from '../../shared/errors/app-error.js';
import { ownMember, type PlainObject } from '../../shared/plain-object.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRequest, CompiledResponse, CompiledValid } from '../document/compiled-request.js';
import { checkResponse, extendTemp, failureError } from '../run/receive-response.js';
import { withPosition } from '../run/run-context.js';
import type { ConnectionRun } from './connection-run.js';

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
export async function receiveCallback(
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
export function assertOwnCallback(
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
