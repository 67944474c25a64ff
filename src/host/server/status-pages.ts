import type { Clock } from '../../shared/clock.js';
import type { PlainResponse } from '../../shared/server/plain-request.js';
import type { Health } from './health.js';
import type { HostMetrics } from './metrics.js';

/** Serves the paths for monitoring; undefined for any other path. */
export type StatusPages = (url: URL) => Promise<PlainResponse> | undefined;

export interface StatusPagesOptions {
  readonly health: () => Promise<Health>;
  readonly metrics: HostMetrics | undefined;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
}

/** Cache time of results, because anyone can request these pages. */
const MAX_AGE_MS = 1000;

const PATHS: ReadonlySet<string> = new Set(['/live', '/ready', '/health', '/metrics']);

/** Whether a path is a status page. The server serves them regardless of the number of open requests. */
export function isStatusPath(pathname: string): boolean {
  return PATHS.has(pathname);
}

/**
 * - `/live`: 200 while the process responds.
 * - `/ready`: 200 while the host accepts requests, 503 if the store is unavailable or the host stops.
 * - `/health`: status as JSON, 503 unless it is `ok`; with `?names` names of scenarios that need attention.
 * - `/metrics`: Prometheus metrics, if enabled.
 */
export function createStatusPages({ health, metrics, clock, isStopping }: StatusPagesOptions): StatusPages {
  const readHealth = shared(health, clock);
  const readMetrics = metrics && shared(async () => metrics.read(await readHealth()), clock);
  return (url) => {
    switch (url.pathname) {
      case '/live':
        return Promise.resolve(page(200, 'ok\n', 'text/plain'));
      case '/ready':
        return answerReady(readHealth, isStopping);
      case '/health':
        return answerHealth(readHealth, url.searchParams.has('names'));
      case '/metrics':
        return readMetrics?.().then(({ text, contentType }) => page(200, text, contentType));
      default:
        return undefined;
    }
  };
}

async function answerReady(
  readHealth: () => Promise<Health>,
  isStopping: () => boolean,
): Promise<PlainResponse> {
  if (isStopping()) return page(503, 'stopping\n', 'text/plain');
  const { status } = await readHealth();
  return status === 'failing' ? page(503, 'failing\n', 'text/plain') : page(200, 'ready\n', 'text/plain');
}

async function answerHealth(readHealth: () => Promise<Health>, withNames: boolean): Promise<PlainResponse> {
  const { stalled, off, ...health } = await readHealth();
  const names = withNames ? { stalledNames: stalled, offNames: off } : {};
  const shown = { ...health, stalled: stalled.length, off: off.length, ...names };
  return page(health.status === 'ok' ? 200 : 503, `${JSON.stringify(shown)}\n`, 'application/json');
}

/** Computes a value once at a time and caches it for a second. */
function shared<T>(read: () => Promise<T>, clock: Clock): () => Promise<T> {
  let current: { readonly value: Promise<T>; endedAtMs: number | undefined } | undefined;
  return () => {
    const { endedAtMs } = current ?? {};
    const isOld = endedAtMs !== undefined && Math.abs(clock.now() - endedAtMs) >= MAX_AGE_MS;
    if (current !== undefined && !isOld) return current.value;
    const fresh = { value: read(), endedAtMs: undefined as number | undefined };
    current = fresh;
    const end = (): void => {
      fresh.endedAtMs = clock.now();
    };
    fresh.value.then(end, end);
    return fresh.value;
  };
}

function page(status: number, text: string, contentType: string): PlainResponse {
  const headers = [
    ['content-type', contentType],
    ['x-content-type-options', 'nosniff'],
    ['cache-control', 'no-store'],
  ] as const;
  return { status, headers, body: Buffer.from(text) };
}
