import { type Clock, SYSTEM_CLOCK } from '../../shared/clock.js';
import { checkOptions, objectWithFunctions } from '../../shared/errors/check-options.js';
import type { HostQueue, NewQueueJob, QueueDelivery, QueueJob, QueueStartOptions } from './host-queue.js';

/** Options of `createLocalQueue`. `clock` defaults to the system clock. */
export interface LocalQueueOptions {
  readonly clock?: Clock | undefined;
}

/** Delay before an unsettled job is delivered again. */
const UNSETTLED_MS = 1000;
/** Maximum share of the concurrent deliveries per key. [choice] */
const KEY_SHARE = 0.75;
/** Maximum timer delay, because the system clock may be set. */
const MAX_TIMER_MS = 10_000;

/** Jobs of one key with the same ordering. */
interface Lane {
  readonly key: string;
  readonly isOrdered: boolean;
  /** Due jobs in order. */
  readonly due: Map<string, QueueJob>;
  /** Jobs that are not due yet. */
  readonly later: Map<string, { readonly job: QueueJob; readonly runAtMs: number }>;
  /** Delivered jobs, and whether they were added again meanwhile. */
  readonly active: Map<string, { isAddedAgain: boolean }>;
  /** An ordered lane delivers nothing before this time. */
  heldUntilMs: number;
}

/**
 * A queue in the memory of one process. The host restores its jobs from the rows on start. Keys are served
 * round-robin, so that a key with many jobs does not starve others.
 */
