import { randomUUID } from 'node:crypto';
import { ownMember } from '../../shared/plain-object.js';
import { methodNotAllowed, notFound } from '../problems.js';
import type { AddressReader } from './addresses.js';
import {
  type Answer,
  commonHeaders,
  completeAnswer,
  preflight,
  toRestError,
  writeRefusal,
  writeSuccess,
} from './answer.js';
import type { RestBackend } from './backend.js';
import { createCallHandler } from './handle-call.js';
import type { Addresses, RestOperation } from './operation.js';

/** A finished call, for logs. Contains no data of the caller except the path, which has no secrets. */
export interface AnsweredCall {
  /** The header `x-request-id` of the response. */
  readonly requestId: string;
  /** The id of the operation; undefined for an unknown path. */
  readonly operation: string | undefined;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

/** A call that ended with a status of 500 or more, with the thrown value. */
export type FailedCall = Pick<AnsweredCall, 'requestId' | 'operation' | 'method' | 'path'>;

export interface RouterOptions {
  readonly operations: readonly RestOperation[];
  readonly readAddresses: AddressReader;
  readonly openApi: (addresses: Addresses) => Readonly<Record<string, unknown>>;
  readonly basePath: string;
  readonly authPath: string;
  readonly cors: string | undefined;
  readonly onError: (error: unknown, call: FailedCall) => void;
  readonly onAnswer: (call: AnsweredCall) => void;
}

/** Responds to a request that arrived at `listeningAt`. Never rejects. */
export type Router = (request: Request, listeningAt: string | undefined) => Promise<Response>;

/** Creates the response to one request. */
type Work = (turn: Turn) => Promise<Answer>;

interface Turn {
  readonly request: Request;
  readonly addresses: Addresses;
  /** Headers of the response, whatever the result of the call. Names are in lower case. */
  readonly headers: Record<string, string>;
}

/** Routes requests to operations and responds with their result. Loads Hono. @throws RestError `REST_CONFIG` */
export async function createRouter<C, S>(
  backend: RestBackend<C, S>,
  options: RouterOptions,
): Promise<Router> {
  const { operations, basePath, authPath, cors, readAddresses } = options;
  const { Hono } = await import('hono');
  const app = new Hono<{ Bindings: { listeningAt: string | undefined } }>();
  const answering = (operation: RestOperation | undefined, work: Work) => {
    return ({ req, env }: { req: { raw: Request }; env: { listeningAt: string | undefined } }) =>
      answer(req.raw, operation, {
        options,
        work,
        readAddresses: () => readAddresses(req.raw, env.listeningAt),
      });
  };

  const openApi: Work = async ({ addresses }) => writeSuccess(options.openApi(addresses));
  for (const prefix of [basePath, '']) app.get(`${prefix}/openapi.json`, answering(undefined, openApi));
  const known = new Map<string, string[]>();
  for (const operation of [...operations].sort(bySpecificity)) {
    const handle = createCallHandler(backend, operation);
    for (const { path, fixed } of listRoutes(operation, basePath, authPath)) {
      known.set(path, [...(known.get(path) ?? []), operation.method]);
      app.on(operation.method, path, (context) => {
        const params = { ...context.req.param(), ...fixed };
        const work: Work = async ({ request, ...turn }) =>
          writeSuccess(await handle(request, { params, ...turn }), operation.contents);
        return answering(operation, work)(context);
      });
    }
  }
  for (const [path, methods] of known) {
    const refuse: Work = async ({ request }) => {
      if (request.method === 'OPTIONS' && cors !== undefined) return preflight(methods);
      throw methodNotAllowed(methods);
    };
    app.all(path, answering(undefined, refuse));
  }
  app.notFound(answering(undefined, async ({ request }) => showPage(backend, request)));
  return async (request, listeningAt) => app.fetch(request, { listeningAt });
}

/** Checkouts and invoices are at paths without an operation. @throws RestError 404 */
async function showPage(backend: Pick<RestBackend, 'showPage'>, { method, url }: Request): Promise<Answer> {
  const isRead = method === 'GET' || method === 'HEAD';
  const page = isRead ? backend.showPage?.(new URL(url).pathname) : undefined;
  if (page === undefined) throw notFound('Path');
  const answer = writeSuccess(page);
  return { ...answer, headers: { ...answer.headers, 'x-content-type-options': 'nosniff' } };
}

interface Answering {
  readonly options: RouterOptions;
  readonly work: Work;
  readonly readAddresses: () => Addresses;
}

async function answer(
  request: Request,
  operation: RestOperation | undefined,
  { options, work, readAddresses }: Answering,
): Promise<Response> {
  const startedAt = performance.now();
  const headers: Record<string, string> = {};
  const { pathname: path } = new URL(request.url);
  const call = { requestId: randomUUID(), operation: operation?.id, method: request.method, path };
  const answered = await work({ request, headers, addresses: readAddresses() }).catch((error: unknown) => {
    const refusal = toRestError(error);
    if (refusal.status >= 500) options.onError(error, call);
    return writeRefusal(refusal);
  });
  const response = completeAnswer(answered, { ...headers, ...commonHeaders(options.cors, call.requestId) });
  options.onAnswer({ ...call, status: response.status, durationMs: performance.now() - startedAt });
  return response;
}

/** The router takes the first matching route, so literals come before parameters. */
function bySpecificity(a: RestOperation, b: RestOperation): number {
  return a.path.split('{').length - b.path.split('{').length;
}

interface Route {
  readonly path: string;
  /** Path parameters that the route fixes. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** A path parameter with a list of values makes a route per value, so any other value is an unknown path. */
function listRoutes(operation: RestOperation, basePath: string, authPath: string): readonly Route[] {
  let routes: readonly Route[] = [{ path: operation.path, fixed: {} }];
  for (const [name, schema] of Object.entries(operation.params)) {
    const values = ownMember(schema, 'enum');
    if (!Array.isArray(values)) continue;
    routes = routes.flatMap(({ path, fixed }) =>
      values.map(String).map((value) => ({
        path: path.replace(`{${name}}`, value),
        fixed: { ...fixed, [name]: value },
      })),
    );
  }
  const prefixes = operation.server === 'auth' ? ['', authPath] : [basePath];
  return prefixes.flatMap((prefix) =>
    routes.map(({ path, fixed }) => ({ path: prefix + path.replace(/\{(\w+)\}/g, ':$1'), fixed })),
  );
}
