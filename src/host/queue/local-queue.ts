import { randomUUID } from 'node:crypto';
import { type Clock, SYSTEM_CLOCK } from '../../shared/clock.js';
import { checkOptions, objectWithFunctions } from '../../shared/errors/check-options.js';
import type { Lane } from '../store/tables.js';
import type { HeldSlots, HostQueue, LaneKey, QueueKey, QueueStartOptions, Turn } from './host-queue.js';
import { Slots } from './slots.js';

/** Options of `createLocalQueue`. `clock` defaults to the system clock. */
export interface LocalQueueOptions {
  readonly clock?: Clock | undefined;
}

/** Delay before a turn that was not ended is delivered again. */
const UNSETTLED_MS = 1000;

/** A key in a lane. */
interface Entry extends LaneKey {
  /** Ids of its turns. */
  readonly active: Set<string>;
  /** Whether an ordered key was woken during its turn. */
  isWoken: boolean;
  /** The job to deliver again, and its next attempt. */
  repeat: { readonly job: string; readonly attempt: number } | undefined;
}

interface Run extends QueueStartOptions {
  readonly handler: (turn: Turn) => Promise<void>;
  readonly slots: Slots;
}

/**
 * A queue in the memory of one process. The host wakes the keys of stored work on start.
 *
 * @throws EngineError (USAGE) for an unknown or invalid option
 */
export function createLocalQueue(options: LocalQueueOptions = {}): HostQueue {
  checkOptions(
    options,
    { clock: objectWithFunctions(['now', 'sleep', 'after']) },
    'The options of createLocalQueue',
  );
  return new LocalQueue(options.clock ?? SYSTEM_CLOCK);
}

