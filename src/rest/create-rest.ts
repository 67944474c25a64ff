import {
  ANY_FUNCTION,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  TEXT_LIST,
} from '../shared/errors/check-options.js';
import { isPlainObject } from '../shared/plain-object.js';
import { didYouMean } from '../shared/suggest.js';
import { addressesAt, createAddressReader, UNKNOWN_ORIGIN } from './call/addresses.js';
import type { RestBackend } from './call/backend.js';
import { createOpenApi } from './call/openapi.js';
import type { Addresses, RestOperation } from './call/operation.js';
import { type AnsweredCall, createRouter, type FailedCall } from './call/router.js';
import { OPERATIONS } from './operations.js';
import { configError } from './problems.js';

/** Options of `createRest`. */
export interface RestOptions<C = unknown, S = unknown> {
  /** `createStoreBackend(...)`, `createForwardBackend(...)` or your own. The API closes it. */
  readonly backend: RestBackend<C, S>;
  /**
   * Origin of the API as callers reach it, without a path: `https://api.example.com`. Metadata, checkout addresses
   * and the OpenAPI document use it. Default: the host of the request, if it is this machine or one of `hosts`; else
   * the address the server listens at.
   */
  readonly origin?: string | undefined;
  /**
   * Hosts of requests that addresses in responses may name: `api.example.com` with any port, or
   * `api.example.com:8443`. Default: none.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Path of the API. Default `/api/v2`. */
  readonly basePath?: string;
  /** Path of the authorization server; the API serves its operations at the root as well. Default `/oauth/v2`. */
  readonly authPath?: string;
  /** Origin that browsers may call from, or `*`. Default: none. */
  readonly cors?: string;
  /** Receives each error that ends in a status of 500 or more. Callers do not see its details. Default: none. */
  readonly onError?: (error: unknown, call: FailedCall) => void;
  /** Receives every call after its response. Default: none. */
  readonly onAnswer?: (call: AnsweredCall) => void;
}

const BACKEND = objectWithFunctions(['identify'], ['findSubject', 'countCall', 'showPage', 'close']);
const SHAPES: OptionShapes<RestOptions> = {
  backend: BACKEND,
  origin: ANY_TEXT,
  hosts: TEXT_LIST,
  basePath: ANY_TEXT,
  authPath: ANY_TEXT,
  cors: ANY_TEXT,
  onError: ANY_FUNCTION,
  onAnswer: ANY_FUNCTION,
};

/** Data of a server about a request. */
export interface RestReception {
  /** The origin the server listens at: `http://127.0.0.1:8077`. */
  readonly listeningAt?: string | undefined;
}

/** The API, ready to be mounted on any Fetch server. */
export interface Rest {
  /** Responds to one request. Never rejects. */
  fetch(request: Request, reception?: RestReception): Promise<Response>;
  /** The OpenAPI 3.1 document of an instance at an origin. Default: `RestOptions.origin`, or this machine. */
  openApi(origin?: string): Readonly<Record<string, unknown>>;
  /** Closes the backend. */
  close(): Promise<void>;
}

/**
 * Creates the API in front of a backend. Loads Hono.
 * @example
 * const backend = await createStoreBackend({ store: await openRestSqlite(':memory:'), encryptionKey });
 * const rest = await createRest({ backend });
 * const response = await rest.fetch(new Request('http://127.0.0.1/api/v2/ping'));
 * @throws EngineError (USAGE) for an unknown option or one of another type; RestError `REST_CONFIG` for an unknown operation of the backend and for an invalid origin
 */
export async function createRest<C, S>(options: RestOptions<C, S>): Promise<Rest> {
  checkOptions<RestOptions<C, S>>(options, SHAPES, 'The options of createRest', ['backend']);
  const { backend, basePath = '/api/v2', authPath = '/oauth/v2', hosts = [] } = options;
  const origin = readOrigin(options.origin);
  const operations = listOperations(backend.operations);
  const openApi = createDocumentReader(operations);
  const route = await createRouter(backend, {
    operations,
    openApi,
    basePath,
    authPath,
    cors: options.cors,
    readAddresses: createAddressReader({ origin, hosts, basePath, authPath }),
    onError: options.onError ?? (() => undefined),
    onAnswer: options.onAnswer ?? (() => undefined),
  });
  return {
    fetch: (request, { listeningAt } = {}) => route(request, listeningAt),
    openApi: (at = origin ?? UNKNOWN_ORIGIN) => openApi(addressesAt(at, { basePath, authPath })),
    close: async () => backend.close?.(),
  };
}

/** The operations that a backend has. @throws RestError `REST_CONFIG` */
function listOperations(operations: unknown): readonly RestOperation[] {
  if (!isPlainObject(operations)) {
    throw configError('backend.operations must be an object with a function for each operation.');
  }
  const known: readonly string[] = OPERATIONS.map(({ id }) => id);
  for (const [id, perform] of Object.entries(operations)) {
    if (!known.includes(id)) {
      throw configError(
        `backend.operations: unknown operation "${id}".${didYouMean(id, known)} OPERATIONS lists the known ones.`,
      );
    }
    if (perform !== undefined && typeof perform !== 'function') {
      throw configError(`backend.operations.${id} must be a function.`);
    }
  }
  return OPERATIONS.filter(({ id }) => Object.hasOwn(operations, id) && operations[id] !== undefined);
}

/** The document is large, and nearly all callers of an instance reach it at one address. */
function createDocumentReader(
  operations: readonly RestOperation[],
): (addresses: Addresses) => Readonly<Record<string, unknown>> {
  let last: { readonly origin: string; readonly document: Readonly<Record<string, unknown>> } | undefined;
  return (addresses) => {
    const { origin, baseUrl, authUrl } = addresses;
    if (last?.origin !== origin) last = { origin, document: createOpenApi(operations, { baseUrl, authUrl }) };
    return last.document;
  };
}

function readOrigin(origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url && isWeb && `${url.origin}/` === url.href) return url.origin;
  throw configError(
    `origin: "${origin}" is not an origin. Expected an address without a path, such as https://api.example.com.`,
  );
}
