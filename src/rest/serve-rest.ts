import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ANY_OBJECT,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  wholeNumber,
} from '../shared/errors/check-options.js';
import { createNodeListener as createListener } from '../shared/server/node-listener.js';
import { type FetchServer, type ServeFetchOptions, serveFetch } from '../shared/server/serve-fetch.js';
import { answerRefusal } from './call/answer.js';
import type { AnsweredCall } from './call/router.js';
import type { Rest } from './create-rest.js';
import type { RestReader } from './store/tables.js';

/** Limits of the server. Those of a JSON body are lower and apply first. */
const SERVER_LIMITS: ServeFetchOptions['limits'] = Object.freeze({
  maxBodyBytes: 2 * 1024 * 1024,
  maxBytesInFlight: 64 * 1024 * 1024,
  maxRequests: 1000,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
});

/** A listener for `node:http` and `node:https` that responds through a Fetch handler. */
export function createRestListener(
  handle: (request: Request) => Promise<Response>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return createListener({ fetch: handle }, { limits: SERVER_LIMITS, refuse: answerRefusal }).listen;
}

/** Where the API listens. */
export interface ServeOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Certificate and key, PEM; with them the server speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

const SHAPES: OptionShapes<ServeOptions> = {
  port: wholeNumber(0, 65535),
  host: ANY_TEXT,
  tls: ANY_OBJECT,
};

/** The API on a port. */
export interface RestServer {
  /** Origin with the port of the socket: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /**
   * Accepts no more requests and waits for pending ones; after `graceMs` (default 10 s) it closes their connections.
   */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

/** Serves the API on a port. Rejects with the error of the socket if it cannot listen. */
export async function serveRest(rest: Pick<Rest, 'fetch'>, options: ServeOptions): Promise<RestServer> {
  checkOptions(options, SHAPES, 'The options of serveRest', ['port']);
  const { port, host, tls } = options;
  let listeningAt: string | undefined;
  const server: FetchServer = await serveFetch((request) => rest.fetch(request, { listeningAt }), {
    port,
    hostname: host,
    tls,
    limits: SERVER_LIMITS,
    refuse: answerRefusal,
  });
  listeningAt = server.origin;
  return { origin: server.origin, close: (graceMs = DEFAULT_GRACE_MS) => server.close(graceMs) };
}

/** Status pages of an instance for load balancers and monitoring. They contain no data and no callers. */
export interface StatusPages {
  /** The response to `/live`, `/ready`, `/health` and `/metrics`; undefined for all other paths. */
  readonly answer: (request: Request) => Promise<Response> | undefined;
  /** Counts a call for `/metrics`. */
  readonly count: (call: Pick<AnsweredCall, 'status' | 'durationMs'>) => void;
}

/** How long the state of the database is cached. [choice] */
const CACHE_MS = 1000;

/** After this time a database that does not answer counts as down. [choice] */
const DATABASE_TIMEOUT_MS = 2000;

/**
 * Creates the status pages of an instance: `/live` is 200 while the process answers, `/ready` and `/health` are 503 while the
 * database does not, `/metrics` is in the text format of Prometheus.
 *
 * @param store Returns the open store; undefined before it is open.
 */
export function createStatusPages(store: () => Pick<RestReader, 'count'> | undefined): StatusPages {
  const startedAt = performance.now();
  const requests = new Map<string, number>();
  let seconds = 0;
  let known: { readonly at: number; readonly isUp: Promise<boolean> } | undefined;
  const isUp = (): Promise<boolean> => {
    if (known === undefined || performance.now() - known.at > CACHE_MS) {
      known = { at: performance.now(), isUp: pingDatabase(store()) };
    }
    return known.isUp;
  };
  const uptime = (): number => Math.floor((performance.now() - startedAt) / 1000);
  const pages = new Map<string, () => Promise<Response>>([
    ['/live', async () => json({ status: 'ok' }, true)],
    ['/ready', async () => json({ status: (await isUp()) ? 'ok' : 'unavailable' }, await isUp())],
    [
      '/health',
      async () => {
        const up = await isUp();
        const status = up ? 'ok' : 'unavailable';
        return json({ status, database: up ? 'up' : 'down', uptimeSeconds: uptime() }, up);
      },
    ],
    ['/metrics', async () => new Response(printMetrics(await isUp()), { headers: METRICS_HEADERS })],
  ]);
  const printMetrics = (up: boolean): string =>
    [
      '# TYPE iml_rest_requests_total counter',
      ...[...requests]
        .sort()
        .map(([status, count]) => `iml_rest_requests_total{status="${status}"} ${count}`),
      '# TYPE iml_rest_request_seconds_total counter',
      `iml_rest_request_seconds_total ${seconds.toFixed(3)}`,
      '# TYPE iml_rest_database_up gauge',
      `iml_rest_database_up ${up ? 1 : 0}`,
      '# TYPE iml_rest_uptime_seconds gauge',
      `iml_rest_uptime_seconds ${uptime()}`,
      '',
    ].join('\n');
  return {
    answer: (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
      return pages.get(new URL(request.url).pathname)?.();
    },
    count: ({ status, durationMs }) => {
      const name = String(status);
      requests.set(name, (requests.get(name) ?? 0) + 1);
      seconds += durationMs / 1000;
    },
  };
}

const METRICS_HEADERS = {
  'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  'cache-control': 'no-store',
};

function json(body: Readonly<Record<string, unknown>>, isOk: boolean): Response {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(!isOk && { 'retry-after': '1' }),
  };
  return new Response(JSON.stringify(body), { status: isOk ? 200 : 503, headers });
}

async function pingDatabase(store: Pick<RestReader, 'count'> | undefined): Promise<boolean> {
  if (store === undefined) return false;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), DATABASE_TIMEOUT_MS);
  });
  const ping = store.count('settings').then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([ping, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