export function createLocalQueue(options: LocalQueueOptions = {}): HostQueue {
  checkOptions(
    options,
    { clock: objectWithFunctions(['now', 'sleep', 'after']) },
    'The options of createLocalQueue',
  );
  const { clock = SYSTEM_CLOCK } = options;
  const lanes = new Map<string, Lane>();
  /** Lanes that may have due jobs, in round-robin order. */
  const ready = new Set<Lane>();
  const handlers = new Set<Promise<void>>();
  let run: ({ readonly handler: (delivery: QueueDelivery) => Promise<void> } & QueueStartOptions) | undefined;
  let timer: { readonly atMs: number; readonly cancel: () => void } | undefined;
  let isScheduled = false;

  function laneOf({ key, isOrdered }: Pick<QueueJob, 'key' | 'isOrdered'>): Lane {
    const name = `${isOrdered ? 'ordered' : 'parallel'} ${key}`;
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = {
      key,
      isOrdered,
      due: new Map(),
      later: new Map(),
      active: new Map(),
      heldUntilMs: Number.NEGATIVE_INFINITY,
    };
    lanes.set(name, lane);
    return lane;
  }

  function add({ runAtMs, ...job }: NewQueueJob): void {
    const lane = laneOf(job);
    const name = nameOf(job);
    const active = lane.active.get(name);
    if (active !== undefined) {
      active.isAddedAgain = true;
      return;
    }
    if (lane.due.has(name) || lane.later.has(name)) return;
    if (runAtMs === undefined || runAtMs <= clock.now()) {
      lane.due.set(nameOf(job), job);
      wake(lane);
    } else {
      lane.later.set(nameOf(job), { job, runAtMs });
      wakeAt(runAtMs);
    }
  }

  function wake(lane: Lane): void {
    ready.add(lane);
    if (isScheduled || run === undefined) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      deliver();
    });
  }

  function wakeAt(atMs: number): void {
    if (run === undefined || (timer !== undefined && timer.atMs <= atMs)) return;
    timer?.cancel();
    const delayMs = Math.min(Math.max(1, atMs - clock.now()), MAX_TIMER_MS);
    timer = { atMs, cancel: clock.after(delayMs, lookAtTimes) };
  }

  /** Moves jobs that became due and sets the timer for the next one. */
  function lookAtTimes(): void {
    timer = undefined;
    const nowMs = clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const lane of lanes.values()) {
      for (const [name, { job, runAtMs }] of lane.later) {
        if (runAtMs > nowMs) nextMs = Math.min(nextMs, runAtMs);
        else {
          lane.later.delete(name);
          lane.due.set(name, job);
        }
      }
      if (lane.heldUntilMs > nowMs) nextMs = Math.min(nextMs, lane.heldUntilMs);
      else if (lane.due.size > 0) wake(lane);
    }
    if (nextMs !== Number.POSITIVE_INFINITY) wakeAt(nextMs);
  }

  function canDeliver(lane: Lane, concurrency: number): boolean {
    if (lane.due.size === 0) return false;
    if (!lane.isOrdered) return lane.active.size < Math.max(1, Math.floor(concurrency * KEY_SHARE));
    return lane.active.size === 0 && lane.heldUntilMs <= clock.now();
  }

  function deliver(): void {
    if (run === undefined) return;
    const { concurrency } = run;
    for (const lane of ready) {
      if (handlers.size >= concurrency) return;
      ready.delete(lane);
      if (!canDeliver(lane, concurrency)) continue;
      const [job] = lane.due.values();
      if (job !== undefined) handle(lane, job);
      // Moves to the end until it has nothing to deliver.
      ready.add(lane);
    }
  }

  function handle(lane: Lane, job: QueueJob): void {
    if (run === undefined) return;
    const { handler, onError } = run;
    lane.due.delete(nameOf(job));
    const state = { isAddedAgain: false };
    lane.active.set(nameOf(job), state);
    const done = handler({ ...job, attempt: 1 })
      .catch(onError)
      .finally(() => {
        handlers.delete(done);
        // Neither completed nor held.
        if (lane.active.get(nameOf(job)) === state) giveBack(lane, job, clock.now() + UNSETTLED_MS);
        wake(lane);
        if (ready.size > 0) deliver();
      });
    handlers.add(done);
  }

  function giveBack(lane: Lane, job: QueueJob, untilMs: number): void {
    lane.active.delete(nameOf(job));
    if (!lane.isOrdered) lane.later.set(nameOf(job), { job, runAtMs: untilMs });
    else {
      lane.heldUntilMs = untilMs;
      const others = [...lane.due];
      lane.due.clear();
      lane.due.set(nameOf(job), job);
      for (const [name, other] of others) lane.due.set(name, other);
    }
    wakeAt(untilMs);
    if (untilMs <= clock.now()) lookAtTimes();
  }

  function remove(job: QueueJob): void {
    const lane = laneOf(job);
    const isAddedAgain = lane.active.get(nameOf(job))?.isAddedAgain ?? false;
    lane.active.delete(nameOf(job));
    lane.later.delete(nameOf(job));
    lane.due.delete(nameOf(job));
    if (isAddedAgain) lane.due.set(nameOf(job), toJob(job));
    wake(lane);
  }

  return {
    isShared: false,
    enqueue: async (writer, jobs) => {
      writer.afterCommit(() => {
        for (const job of jobs) add(job);
      });
    },
    complete: async (writer, jobs) => {
      writer.afterCommit(() => {
        for (const job of jobs) remove(job);
      });
    },
    hold: async (writer, delivery, untilMs) => {
      const job = toJob(delivery);
      writer.afterCommit(() => {
        const lane = laneOf(job);
        lane.due.delete(nameOf(job));
        if (delivery.attempt === undefined) lane.later.set(nameOf(job), { job, runAtMs: untilMs });
        else giveBack(lane, job, untilMs);
        wakeAt(untilMs);
      });
    },
    renew: async () => {},
    release: async (writer, key) => {
      writer.afterCommit(() => {
        for (const isOrdered of [true, false]) {
          const lane = laneOf({ key, isOrdered });
          lane.heldUntilMs = Number.NEGATIVE_INFINITY;
          for (const [name, { job }] of lane.later) lane.due.set(name, job);
          lane.later.clear();
          wake(lane);
        }
      });
    },
    start: async (handler, startOptions) => {
      run = { handler, ...startOptions };
      lookAtTimes();
    },
    stop: async () => {
      run = undefined;
      timer?.cancel();
      timer = undefined;
      while (handlers.size > 0) await Promise.all(handlers);
    },
    close: async () => {},
  };
}

function nameOf({ kind, rowId }: QueueJob): string {
  return `${kind} ${rowId}`;
}

function toJob({ kind, rowId, key, isOrdered }: QueueJob): QueueJob {
  return { kind, rowId, key, isOrdered };
}
