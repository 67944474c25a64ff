import type { Row } from '../../store/record-store.js';
import type { ScenarioPlan } from '../store/scenario-plan.js';
import type { ScenarioRow } from '../store/tables.js';
import type { Claim, Claimed, ClaimRequest } from './claim.js';
import type { Crashing, Sorted } from './isolate-suspects.js';

/** What may be taken of a scenario now. */
export interface ScenarioLook {
  readonly scenario: ScenarioRow;
  readonly plan: ScenarioPlan;
  readonly request: ClaimRequest;
  readonly mayRun: boolean;
  readonly mayRetry: boolean;
}

/** What one kind of work gave of a scenario. */
export type Part = Omit<Claimed, 'scenarioId'>;

/** What is taken of a scenario. */
export interface Taking<R> extends Sorted<R> {
  readonly scenario: ScenarioRow;
  readonly request: ClaimRequest;
  readonly isMore: boolean;
}

/** How a row changes as it is taken. */
interface TakenChange extends Omit<Crashing, 'id'> {
  /** Given where the row names another one, or none. */
  readonly scenarioId?: number;
}

/**
 * Marks rows as taken, those of equal counts in one statement, of however many scenarios.
 *
 * @param update is told whether there is another statement behind it
 * @returns by id, those that were
 */
export async function markTaken<R extends Row>(
  takings: readonly Taking<Crashing>[],
  update: (ids: readonly number[], change: TakenChange, isLast: boolean) => Promise<readonly R[]>,
): Promise<ReadonlyMap<number, R>> {
  const groups = new Map<string, { readonly change: TakenChange; readonly ids: number[] }>();
  for (const { rows, scenario, request } of takings) {
    for (const row of rows) {
      const change = {
        attempts: row.attempts + 1,
        crashes: row.crashes + 1,
        crashesAlone: row.crashesAlone + (request.isAlone ? 1 : 0),
        ...(row.scenarioId !== undefined && row.scenarioId !== scenario.id && { scenarioId: scenario.id }),
      };
      const key = JSON.stringify(change);
      const group = groups.get(key) ?? { change, ids: [] };
      group.ids.push(row.id);
      groups.set(key, group);
    }
  }
  const taken = new Map<number, R>();
  const last = [...groups.values()].at(-1);
  for (const group of groups.values()) {
    for (const row of await update(group.ids, group.change, group === last)) taken.set(row.id, row);
  }
  return taken;
}

/** By scenario, what was taken of it. Somebody may have discarded something meanwhile. */
export function groupTaken<R extends Row>(
  takings: readonly Taking<Crashing>[],
  taken: ReadonlyMap<number, R>,
  toClaim: (row: R, scenario: ScenarioRow) => Claim,
): Map<number, Part> {
  const parts = new Map<number, Part>();
  for (const taking of takings) {
    const { rows, scenario, isSuspect, notices } = taking;
    const claims = rows.flatMap(({ id }) => taken.get(id) ?? []).map((row) => toClaim(row, scenario));
    const isMore = taking.isMore || claims.length < rows.length;
    parts.set(scenario.id, { claims, rest: isSuspect ? 'suspect' : isMore ? 'more' : 'none', notices });
  }
  return parts;
}
