import type { QueueDelivery } from '../queue/host-queue.js';
import type { EventRow, IncompleteRow, ScenarioRow } from '../store/tables.js';

/** An event that this process works on. */
export interface EventClaim {
  readonly kind: 'event';
  readonly event: EventRow;
  readonly scenario: ScenarioRow;
  readonly delivery: QueueDelivery;
}

/** An incomplete execution that this process retries. */
export interface IncompleteClaim {
  readonly kind: 'incomplete';
  readonly incomplete: IncompleteRow;
  readonly scenario: ScenarioRow;
  readonly delivery: QueueDelivery;
}

/** The scheduled run of a scenario. */
export interface ScheduledClaim {
  readonly kind: 'scheduled';
  readonly scenario: ScenarioRow;
  readonly delivery: QueueDelivery;
  /** Whether nothing else is under way in this process. */
  readonly isAlone: boolean;
}

/** Work of this process, with the job by which it has it. The job may be another one of the same ordered key. */
export type Claim = EventClaim | IncompleteClaim | ScheduledClaim;

/** States in which an incomplete execution keeps a sequential scenario from going on. */
export const OPEN_INCOMPLETES = ['waiting', 'running', 'unresolved'] as const;
