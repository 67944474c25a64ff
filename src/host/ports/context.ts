import type { Clock } from '../../util/clock.js';
import type { HostLimits } from '../host-limits.js';
import type { HostQueue } from '../queue/host-queue.js';
import type { HostStore } from '../store/tables.js';
import type { HostObserver } from './observer.js';
import type { Flows } from './ports.js';
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
  /** Whether this process works on what is due: it was started, and is not stopping. */
  readonly isWorking: () => boolean;
  readonly checkpoint: Checkpoint;
  readonly tracing: HostTracing;
  readonly observe: HostObserver;
  /** Tells of what the host itself met. */
  readonly onError: (error: unknown) => void;
}
