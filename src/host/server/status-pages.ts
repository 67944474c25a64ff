import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock.js';
import type { PlainResponse } from '../../shared/server/plain-request.js';
import type { HostNotice, HostObserver } from '../observer.js';
import type { Health } from './health.js';

/** Serves the paths for monitoring; undefined for any other path. */
export type StatusPages = (url: URL) => Promise<PlainResponse> | undefined;

export interface StatusPagesOptions {
  readonly health: () => Promise<Health>;
  readonly metrics: HostMetrics | undefined;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  /** Whether the scenarios are set up. */
  readonly isSetUp: () => boolean;
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
 * - `/ready`: 200 while the host accepts requests, 503 before it is set up, if the store is unavailable or the host stops.
 * - `/health`: status as JSON, 503 unless it is `ok`; with `?names` names of scenarios that need attention.
 * - `/metrics`: Prometheus metrics, if enabled.
 */
export function createStatusPages(options: StatusPagesOptions): StatusPages {
  const { health, metrics, clock } = options;
  const readHealth = shared(health, clock);
  const readMetrics = metrics && shared(async () => metrics.read(await readHealth()), clock);
  return (url) => {
    switch (url.pathname) {
      case '/live':
        return Promise.resolve(page(200, 'ok\n', 'text/plain'));
      case '/ready':
        return answerReady(readHealth, options);
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
  { isStopping, isSetUp }: Pick<StatusPagesOptions, 'isStopping' | 'isSetUp'>,
): Promise<PlainResponse> {
  if (!isSetUp()) return page(503, 'starting\n', 'text/plain');
  if (isStopping()) return page(503, 'stopping\n', 'text/plain');
  const { status } = await readHealth();
  return status === 'failing' ? page(503, 'failing\n', 'text/plain') : page(200, 'ready\n', 'text/plain');
}

async function answerHealth(readHealth: () => Promise<Health>, withNames: boolean): Promise<PlainResponse> {
  const { stalled, off, slots, ...health } = await readHealth();
  const { total, used, holders } = slots;
  const names = withNames ? { stalledNames: stalled, offNames: off, slotHolders: holders } : {};
  const shown = { ...health, slots: { total, used }, stalled: stalled.length, off: off.length, ...names };
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

/** Metrics of a host for `/metrics`. Pass it to `createHost({ metrics })`. */
export interface HostMetrics {
  readonly observer: HostObserver;
  /** Metrics in the Prometheus text format, including the current status. */
  readonly read: (health: Health) => Promise<{ readonly text: string; readonly contentType: string }>;
}

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 40, 120];

/** Counts notices of a host. Labels are names of hooks and scenarios; never URLs, ids or error texts. */
export async function createHostMetrics(): Promise<HostMetrics> {
  // Default import: in a bundle, a CommonJS package has no named exports.
  const { default: prometheus } = await import('prom-client');
  const { Registry, Counter, Gauge, Histogram } = prometheus;
  const registry: Registry = new Registry();
  const of = (name: string, help: string) => ({ name: `iml_${name}`, help, registers: [registry] });
  const accepted = new Counter({ ...of('calls_accepted_total', 'Calls stored.'), labelNames: ['hook'] });
  const events = new Counter({ ...of('events_stored_total', 'Events stored.'), labelNames: ['hook'] });
  const refused = new Counter({
    ...of('calls_refused_total', 'Calls refused.'),
    labelNames: ['hook', 'reason'],
  });
  const answer = new Histogram({
    ...of('call_seconds', 'Time to the response of a call.'),
    buckets: SECONDS,
  });
  const runs = new Counter({
    ...of('runs_total', 'Runs by result.'),
    labelNames: ['scenario', 'source', 'becomes'],
  });
  const run = new Histogram({
    ...of('run_seconds', 'Duration of runs.'),
    labelNames: ['scenario'],
    buckets: SECONDS,
  });
  const wait = new Histogram({
    ...of('run_wait_seconds', 'Time from due to start.'),
    labelNames: ['scenario'],
    buckets: SECONDS,
  });
  const retries = new Counter({
    ...of('retries_total', 'Retries.'),
    labelNames: ['scenario'],
  });
  const offs = new Counter({
    ...of('scenarios_off_total', 'Deactivated scenarios.'),
    labelNames: ['scenario'],
  });
  const givenUp = new Counter({
    ...of('given_up_total', 'Work that failed permanently after process crashes.'),
    labelNames: ['scenario', 'source'],
  });
  const problems = new Counter(of('problems_total', 'Problems of the host, such as an unavailable store.'));
  const waiting = new Gauge({ ...of('events', 'Events by status.'), labelNames: ['status'] });
  const oldest = new Gauge(
    of('oldest_pending_seconds', 'Age of the oldest waiting event, without those of scheduled scenarios.'),
  );
  const scenarios = new Gauge({ ...of('scenarios', 'Scenarios by state.'), labelNames: ['state'] });
  const stalled = new Gauge(of('scenarios_stalled', 'Scenarios with overdue work.'));
  const off = new Gauge(of('scenarios_off_by_error', 'Scenarios that were deactivated automatically.'));
  const held = new Gauge({
    ...of('slots_held', 'Concurrent runs of this process, of the scenarios that hold most.'),
    labelNames: ['scenario', 'tenant'],
  });
  const up = new Gauge(of('up', '1 where the host is well.'));

  const observer = (notice: HostNotice): void => {
    switch (notice.kind) {
      case 'call-accepted':
        accepted.inc({ hook: notice.hook });
        events.inc({ hook: notice.hook }, notice.eventIds.length);
        return answer.observe(notice.durationMs / 1000);
      case 'call-refused':
        refused.inc({ hook: notice.hook ?? '', reason: notice.reason });
        return answer.observe(notice.durationMs / 1000);
      case 'run-started':
        if (notice.attempt > 1 || notice.source.kind === 'incomplete')
          retries.inc({ scenario: notice.scenario });
        return wait.observe({ scenario: notice.scenario }, notice.waitedMs / 1000);
      case 'run-finished':
        runs.inc({ scenario: notice.scenario, source: notice.source.kind, becomes: notice.becomes });
        return run.observe({ scenario: notice.scenario }, notice.durationMs / 1000);
      case 'given-up':
        return givenUp.inc({ scenario: notice.scenario, source: notice.source.kind });
      case 'scenario-off':
        return offs.inc({ scenario: notice.scenario });
      case 'problem':
        return problems.inc();
      default:
        return undefined;
    }
  };
  return {
    observer,
    read: async (health) => {
      for (const [status, count] of Object.entries(health.events)) waiting.set({ status }, count);
      for (const [state, count] of Object.entries(health.scenarios)) scenarios.set({ state }, count);
      oldest.set((health.oldestPendingMs ?? 0) / 1000);
      stalled.set(health.stalled.length);
      off.set(health.off.length);
      held.reset();
      for (const { scenario, tenant, slots } of health.slots.holders) held.set({ scenario, tenant }, slots);
      up.set(health.status === 'ok' ? 1 : 0);
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}
