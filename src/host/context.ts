import type { Clock } from '../shared/clock.js';
import type { Tracing } from '../shared/tracing.js';
import type { HostLimits } from './host-limits.js';
import type { HostObserver } from './observer.js';
import type { Flows } from './ports.js';
import type { HostQueue } from './queue/host-queue.js';
import type { HostStore } from './store/tables.js';

/** Called at every point where a crash would leave a different state. Tests end the process there. */
export type Checkpoint = (point: string) => void;

/** Dependencies shared by the parts of a host. */
export interface HostContext {
  readonly store: HostStore;
  readonly queue: HostQueue;
  readonly flows: Flows;
  readonly clock: Clock;
  readonly limits: HostLimits;
  /** Whether this process processes due work: it was started and is not stopping. */
  readonly isWorking: () => boolean;
  /** Notes when stored work becomes due, so that this process wakes its key at that time. */
  readonly dueAt: (atMs: number) => void;
  readonly checkpoint: Checkpoint;
  readonly tracing: Tracing;
  readonly observe: HostObserver;
  /** Reports an error of the host itself. */
  readonly onError: (error: unknown) => void;
}