class LocalQueue implements HostQueue {
  readonly isShared = false;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** Waiting keys in the order of their turns: those that just woke, and those that had a turn before. */
  readonly #fresh = new Set<Entry>();
  readonly #again = new Set<Entry>();
  readonly #handlers = new Set<Promise<void>>();
  readonly #jobs = new Set<string>();
  readonly #cancels = new Set<() => void>();
  #run: Run | undefined;
  #isScheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly wake: HostQueue['wake'] = async (writer, lane, keys, { isFresh }) => {
    writer.afterCommit(() => {
      for (const key of keys) this.#add(this.#entry(lane, key), isFresh);
    });
  };

  readonly renew = async (): Promise<void> => {};

  readonly lock = async (): Promise<void> => {};

  readonly end: HostQueue['end'] = async (writer, turns, again) => {
    writer.afterCommit(() => {
      for (const turn of turns) this.#end(turn);
      for (const one of again) this.#add(this.#entry(one.lane, one), false);
    });
  };

  readonly findLost: HostQueue['findLost'] = async (jobs) => jobs.filter((job) => !this.#jobs.has(job));

  readonly held = (): readonly HeldSlots[] => this.#run?.slots.list() ?? [];

  readonly start: HostQueue['start'] = async (handler, options) => {
    this.#run = { ...options, handler, slots: new Slots(options.concurrency, options.share) };
    this.#schedule();
  };

  readonly stop = async (): Promise<void> => {
    this.#run = undefined;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    while (this.#handlers.size > 0) await Promise.all(this.#handlers);
  };

  readonly close = async (): Promise<void> => {};

  #entry(lane: Lane, { key, tenant }: QueueKey): Entry {
    const name = `${lane} ${key}`;
    const known = this.#entries.get(name);
    if (known?.tenant === tenant) return known;
    const entry: Entry = { lane, key, tenant, active: new Set(), isWoken: false, repeat: undefined };
    if (known !== undefined) this.#replace(known, entry);
    this.#entries.set(name, entry);
    return entry;
  }

  /** Carries the state of a key over to another tenant. */
  #replace(known: Entry, entry: Entry): void {
    for (const id of known.active) entry.active.add(id);
    Object.assign(entry, { isWoken: known.isWoken, repeat: known.repeat });
    if (this.#fresh.delete(known)) this.#fresh.add(entry);
    if (this.#again.delete(known)) this.#again.add(entry);
  }

  #add(entry: Entry, isFresh: boolean): void {
    if (entry.lane === 'ordered' && entry.active.size > 0) {
      entry.isWoken = true;
      return;
    }
    // A key that already waits keeps its place.
    if (!this.#fresh.has(entry) && !this.#again.has(entry)) (isFresh ? this.#fresh : this.#again).add(entry);
    this.#schedule();
  }

  #end({ id, job, lane, ...key }: Turn): void {
    const entry = this.#entry(lane, key);
    if (!entry.active.delete(id)) return;
    this.#jobs.delete(job);
    if (!entry.isWoken) return this.#forget(entry);
    entry.isWoken = false;
    this.#add(entry, false);
  }

  /** Keys come and go with scenarios, so idle ones are removed. */
  #forget(entry: Entry): void {
    const isIdle = entry.active.size === 0 && entry.repeat === undefined;
    if (!isIdle || this.#fresh.has(entry) || this.#again.has(entry)) return;
    this.#entries.delete(`${entry.lane} ${entry.key}`);
  }

  /** Delivers after the current callbacks, so that keys that wake together are ordered together. */
  #schedule(): void {
    if (this.#isScheduled || this.#run === undefined) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      while (this.#deliverNext());
    });
  }

  #deliverNext(): boolean {
    const run = this.#run;
    if (run === undefined || run.slots.free < 1) return false;
    const waiting = this.#fresh.size + this.#again.size;
    const entry = this.#findNext(run.slots);
    if (entry === undefined) return false;
    this.#fresh.delete(entry);
    this.#again.delete(entry);
    this.#deliver(run, entry, run.slots.countFor(entry.lane, entry, waiting));
    return true;
  }

  #findNext(slots: Slots): Entry | undefined {
    const fits = (entry: Entry): boolean => !slots.isFull(entry.tenant);
    if (slots.common < 1) {
      const idle = [...this.#fresh].filter(({ key }) => !slots.hasKey(key));
      return idle.find(fits) ?? idle[0];
    }
    const [first, then] = slots.prefersAgain() ? [this.#again, this.#fresh] : [this.#fresh, this.#again];
    return find(first, fits) ?? find(then, fits) ?? find(first, () => true) ?? find(then, () => true);
  }

  #deliver({ handler, onError, slots }: Run, entry: Entry, count: number): void {
    const { job, attempt } = entry.repeat ?? { job: randomUUID(), attempt: 0 };
    entry.repeat = undefined;
    const { lane, key, tenant } = entry;
    const id = `${job}:${attempt}`;
    const resize = slots.take(entry, count);
    entry.active.add(id);
    this.#jobs.add(job);
    const turn: Turn = {
      ...{ id, job, lane, key, tenant, slots: count },
      isRepeat: attempt > 0,
      resize: (left) => {
        resize(left);
        this.#schedule();
      },
    };
    const done: Promise<void> = handler(turn)
      .catch(onError)
      .then(() => {
        this.#handlers.delete(done);
        turn.resize(0);
        if (entry.active.has(id)) this.#repeatLater(turn, attempt + 1);
      });
    this.#handlers.add(done);
  }

  /** The turn stays active meanwhile, so that an ordered key waits for it. */
  #repeatLater(turn: Turn, attempt: number): void {
    if (this.#run === undefined) return;
    const cancel = this.#clock.after(UNSETTLED_MS, () => {
      this.#cancels.delete(cancel);
      const entry = this.#entry(turn.lane, turn);
      entry.active.delete(turn.id);
      // One repeat per key. The sweep finds the rows of another job, which no longer exists.
      if (entry.repeat !== undefined) this.#jobs.delete(turn.job);
      else entry.repeat = { job: turn.job, attempt };
      entry.isWoken = false;
      this.#add(entry, false);
    });
    this.#cancels.add(cancel);
  }
}

function find(entries: Iterable<Entry>, fits: (entry: Entry) => boolean): Entry | undefined {
  for (const entry of entries) if (fits(entry)) return entry;
  return undefined;
}
