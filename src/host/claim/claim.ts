import type { ScenarioPlan } from '../store/scenario-plan.js';
import type { EventRow, IncompleteRow, ScenarioRow } from '../store/tables.js';
import type { GiveUpNotice } from './give-up.js';

/** An event this process has to itself. */
export interface EventClaim {
  readonly kind: 'event';
  readonly event: EventRow;
  readonly scenario: ScenarioRow;
}

/** A retry this process has to itself. */
export interface IncompleteClaim {
  readonly kind: 'incomplete';
  readonly incomplete: IncompleteRow;
  readonly scenario: ScenarioRow;
}

/** The run of a schedule this process has to itself: no other run of the scenario begins meanwhile. */
export interface ScheduledClaim {
  readonly kind: 'scheduled';
  readonly scenario: ScenarioRow;
  /** Whether nothing else is under way in this process. */
  readonly isAlone: boolean;
}

export type Claim = EventClaim | IncompleteClaim | ScheduledClaim;

/** Wants work of a scenario. */
export interface ClaimRequest {
  readonly scenarioId: number;
  readonly max: number;
  /** Nothing else is under way in this process: what may have ended processes before can be tried. */
  readonly isAlone: boolean;
  /** The run of its schedule is under way in this process, and takes events one after the other. */
  readonly isScheduled?: boolean | undefined;
  /** Incomplete executions are wanted as well, where any is due. */
  readonly withRetries?: boolean | undefined;
}

/** What a scenario gave. */
export interface Claimed {
  readonly scenarioId: number;
  readonly claims: readonly Claim[];
  /**
   * `more`: there may be more at once; `held`: somebody else is at it at this moment; `busy`: it keeps order, and
   * something of it is under way; `suspect`: the next has to be alone; `none`: nothing before something ends, or a time
   * comes.
   */
  readonly rest: 'more' | 'held' | 'busy' | 'suspect' | 'none';
  /** What was given up meanwhile; told once the transaction is through. */
  readonly notices: readonly GiveUpNotice[];
}

/** States in which an incomplete execution keeps a sequential scenario from going on. */
export const OPEN_INCOMPLETES = ['waiting', 'running', 'unresolved'] as const;

/** Whether a scenario takes its events one after the other. */
export function isSerial({ ordered, settings }: ScenarioPlan): boolean {
  return ordered || settings.sequential || settings.scheduling === 'timed';
}
