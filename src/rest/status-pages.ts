import type { AnsweredCall } from './call/router.js';
import type { RestReader } from './store/tables.js';

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
