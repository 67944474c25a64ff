import { EngineError } from '../../shared/errors/engine-error.js';
import type { HostWriter, Lane } from '../store/tables.js';

export const LANES: readonly Lane[] = ['ordered', 'parallel'];

/** A key with work, and whom the slots of its runs count for. */
export interface QueueKey {
  readonly key: string;
  readonly tenant: string;
}

/** A key to wake in a lane. */
export interface LaneKey extends QueueKey {
  readonly lane: Lane;
}

/** The right to start work of a key. Other processes get it if this process misses its heartbeats. */
export interface Turn extends LaneKey {
  /** Unique per delivery: `job:attempt`. Rows that the turn starts are marked with it. */
  readonly id: string;
  /** The same in each delivery of a job. */
  readonly job: string;
  /** Whether the job was delivered before, so that rows may be marked with an earlier id. */
  readonly isRepeat: boolean;
  /** Maximum rows to run at the same time. */
  readonly slots: number;
  /** Aborts when another process takes over the job. Absent if no other process can. */
  readonly signal?: AbortSignal | undefined;
  /** Returns slots. @param slots number of rows that still run */
  readonly resize: (slots: number) => void;
}

/** Options of `start`. */
export interface QueueStartOptions {
  /** Number of slots: maximum concurrent runs. */
  readonly concurrency: number;
  /** Maximum share of the slots per tenant while another tenant waits. Default 0.75. */
  readonly share?: number | undefined;
  readonly onError: (error: unknown) => void;
}

/** Slots that the running turns of a key hold. */
export interface HeldSlots extends QueueKey {
  readonly slots: number;
}

/**
 * Delivers turns of keys with work, to one process or several. The rows are the work: a job says only "this key has
 * work". The caller decides what a turn starts, and whether work is left when it ends.
 *
 * - A woken key gets a turn, at least once. A turn whose handler does not end it is delivered again: one second after
 *   the handler, or after the missed heartbeat of its process.
 * - `wake` and `end` take effect when the transaction of the writer commits. No wake-up is lost: either the turn that
 *   ends sees the rows of the transaction, or the key gets another turn.
 * - Keys take turns. A fresh key comes before the next turn of a busy one. Part of the slots stays for fresh keys.
 *
 * `HOST_QUEUE_CONTRACT` of `iml-runtime/testing` tests implementations.
 */
export interface HostQueue {
  /** Whether other processes receive the turns of this queue. */
  readonly isShared: boolean;
  /**
   * Notes that keys have work. No effect on a key that waits, or that has a turn in the ordered lane.
   *
   * @param options.isFresh whether the work just arrived
   */
  readonly wake: (
    writer: HostWriter,
    lane: Lane,
    keys: readonly QueueKey[],
    options: { readonly isFresh: boolean },
  ) => Promise<void>;
  /**
   * Locks the leases of turns until the transaction ends.
   *
   * @throws EngineError (HOST_LEASE) if another process took one over
   */
  readonly renew: (writer: HostWriter, turns: readonly Turn[]) => Promise<void>;
  /**
   * Locks the keys of turns that end in this transaction. The first statement of the transaction; what it reads from
   * here on includes the rows of each earlier `wake`.
   */
  readonly lock: (writer: HostWriter, turns: readonly Turn[]) => Promise<void>;
  /**
   * Ends turns after `lock`.
   *
   * @param again keys that still have work that may start now
   * @throws EngineError (HOST_LEASE) if another process took one over
   */
  readonly end: (writer: HostWriter, turns: readonly Turn[], again: readonly LaneKey[]) => Promise<void>;
  /** The jobs among these that no longer exist, so that nobody runs their rows. */
  readonly findLost: (jobs: readonly string[]) => Promise<readonly string[]>;
  /** Slots per key in this process. */
  readonly held: () => readonly HeldSlots[];
  /** Starts delivering turns to a handler. */
  readonly start: (handler: (turn: Turn) => Promise<void>, options: QueueStartOptions) => Promise<void>;
  /** Stops delivering and waits for the handlers. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @throws EngineError (HOST_LEASE) if fewer rows or jobs were affected than expected */
export function assertOwned(affected: number, expected: number): void {
  if (affected < expected) throw takenOver();
}

export function takenOver(): EngineError {
  const message = 'Lease lost: another process took over a job after a missed heartbeat.';
  return new EngineError('HOST_LEASE', message);
}
