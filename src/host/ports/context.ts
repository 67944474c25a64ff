import type { Clock } from '../../util/clock.js';
import type { HostLimits } from '../host-limits.js';
import type { HostStore, HostWriter, ScenarioRow } from '../store/tables.js';
import type { HostObserver } from './observer.js';
import type { Flows, HostQueue } from './ports.js';
import type { HostTracing } from './tracing.js';

/** Called at every point where the end of the process leaves the store in another state. Tests end it there. */
export type Checkpoint = (point: string) => void;

/** What the parts of a host share. */
export interface HostContext {
  readonly store: HostStore;
  readonly queue: HostQueue;
  readonly flows: Flows;
  readonly clock: Clock;
  readonly limits: HostLimits;
  readonly worker: WorkerIdentity;
  readonly checkpoint: Checkpoint;
  readonly tracing: HostTracing;
  readonly observe: HostObserver;
  /** Tells of what the host itself met. */
  readonly onError: (error: unknown) => void;
}

/** Under which name this process works. It changes when others took it for dead. */
export interface WorkerIdentity {
  readonly name: () => string;
  /** Whether it has that name in the store: only then it may take work. */
  readonly isJoined: () => boolean;
  /**
   * Makes sure, until the transaction ends, that nobody has taken over the work of this process.
   * @throws EngineError (HOST_LEASE)
   */
  readonly assertOwn: (writer: HostWriter) => Promise<void>;
  /**
   * Does so and, in the same statement, holds those of some scenarios that nobody else is at.
   * @throws EngineError (HOST_LEASE)
   */
  readonly holdFree: (writer: HostWriter, scenarioIds: readonly number[]) => Promise<readonly ScenarioRow[]>;
}
