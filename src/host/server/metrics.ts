import type { Registry } from 'prom-client';
import type { HostNotice, HostObserver } from '../observer.js';
import type { Health } from './health.js';

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
    ...of('given_up_total', 'Work that was given up after process ends.'),
    labelNames: ['scenario', 'source'],
  });
  const problems = new Counter(of('problems_total', 'Problems of the host, such as an unavailable store.'));
  const waiting = new Gauge({ ...of('events', 'Events by status.'), labelNames: ['status'] });
  const oldest = new Gauge(of('oldest_pending_seconds', 'Age of the oldest waiting event.'));
  const scenarios = new Gauge({ ...of('scenarios', 'Scenarios by state.'), labelNames: ['state'] });
  const stalled = new Gauge(of('scenarios_stalled', 'Scenarios with overdue work.'));
  const off = new Gauge(of('scenarios_off_by_error', 'Scenarios that were deactivated automatically.'));
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
      up.set(health.status === 'ok' ? 1 : 0);
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}
