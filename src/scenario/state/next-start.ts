import type { ScenarioSettings } from './scenario-settings.js';
import type { ScenarioState } from './scenario-state.js';

/** When a run may start. */
export type StartDecision =
  | { readonly kind: 'now' }
  /** Not before this time, in milliseconds since the epoch. */
  | { readonly kind: 'at'; readonly atMs: number }
  /** Not before a run has ended or an incomplete execution is resolved; events stay in their queue. */
  | { readonly kind: 'wait'; readonly reason: 'running' | 'unresolved' }
  | { readonly kind: 'never' };

/** What wants to start: a run of the schedule or for an event, a rerun of a backoff, or the retry of an incomplete execution. */
export type StartKind = 'run' | 'rerun' | 'retry';

/**
 * Whether a scenario may start something now. Pure, as `nextState` is.
 *
 * - Off: nothing. Suspended: nothing before the suspension is over.
 * - `sequential`: one run after the other, and none but retries while an incomplete execution is unresolved or a backoff
 *   is under way.
 *
 * @param unresolved incomplete executions of the scenario that are not resolved
 * @see https://help.make.com/options-related-to-incomplete-executions
 */
export function nextStart(
  state: ScenarioState,
  settings: Pick<ScenarioSettings, 'sequential'>,
  start: { readonly kind: StartKind; readonly nowMs: number; readonly unresolved?: number },
): StartDecision {
  const { kind, nowMs, unresolved = 0 } = start;
  const resting = state.kind === 'running' ? state.resting : state;
  if (resting.kind === 'inactive') return { kind: 'never' };
  if (resting.kind === 'delayed' && nowMs < resting.untilMs) return { kind: 'at', atMs: resting.untilMs };
  if (settings.sequential && state.kind === 'running') return { kind: 'wait', reason: 'running' };
  const waitsForBackoff = kind === 'rerun' || (kind === 'run' && settings.sequential);
  if (waitsForBackoff && resting.kind === 'backoff' && nowMs < resting.untilMs) {
    return { kind: 'at', atMs: resting.untilMs };
  }
  if (settings.sequential && kind !== 'retry' && unresolved > 0)
    return { kind: 'wait', reason: 'unresolved' };
  return { kind: 'now' };
}
