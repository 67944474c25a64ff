import { EngineError } from '../../errors/engine-error.js';
import type { HostWriter } from '../store/tables.js';

/** An event to be processed, an incomplete execution to be retried, or the scheduled run of a scenario. */
export type JobKind = 'event' | 'retry' | 'run';

/** One job: a piece of work of the rows that waits for its time. */
export interface QueueJob {
  /** What the job is about, with the id of its row. A queue holds one job of each kind and row. */
  readonly kind: JobKind;
  readonly rowId: number;
  /** What the job belongs to: `release` is about all jobs of a key. */
  readonly key: string;
  /** Whether the queue delivers the ordered jobs of the key one at a time, by the order in which they were added. */
  readonly isOrdered: boolean;
}

/** A job that is added, and when it is due: milliseconds since the epoch. Default: now. */
export interface NewQueueJob extends QueueJob {
  readonly runAtMs?: number | undefined;
}

/** A job that this process has. The queue delivers it to no other process until it is settled or this process is taken for dead. */
export interface QueueDelivery extends QueueJob {
  /** Which delivery of the job this is. Undefined for a job that was never delivered and that its process settles itself. */
  readonly attempt?: number | undefined;
  /** Aborted once another process has the job. Absent where no other process can. */
  readonly signal?: AbortSignal | undefined;
}

/** How a queue delivers its jobs. */
export interface QueueStartOptions {
  /** Deliveries at a time. */
  readonly concurrency: number;
  readonly onError: (error: unknown) => void;
}

/**
 * A queue of jobs, for one process or for several. The rows say what there is to do; the queue says when and to whom.
 *
 * - A job is delivered at least once, not before its time. One that was not settled is delivered again: after a second
 *   where the handler has ended, after the heartbeat where the process has.
 * - The ordered jobs of a key are delivered one at a time; those that are due in the order in which they were added.
 * - `enqueue`, `complete`, `hold` and `release` take effect with the transaction of the writer, and not at all without it.
 *
 * `HOST_QUEUE_CONTRACT` of `iml-runtime/testing` tests an implementation.
 */
export interface HostQueue {
  /** Whether jobs outlive the process and reach others. The host restores the jobs of its rows as it starts in any case. */
  readonly isShared: boolean;
  /** Adds jobs. A job that is there already stays as it is. */
  readonly enqueue: (writer: HostWriter, jobs: readonly NewQueueJob[]) => Promise<void>;
  /** Removes jobs that are done. @throws EngineError (HOST_LEASE) if another process has one of them */
  readonly complete: (writer: HostWriter, jobs: readonly QueueDelivery[]) => Promise<void>;
  /**
   * Gives a job back until a time. Of an ordered job no other of its key is delivered before.
   * @throws EngineError (HOST_LEASE) if another process has it
   */
  readonly hold: (writer: HostWriter, job: QueueDelivery, untilMs: number) => Promise<void>;
  /** Makes sure that this process still has a job, until the transaction ends. @throws EngineError (HOST_LEASE) */
  readonly renew: (writer: HostWriter, job: QueueDelivery) => Promise<void>;
  /** Makes all jobs of a key due that wait for a time. */
  readonly release: (writer: HostWriter, key: string) => Promise<void>;
  /** Delivers jobs to a handler, which settles each by `complete` or `hold`. */
  readonly start: (
    handler: (delivery: QueueDelivery) => Promise<void>,
    options: QueueStartOptions,
  ) => Promise<void>;
  /** Delivers nothing more, and waits for the handlers. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @throws EngineError (HOST_LEASE) if fewer jobs were settled or renewed than this process thought it had */
export function assertOwned(affected: number, wanted: number): void {
  if (affected >= wanted) return;
  throw new EngineError('HOST_LEASE', TAKEN_OVER);
}

export const TAKEN_OVER: string =
  'Another process has taken over a job of this one, which was silent for too long.';
