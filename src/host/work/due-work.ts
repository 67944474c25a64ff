import { nextStart, type StartKind } from '../../scenario/scenario-state.js';
import type { LaneKey } from '../queue/host-queue.js';
import { keyOf } from '../queue/scenario-keys.js';
import { readState } from '../store/scenario-plan.js';
import type { EventRow, HostReader, ScenarioRow } from '../store/tables.js';
import { OPEN_INCOMPLETES } from './claim.js';

/** The columns of a scenario that decide what it may start. */
export const START_COLUMNS: readonly StartColumn[] = [
  ...(['hookId', 'lane', 'isSequential', 'isTimed', 'tenant', 'state', 'nextRunMs'] as const),
];

type StartColumn = 'hookId' | 'lane' | 'isSequential' | 'isTimed' | 'tenant' | 'state' | 'nextRunMs';

export type Startable = Pick<ScenarioRow, 'id' | StartColumn>;

/** Stored work of a scenario. */
export interface WaitingWork {
  /** Its first waiting event that is due. */
  readonly firstEvent: Pick<EventRow, 'notBeforeMs'> | undefined;
  /** For an ordered scenario, whether an earlier event waits for its time. */
  readonly isBlocked: boolean;
  /** Whether an event waits that never failed. */
  readonly hasFreshEvent: boolean;
  readonly hasDueRetry: boolean;
  /** Open incomplete executions. Counted for sequential scenarios only. */
  readonly unresolved: number;
}

/** What a scenario may start now, per lane. */
export interface DueWork {
  readonly ordered: 'retry' | 'run' | 'events' | undefined;
  readonly parallel: {
    readonly retries: boolean;
    /** `fresh`: events that failed before wait for the end of a backoff. */
    readonly events: 'all' | 'fresh' | undefined;
  };
}

/**
 * What may start now. The only place that decides it: a turn takes what it names, and a turn that ends is followed by
 * another one exactly if it names something.
 */
export function decideDue(scenario: Startable, waiting: WaitingWork, nowMs: number): DueWork {
  const { lane, isSequential, isTimed, nextRunMs } = scenario;
  const settings = { sequential: isSequential };
  const state = readState(scenario);
  const may = (kind: StartKind): boolean =>
    nextStart(state, settings, { kind, nowMs, unresolved: waiting.unresolved }).kind === 'now';
  const hasRetry = waiting.hasDueRetry && may('retry');
  const hasRun = isTimed && nextRunMs !== null && nextRunMs <= nowMs && may('run');
  const { firstEvent, isBlocked, hasFreshEvent } = waiting;
  const mayStart = firstEvent !== undefined && may(firstEvent.notBeforeMs === null ? 'run' : 'rerun');
  const hasOrdered = !isTimed && lane === 'ordered' && !isBlocked && mayStart;
  const ordered = isSequential && hasRetry ? 'retry' : hasRun ? 'run' : hasOrdered ? 'events' : undefined;
  const isParallel = !isTimed && lane === 'parallel';
  const all = isParallel && firstEvent !== undefined && may('rerun') ? 'all' : undefined;
  const fresh = isParallel && hasFreshEvent && may('run') ? 'fresh' : undefined;
  return { ordered, parallel: { retries: !isSequential && hasRetry, events: all ?? fresh } };
}

/** Reads the stored work of scenarios with few statements. */
export async function readWaiting(
  reader: HostReader,
  scenarios: readonly Startable[],
  nowMs: number,
): Promise<ReadonlyMap<number, WaitingWork>> {
  const ids = scenarios.map(({ id }) => id);
  const sequential = scenarios.filter(({ isSequential }) => isSequential).map(({ id }) => id);
  const withEvents = scenarios.filter(({ isTimed, hookId }) => !isTimed && hookId !== null);
  const hookIds = withEvents.map(({ hookId }) => hookId ?? 0);
  const isOrdered = new Map(withEvents.map(({ hookId, lane }) => [hookId ?? 0, lane === 'ordered']));
  const retrying = { scenarioId: ids, status: 'waiting', retryAtMs: { atMost: nowMs } } as const;
  const [events, retries, unresolved] = await Promise.all([
    reader.firstOf('events', {
      column: 'hookId',
      values: hookIds,
      where: [
        { status: 'pending' },
        { status: 'pending', notBeforeMs: { notAbove: nowMs } },
        { status: 'pending', notBeforeMs: null },
      ],
      columns: ['hookId', 'notBeforeMs'],
    }),
    ids.length === 0 ? new Map<number, number>() : reader.countBy('incompletes', 'scenarioId', retrying),
    sequential.length === 0
      ? new Map<number, number>()
      : reader.countBy('incompletes', 'scenarioId', { scenarioId: sequential, status: OPEN_INCOMPLETES }),
  ]);
  const byHook = new Map<number, Pick<EventRow, 'notBeforeMs'>[]>();
  for (const event of events) byHook.set(event.hookId, [...(byHook.get(event.hookId) ?? []), event]);
  return new Map(
    scenarios.map(({ id, hookId }) => {
      const own = byHook.get(hookId ?? 0) ?? [];
      const isDue = ({ notBeforeMs }: Pick<EventRow, 'notBeforeMs'>): boolean => (notBeforeMs ?? 0) <= nowMs;
      const [first] = own;
      const waiting: WaitingWork = {
        firstEvent: own.find(isDue),
        isBlocked: isOrdered.get(hookId ?? 0) === true && first !== undefined && !isDue(first),
        hasFreshEvent: own.some(({ notBeforeMs }) => notBeforeMs === null),
        hasDueRetry: retries.has(id),
        unresolved: unresolved.get(id) ?? 0,
      };
      return [id, waiting];
    }),
  );
}

/** The keys of scenarios that may start something now, per lane. */
export async function findDue(
  reader: HostReader,
  scenarios: readonly Startable[],
  nowMs: number,
): Promise<readonly LaneKey[]> {
  const waiting = await readWaiting(reader, scenarios, nowMs);
  return scenarios.flatMap((scenario): LaneKey[] => {
    const work = waiting.get(scenario.id);
    if (work === undefined) return [];
    const { ordered, parallel } = decideDue(scenario, work, nowMs);
    const key = keyOf(scenario);
    const isParallel = parallel.retries || parallel.events !== undefined;
    return [
      ...(ordered === undefined ? [] : [{ ...key, lane: 'ordered' } as const]),
      ...(isParallel ? [{ ...key, lane: 'parallel' } as const] : []),
    ];
  });
}
