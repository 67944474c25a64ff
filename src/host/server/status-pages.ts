import type { PlainResponse } from '../../server/plain-request.js';
import type { Clock } from '../../util/clock.js';
import type { Health } from './health.js';
import type { HostMetrics } from './metrics.js';

/** Answers the addresses of whoever watches over a host; undefined for any other address. */
export type StatusPages = (url: URL) => Promise<PlainResponse> | undefined;

export interface StatusPagesOptions {
  readonly health: () => Promise<Health>;
  readonly metrics: HostMetrics | undefined;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
}

/** How long a result is used again: anybody may request these pages as often as they like. */
const MAX_AGE_MS = 1000;

const PATHS: ReadonlySet<string> = new Set(['/live', '/ready', '/health', '/metrics']);

/** Whether an address is one of the pages. They are served however many other requests are in flight. */
export function isStatusPath(pathname: string): boolean {
  return PATHS.has(pathname);
}

/**
 * - `/live`: 200 as long as the process answers.
 * - `/ready`: 200 while requests can be accepted, 503 while the store does not answer or the host stops.
 * - `/health`: counts as JSON, 503 unless the status is `ok`; with `?names` the names of scenarios that need somebody.
 * - `/metrics`: for Prometheus, if the host has metrics.
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

/** Computes a value once at a time, and uses it again for a second. */
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
