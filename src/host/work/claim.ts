import type { Turn } from '../queue/host-queue.js';
import type { EventRow, IncompleteRow, ScenarioRow } from '../store/tables.js';

/** A turn that this process works on. */
export interface OpenTurn {
  readonly turn: Turn;
  /** Rows of the turn without a stored result. The transaction that stores the last one ends the turn. */
  open: number;
}

interface Claimed {
  readonly scenario: ScenarioRow;
  /** Mark of the row. Only its holder may store the result. */
  readonly mark: string;
  /** Undefined for an event that this process runs without a turn, because its sender waits. */
  readonly turn: OpenTurn | undefined;
}

/** An event that this process runs. */
export interface EventClaim extends Claimed {
  readonly kind: 'event';
  readonly event: EventRow;
}

/** An incomplete execution that this process retries. */
export interface IncompleteClaim extends Claimed {
  readonly kind: 'incomplete';
  readonly incomplete: IncompleteRow;
}

/** A scheduled run of this process. */
export interface ScheduledClaim extends Claimed {
  readonly kind: 'scheduled';
  readonly turn: OpenTurn;
  /** Whether it runs without other work in this process. */
  readonly isAlone: boolean;
}

/** Work of this process. */
export type Claim = EventClaim | IncompleteClaim | ScheduledClaim;

/** States of incomplete executions that block a sequential scenario. */
export const OPEN_INCOMPLETES = ['waiting', 'running', 'unresolved'] as const;
