import type { AppQueue } from './app-queue.js';
import type { PoolThread } from './pool-thread.js';

export interface PlacementRules {
  readonly threads: number;
  /** Tasks of one app that a worker runs at a time. */
  readonly tasksPerWorker: number;
  /** Whether an app may start more tasks beside its running ones. False while another app waits for a first worker. */
  readonly mayJoin: boolean;
}

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
  { app, isOnProbation, isProven }: AppQueue,
  workers: readonly PoolThread[],
  { threads, tasksPerWorker, mayJoin }: PlacementRules,
): PoolThread | undefined {
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
    if (free !== undefined && (isProven || isNotLast(free, workers, threads))) return free;
  }
  if (!mayJoin) return undefined;
  const own = ready.filter((worker) => worker.app === app && fits(worker, tasksPerWorker));
  return own.sort((a, b) => a.tasks.size - b.tasks.size)[0];
}

function fits({ tasks }: PoolThread, tasksPerWorker: number): boolean {
  return tasks.size > 0 && tasks.size < tasksPerWorker;
}

/**
 * Whether another worker is idle or answers. An app of which no run has ended yet may block its worker: it gets none
 * while all others may be blocked, so that apps that have run before find a worker.
 */
function isNotLast(free: PoolThread, workers: readonly PoolThread[], threads: number): boolean {
  if (threads === 1) return true;
  return workers.some(
    (other) =>
      other !== free &&
      other.state !== 'ended' &&
      (other.tasks.size === 0 || other.silentSinceMs === undefined),
  );
}
