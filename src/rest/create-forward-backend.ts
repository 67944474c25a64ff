import { hash } from 'node:crypto';
import { createBoundedCache } from '../shared/bounded-cache.js';
import {
  ANY_FUNCTION,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  wholeNumber,
} from '../shared/errors/check-options.js';
import type { ErrorCode } from '../shared/errors/codes.js';
import { RestError, type RestSuberror } from '../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../shared/plain-object.js';
import type { BackendCall, BackendCaller, BackendOperations, RestBackend } from './call/backend.js';
import type { RawContents, RestOperation } from './call/operation.js';
import type { OperationId } from './call/operation-inputs.js';
import { OPERATIONS } from './operations.js';
import { configError, failed } from './problems.js';

/** Options of `createForwardBackend`. */
export interface ForwardBackendOptions {
  /** Base address of another API v2 server: `https://eu1.make.com/api/v2`. */
  readonly url: string;
  /** Base address of its authorization server. Default: `/oauth/v2` of the same origin. */
  readonly authUrl?: string | undefined;
  /** Maximum time for a response. Default 30000. */
  readonly timeoutMs?: number | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

const SHAPES: OptionShapes<ForwardBackendOptions> = {
  url: ANY_TEXT,
  authUrl: ANY_TEXT,
  timeoutMs: wholeNumber(1),
  fetch: ANY_FUNCTION,
};

/** Largest response body. */
const MAX_BYTES = 32 * 1024 * 1024;

/** How long the identity of a token is cached. The other server checks every forwarded request itself. [choice] */
const IDENTITY_MS = 10_000;
const MAX_IDENTITIES = 1000;

/** Forwarded headers. */
const PASSED = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'www-authenticate',
];

type TokenCaller = BackendCaller<{ readonly token: string }>;

/** A request to the other server. */
interface ForwardedRequest {
  readonly method: string;
  readonly url: string;
  readonly token: string | undefined;
  readonly body: { readonly type: string; readonly content: string | Uint8Array<ArrayBuffer> } | undefined;
  /** Content types of a response that is not JSON. */
  readonly contents?: RawContents | undefined;
}

/**
 * Creates a backend that forwards every operation to another API v2 server, with the token of the caller. That server
 * decides about organizations, teams and keys. The backend passes on its refusals; a failure becomes a 500 or 503
 * without details.
 * @throws EngineError (USAGE) for an unknown option or one of another type; RestError `REST_CONFIG` for an invalid
 * address
 */
export function createForwardBackend(
  options: ForwardBackendOptions,
): RestBackend<{ readonly token: string }, undefined> {
  checkOptions(options, SHAPES, 'The options of createForwardBackend', ['url']);
  const url = readBase(options.url, 'url');
  const authUrl = readBase(options.authUrl ?? `${new URL(url).origin}/oauth/v2`, 'authUrl');
  const { timeoutMs = 30_000 } = options;
  // Read at each call, so that a replaced global `fetch` is used.
  const send: typeof fetch = (...args) => (options.fetch ?? fetch)(...args);
  const exchange = (request: ForwardedRequest): Promise<Exchanged> => exchangeWith(send, request, timeoutMs);
  const identities = createBoundedCache<{ readonly caller: TokenCaller; readonly atMs: number }>(
    MAX_IDENTITIES,
  );

  const identify = async (token: string): Promise<TokenCaller | undefined> => {
    const key = hash('sha256', token);
    const known = identities.get(key);
    if (known && performance.now() - known.atMs < IDENTITY_MS) return known.caller;
    const read = (path: string): Promise<Exchanged> =>
      exchange({ method: 'GET', url: url + path, token, body: undefined });
    const [authorization, me] = await Promise.all([
      read('/users/me/current-authorization'),
      read('/users/me?cols[]=id&cols[]=usersAdminsRoleId'),
    ]).catch((error: unknown) => {
      if (error instanceof RestError && error.status === 401) return [undefined, undefined];
      throw error;
    });
    if (!authorization || !me) return undefined;
    const caller = readCaller(authorization.body, me.body, token);
    identities.set(key, { caller, atMs: performance.now() });
    return caller;
  };

  const forward =
    (operation: RestOperation) =>
    async (call: ForwardedCall): Promise<unknown> => {
      const base = operation.server === 'auth' ? authUrl : url;
      const { body, headers } = await exchange({
        method: operation.method,
        url: base + fillPath(operation, call) + writeQuery(operation, call),
        token: call.caller?.data.token,
        body: operation.body && writeBody(operation, call.body),
        contents: operation.contents,
      });
      Object.assign(call.headers, headers);
      return body;
    };
  const operations = OPERATIONS.map((operation) => [operation.id, forward(operation)] as const);
  return {
    identify: ({ token }) => identify(token),
    // The ids are those of the table, and each function uses only what all calls have.
    operations: Object.fromEntries(operations) as BackendOperations<{ readonly token: string }, undefined>,
  };
}

