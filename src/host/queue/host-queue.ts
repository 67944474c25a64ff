import { EngineError } from '../../shared/errors/engine-error.js';
import type { HostWriter } from '../store/tables.js';

/** An event to process, an incomplete execution to retry, or a scheduled run. */
export type JobKind = 'event' | 'retry' | 'run';

/** A job: work on a stored row at a time. */
export interface QueueJob {
  /** Kind and row id identify the job. A queue holds at most one job of each. */
  readonly kind: JobKind;
  readonly rowId: number;
  /** Group of the job. `release` applies to a group. */
  readonly key: string;
  /** Whether jobs of the key are delivered one at a time, in order of insertion. */
  readonly isOrdered: boolean;
}

/** A job to add. Due time in milliseconds since the epoch. Default: now. */
export interface NewQueueJob extends QueueJob {
  readonly runAtMs?: number | undefined;
}

/** A delivered job. No other process gets it until it is settled or this process is considered dead. */
export interface QueueDelivery extends QueueJob {
  /** Identifies the delivery. Undefined for a job that its process settles without a delivery. */
  readonly attempt?: number | undefined;
  /** Aborts when another process takes over the job. Absent if no other process can. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `start`. */
export interface QueueStartOptions {
  /** Maximum concurrent deliveries. */
  readonly concurrency: number;
  readonly onError: (error: unknown) => void;
}

/**
 * A job queue for one process or several. The rows define the work; the queue decides when and where it runs.
 *
 * - Delivers a job at least once, and not before its time. Delivers an unsettled job again: one second after its
 *   handler ended, or after the missed heartbeat of its process.
 * - Delivers ordered jobs of a key one at a time; due ones in order of insertion.
 * - `enqueue`, `complete`, `hold` and `release` take effect when the transaction of the writer commits.
 *
 * `HOST_QUEUE_CONTRACT` of `iml-runtime/testing` tests implementations.
 */
export interface HostQueue {
  /**
   * Whether jobs survive the process and other processes receive them. The host restores jobs from the rows on every
   * start regardless.
   */
  readonly isShared: boolean;
  /** Adds jobs. Existing jobs stay unchanged. */
  readonly enqueue: (writer: HostWriter, jobs: readonly NewQueueJob[]) => Promise<void>;
  /** Removes completed jobs. @throws EngineError (HOST_LEASE) if another process took one over */
  readonly complete: (writer: HostWriter, jobs: readonly QueueDelivery[]) => Promise<void>;
  /**
   * Returns a job until a time. An ordered job blocks its key until then.
   * @throws EngineError (HOST_LEASE) if another process took it over
   */
  readonly hold: (writer: HostWriter, job: QueueDelivery, untilMs: number) => Promise<void>;
  /**
   * Locks the claim on a job until the transaction ends. @throws EngineError (HOST_LEASE) if another process took it
   * over
   */
  readonly renew: (writer: HostWriter, job: QueueDelivery) => Promise<void>;
  /** Makes all waiting jobs of a key due. */
  readonly release: (writer: HostWriter, key: string) => Promise<void>;
  /** Starts delivering jobs to a handler, which settles each with `complete` or `hold`. */
  readonly start: (
    handler: (delivery: QueueDelivery) => Promise<void>,
    options: QueueStartOptions,
  ) => Promise<void>;
  /** Stops delivering and waits for the handlers. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @throws EngineError (HOST_LEASE) if fewer jobs were affected than expected */
export function assertOwned(affected: number, wanted: number): void {
  if (affected >= wanted) return;
  throw new EngineError('HOST_LEASE', TAKEN_OVER);
}

export const TAKEN_OVER: string = 'Lease lost: another process took over a job after a missed heartbeat.';
