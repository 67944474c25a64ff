import { randomUUID } from 'node:crypto';
import { EngineError } from '../../errors/engine-error.js';
import type { Clock } from '../../util/clock.js';
import type { WorkerIdentity } from '../ports/context.js';
import { repeatEvery } from '../schedule/repeat-every.js';
import type { HostStore, HostWriter, WorkerRow } from '../store/tables.js';
import { freeWork } from './free-work.js';
import { hasEnded, MACHINE } from './worker-process.js';

export interface WorkerLeaseOptions {
  readonly store: HostStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly onError: (error: unknown) => void;
  /** This process was taken for dead: what it has under way belongs to others. It has a new name already. */
  readonly onLost: () => void;
  /** Work of a worker that is gone waits again. */
  readonly onFreed: () => void;
}

/** Whether this process is alive, and whether the others are. */
export interface WorkerLease extends WorkerIdentity {
  readonly join: () => Promise<void>;
  /** What this process was stopped at waits again: this is where it is given back. */
  readonly leave: () => Promise<void>;
}

const COMMITTED = { isolation: 'read-committed' } as const;

/**
 * Keeps a row a worker in the store. A worker says that it lives by a number that grows; whoever sees the number of
 * another stand still for the lease, by the own clock alone, removes the row and frees its work in one transaction.
 *
 * Invariant: every transaction of a worker that commits work holds its row (`assertOwn`, `holdFree`). So a worker that was only
 * asleep, and wakes, cannot commit what others have taken over.
 */
export function createWorkerLease(options: WorkerLeaseOptions): WorkerLease {
  const { store, clock, leaseMs, onError } = options;
  let name: string = randomUUID();
  let beat = 0;
  let isJoined = false;
  let stopTimer: () => void = () => {};
  const seen = new Map<string, { readonly beat: number; readonly atMs: number }>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const insert = (): Promise<unknown> =>
    store.transaction(
      (writer) =>
        writer.insert('workers', {
          name,
          machine: MACHINE,
          pid: process.pid,
          beat: 0,
          startedAtMs: clock.now(),
        }),
      COMMITTED,
    );

  async function pulse(): Promise<void> {
    const own = name;
    const alive = await store.transaction(
      (writer) => writer.update('workers', { name: own }, { beat: ++beat }),
      COMMITTED,
    );
    if (alive > 0 || own !== name || !isJoined) return;
    name = randomUUID();
    options.onLost();
    await insert();
  }

  /** Takes over what dead workers have left. */
  async function reap(): Promise<void> {
    const workers = await store.find('workers');
    const now = clock.now();
    // Who could not look, as the store was away or this process asleep, knows nothing of how long others were silent.
    if (Math.abs(now - lookedAtMs) > leaseMs / 2) seen.clear();
    lookedAtMs = now;
    for (const worker of workers) {
      if (worker.name !== name && isDead(worker, now) && (await bury(worker))) options.onFreed();
    }
    for (const known of seen.keys()) if (!workers.some((it) => it.name === known)) seen.delete(known);
  }

  function isDead(worker: WorkerRow, now: number): boolean {
    if (hasEnded(worker)) return true;
    const last = seen.get(worker.name);
    if (last?.beat === worker.beat) return now - last.atMs >= leaseMs;
    seen.set(worker.name, { beat: worker.beat, atMs: now });
    return false;
  }

  function bury(worker: WorkerRow): Promise<boolean> {
    return store.transaction(async (writer) => {
      // With the beat: one that has been seen alive since stays.
      const removed = await writer.remove('workers', { name: worker.name, beat: worker.beat });
      if (removed === 0) return false;
      await freeWork(writer, worker.name, { isAlive: false });
      return true;
    }, COMMITTED);
  }

  return {
    name: () => name,
    isJoined: () => isJoined,
    assertOwn: (writer) => assertOwn(writer, name),
    holdFree: async (writer, id) => {
      const beside = { table: 'workers', where: { name } } as const;
      return (await writer.lockFreeBeside('scenarios', { id }, beside)) ?? throwLost();
    },
    join: async () => {
      await insert();
      isJoined = true;
      await reap();
      stopTimer = repeatEvery(clock, Math.max(1, Math.floor(leaseMs / 4)), () => pulse().then(reap), onError);
    },
    leave: async () => {
      if (!isJoined) return;
      isJoined = false;
      stopTimer();
      await store.transaction(async (writer) => {
        const removed = await writer.remove('workers', { name });
        // Others took this process for dead, and have its work.
        if (removed > 0) await freeWork(writer, name, { isAlive: true });
      }, COMMITTED);
    },
  };
}

async function assertOwn(writer: HostWriter, name: string): Promise<void> {
  const row = await writer.getLocked('workers', { name }, 'key');
  if (row === undefined) throwLost();
}

function throwLost(): never {
  throw new EngineError('HOST_LEASE', 'Others have taken over the work of this process.');
}