function writeBody({ bodyContents }: RestOperation, body: PlainObject): ForwardedRequest['body'] {
  if (bodyContents === undefined) return { type: 'application/json', content: JSON.stringify(body) };
  const { types, encoding } = bodyContents;
  const content = String(body['content']);
  const bytes = encoding === 'base64' ? new Uint8Array(Buffer.from(content, 'base64')) : content;
  return { type: types[0] ?? '', content: bytes };
}

type ForwardedCall = Pick<
  BackendCall<OperationId>,
  'params' | 'query' | 'body' | 'columns' | 'page' | 'headers'
> & {
  readonly caller: TokenCaller | undefined;
};

/** @throws RestError `REST_CONFIG` */
function readBase(address: string, name: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href.replace(/\/+$/, '');
  throw configError(
    `${name} must be an address such as https://eu1.make.com/api/v2, without a query or a password.`,
  );
}

function readCaller(authorization: unknown, me: unknown, token: string): TokenCaller {
  const { authUsed, scope } = Object(ownMember(Object(authorization), 'authorization'));
  const { id, usersAdminsRoleId } = Object(ownMember(Object(me), 'authUser'));
  if (!Array.isArray(scope))
    throw failed(new Error('The other server does not say which scopes a token has.'));
  return {
    userId: Number(id),
    scopes: scope.map(String),
    isAdministrator: typeof usersAdminsRoleId === 'number',
    authUsed: authUsed === 'oauth' ? 'oauth' : 'token',
    data: { token },
  };
}

function fillPath({ path }: RestOperation, { params }: ForwardedCall): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ownMember(params, name))));
}

function writeQuery({ paging }: RestOperation, { query, columns, page }: ForwardedCall): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const entry of value) search.append(`${name}[]`, String(entry));
    else search.append(name, String(value));
  }
  for (const column of columns) search.append('cols[]', column);
  if (paging) for (const [name, value] of Object.entries(page)) search.append(`pg[${name}]`, String(value));
  return search.size === 0 ? '' : `?${search}`;
}

interface Exchanged {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws RestError of the other server, or 503 if it does not respond */
async function exchangeWith(
  send: typeof fetch,
  { method, url, token, body, contents }: ForwardedRequest,
  timeoutMs: number,
): Promise<Exchanged> {
  const headers = {
    ...(token !== undefined && { authorization: `Token ${token}` }),
    ...(body && { 'content-type': body.type }),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  const init = {
    method,
    headers,
    redirect: 'manual',
    signal,
    ...(body && { body: body.content }),
  } as const;
  const { response, bytes } = await readResponse(send, url, init).catch((cause: unknown) => {
    throw cause instanceof RestError ? cause : unavailable(cause);
  });
  const passed = PASSED.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const isContents = contents !== undefined && response.status === 200;
  const text = bytes.toString(isContents ? contents.encoding : 'utf8');
  const isJson = !isContents && /^application\/json\b/.test(response.headers.get('content-type') ?? '');
  const value = isJson ? parse(text) : text;
  const headersPassed = Object.fromEntries(passed);
  if (response.status === 200) return { body: value, headers: headersPassed };
  throw toRefusal(response.status, value, headersPassed);
}

async function readResponse(
  send: typeof fetch,
  url: string,
  init: RequestInit,
): Promise<{ readonly response: Response; readonly bytes: Buffer }> {
  const response = await send(url, init);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw failed(new Error(`The response of the other server exceeds ${MAX_BYTES} bytes.`));
    chunks.push(chunk);
  }
  return { response, bytes: Buffer.concat(chunks) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw failed(new Error('The response of the other server is not JSON.', { cause }));
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'REST_REQUEST',
  401: 'REST_UNAUTHORIZED',
  403: 'REST_FORBIDDEN',
  404: 'REST_NOT_FOUND',
  429: 'REST_RATE_LIMIT',
};

function toRefusal(status: number, body: unknown, headers: Readonly<Record<string, string>>): RestError {
  if (status === 503 || status === 502 || status === 504) return unavailable(new Error(`Status ${status}.`));
  if (status < 400 || status >= 500 || !isPlainObject(body)) {
    return failed(new Error(`The other server responded with the status ${status}.`));
  }
  const { message, detail, code, suberrors } = body;
  const given = Array.isArray(suberrors) ? suberrors.filter(isSuberror) : undefined;
  return new RestError(CODES[status] ?? 'REST_REFUSED', String(message), {
    status,
    apiCode: String(code),
    ...(typeof detail === 'string' && { detail }),
    ...(given && { suberrors: given }),
    headers,
  });
}

function isSuberror(value: unknown): value is RestSuberror {
  return isPlainObject(value) && typeof value['message'] === 'string' && typeof value['name'] === 'string';
}

function unavailable(cause: unknown): RestError {
  return new RestError('REST_FAILED', 'Service Unavailable', {
    status: 503,
    apiCode: 'SC503',
    detail: 'The upstream server does not respond. Try again later.',
    headers: { 'retry-after': '1' },
    cause,
  });
}
