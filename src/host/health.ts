import type { HostContext } from './work/context.js';

/** How a host is, for people and for load balancers. */
export interface Health {
  /** `failing`: the store does not answer. `stopping`: no more requests, please. */
  readonly status: 'ok' | 'failing' | 'stopping';
  readonly workers: number;
  readonly events: { readonly pending: number; readonly running: number; readonly dead: number };
  /** Milliseconds since the oldest event that waits came in; null where none waits. */
  readonly oldestPendingMs: number | null;
  readonly scenarios: { readonly active: number; readonly suspended: number; readonly inactive: number };
  /** What is wrong, without details a stranger should not read. */
  readonly problem: string | null;
}

/** Asks the store how things are. Never throws. */
export async function readHealth(context: HostContext, isStopping: boolean): Promise<Health> {
  const { store, clock, onError } = context;
  try {
    const counts = await store.countBy('events', 'status', { status: ['pending', 'running', 'dead'] });
    const [oldest] = await store.find('events', { where: { status: 'pending' }, limit: 1 });
    const states = (await store.find('scenarios')).map((row) => Reflect.get(Object(row.state), 'kind'));
    const count = (...kinds: readonly string[]): number =>
      states.filter((kind) => kinds.includes(kind)).length;
    return {
      status: isStopping ? 'stopping' : 'ok',
      workers: await store.count('workers'),
      events: {
        pending: counts.get('pending') ?? 0,
        running: counts.get('running') ?? 0,
        dead: counts.get('dead') ?? 0,
      },
      oldestPendingMs: oldest === undefined ? null : clock.now() - oldest.receivedAtMs,
      scenarios: {
        active: count('active', 'running'),
        suspended: count('delayed', 'backoff'),
        inactive: count('inactive'),
      },
      problem: null,
    };
  } catch (error) {
    onError(error);
    return {
      status: 'failing',
      workers: 0,
      events: { pending: 0, running: 0, dead: 0 },
      oldestPendingMs: null,
      scenarios: { active: 0, suspended: 0, inactive: 0 },
      problem: 'The store does not answer.',
    };
  }
}
