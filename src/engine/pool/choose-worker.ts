import type { AppQueue } from './app-queue.js';
import type { PoolThread } from './pool-thread.js';

export interface PlacementRules {
  readonly threads: number;
  /** Tasks of one app that a worker runs at a time. */
  readonly tasksPerWorker: number;
  /** Whether an app may start more tasks beside its running ones. False while another app waits for a first worker. */
  readonly mayJoin: boolean;
  /** Whether a run of the app has ended normally. */
  readonly isProven: (app: string | undefined) => boolean;
  readonly hasProven: boolean;
}

/** Time after which a worker that answers is taken for one whose app only waits. [choice] */
const TRUSTED_AFTER_MS = 1000;

/** Longest silence of a worker that is not taken for blocked. [choice] */
const MAX_SILENCE_MS = 500;

/** Workers that run tasks of an app. */
export function countWorkersOf(app: string, workers: readonly PoolThread[]): number {
  return workers.filter((worker) => worker.app === app && worker.tasks.size > 0).length;
}

/**
 * Chooses a worker for the next task of an app: an idle one as long as the app may hold one more, at best one that has loaded
 * the app; else one that runs its tasks.
 *
 * @returns undefined if the task has to wait
 */
export function chooseWorker(
  { app, isOnProbation }: AppQueue,
  workers: readonly PoolThread[],
  rules: PlacementRules,
): PoolThread | undefined {
  const { threads, tasksPerWorker, mayJoin } = rules;
  const ready = workers.filter(({ state }) => state === 'ready');
  const held = countWorkersOf(app, workers);
  if (isOnProbation && held > 0) return undefined;
  if (held < Math.max(1, threads - 1)) {
    const idle = ready.filter(({ tasks }) => tasks.size === 0).sort((a, b) => a.lastUsed - b.lastUsed);
    const free = idle.find((worker) => worker.app === app) ?? idle[0];
    // A new worker is better than one that has loaded another app.
    const isStarting = workers.some(({ state }) => state === 'starting');
    const isOfOther = free?.app !== undefined && free.app !== app;
    if (isStarting && (free === undefined || isOfOther)) return undefined;
    if (free !== undefined && (rules.isProven(app) || isNotLast(free, workers, rules))) return free;
  }
  if (!mayJoin) return undefined;
  const own = ready.filter((worker) => worker.app === app && fits(worker, tasksPerWorker));
  return own.sort((a, b) => a.tasks.size - b.tasks.size)[0];
}

function fits({ tasks }: PoolThread, tasksPerWorker: number): boolean {
  return tasks.size > 0 && tasks.size < tasksPerWorker;
}

/**
 * Whether another worker is idle, or runs an app that does not block it. An app of which no run has ended yet may block
 * its worker: it gets none while all others may be blocked, so that apps that have run before find a worker.
 */
function isNotLast(
  free: PoolThread,
  workers: readonly PoolThread[],
  { threads, isProven, hasProven }: PlacementRules,
): boolean {
  if (threads === 1 || !hasProven) return true;
  return workers.some((other) => {
    if (other === free || other.state === 'ended') return false;
    if (other.tasks.size === 0) return true;
    if (isProven(other.app)) return other.silentMs < MAX_SILENCE_MS;
    return other.answeredForMs > TRUSTED_AFTER_MS && other.silentSinceMs === undefined;
  });
}
