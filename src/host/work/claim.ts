import type { QueueDelivery } from '../queue/host-queue.js';
import type { EventRow, IncompleteRow, ScenarioRow } from '../store/tables.js';

/** An event that this process runs. */
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

/** A scheduled run of this process. */
export interface ScheduledClaim {
  readonly kind: 'scheduled';
  readonly scenario: ScenarioRow;
  readonly delivery: QueueDelivery;
  /** Whether it runs without other work in this process. */
  readonly isAlone: boolean;
}

/** Work of this process with its job. The job may be another one of the same ordered key. */
export type Claim = EventClaim | IncompleteClaim | ScheduledClaim;

/** States of incomplete executions that block a sequential scenario. */
export const OPEN_INCOMPLETES = ['waiting', 'running', 'unresolved'] as const;
