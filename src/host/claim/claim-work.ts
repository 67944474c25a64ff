import { nextStart, type StartKind } from '../../scenario/state/scenario-state.js';
import type { HostContext } from '../ports/context.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import type { Claimed, ClaimRequest } from './claim.js';
import { type Busy, type BusyAhead, completeBusy, findBusy, isBusy, isRunning } from './find-busy.js';
import type { Part, ScenarioLook } from './mark-taken.js';
import { takeEvents } from './take-events.js';
import { takeIncompletes } from './take-incompletes.js';
import { takeScheduled } from './take-scheduled.js';

/**
 * Takes work of scenarios: at most what is asked for, and at most one thing at a time where the scenario keeps order.
 *
 * Invariants: the rows of the scenarios are held until the transaction ends, so two processes never take of one scenario
 * at the same time; a suspended scenario starts nothing, as its state is read here; of a hook that keeps order the first
 * event is taken, and none while one is being processed. What is running and what waits is read as of one moment: an
 * event that goes back to its queue is seen as either, and never as neither.
 *
 * The caller has made sure that the work is still his (`assertOwn`), and asks nothing more in the transaction.
 *
 * @returns for each request, in their order, what it got
 */
export async function claimWork(
  writer: HostWriter,
  context: HostContext,
  requests: readonly ClaimRequest[],
  { held, ahead }: ClaimOptions,
): Promise<readonly Claimed[]> {
  if (requests.length === 0) return [];
  const looks = new Map<ClaimRequest, ScenarioLook>();
  const none = { claims: [], rest: 'none', notices: [] } as const;
  const results = new Map<ClaimRequest, Part>();
  const asked = new Set(requests.map(({ scenarioId }) => scenarioId));
  const rows = [...held.values()].filter(({ id }) => asked.has(id));
  const busy = await (ahead === undefined ? findBusy(writer, rows) : completeBusy(writer, rows, ahead));
  // The run of a schedule goes before whoever else asks for its scenario in the same transaction.
  const inOrder = requests.toSorted(
    (a, b) => Number(b.isScheduled ?? false) - Number(a.isScheduled ?? false),
  );
  for (const request of inOrder) {
    const scenario = held.get(request.scenarioId);
    if (scenario === undefined) results.set(request, { ...none, rest: 'held' });
    const isTaken = [...looks.keys()].some(({ scenarioId }) => scenarioId === request.scenarioId);
    const look = scenario && !isTaken ? lookAt(context, scenario, request, busy) : undefined;
    if (look !== undefined) looks.set(request, look);
    else if (scenario !== undefined && isBusy(scenario, request, busy)) {
      results.set(request, { ...none, rest: 'busy' });
    }
  }
  const all = [...looks.values()];
  const retries = await takeIncompletes(writer, context, all);
  const isLast = all.every(({ plan }) => plan.settings.scheduling === 'instant');
  const events = await takeEvents(writer, context, all, { retries, first: busy.first, isLast });
  for (const [request, look] of looks) {
    const { id } = look.scenario;
    const scheduled = await takeScheduled(writer, context, look);
    const parts = [retries.get(id), events.get(id), scheduled].filter((part) => part !== undefined);
    const rests = parts.map(({ rest }) => rest);
    const rest = (['suspect', 'more'] as const).find((one) => rests.includes(one)) ?? 'none';
    results.set(request, {
      claims: parts.flatMap(({ claims }) => claims),
      rest,
      notices: parts.flatMap(({ notices }) => notices),
    });
  }
  return requests.map((request) => ({ scenarioId: request.scenarioId, ...(results.get(request) ?? none) }));
}

export interface ClaimOptions {
  /** By id, those of the scenarios that the transaction holds (`lockFree`); the others are at somebody else. */
  readonly held: ReadonlyMap<number, ScenarioRow>;
  /** What was read behind the hold, with it. */
  readonly ahead?: BusyAhead | undefined;
}

function lookAt(
  { clock }: HostContext,
  scenario: ScenarioRow,
  request: ClaimRequest,
  busy: Busy,
): ScenarioLook | undefined {
  const plan = readPlan(scenario);
  const { settings } = plan;
  const unresolved = busy.unresolved.get(scenario.id) ?? 0;
  const may = (kind: StartKind): boolean =>
    nextStart(readState(scenario), settings, { kind, nowMs: clock.now(), unresolved }).kind === 'now';
  const isRetrying = busy.scenarioIds.has(scenario.id);
  const isFree = !settings.sequential || !(isRunning(scenario, request, busy) || isRetrying);
  const mayRun = isFree && !isBusy(scenario, request, busy) && may('run');
  const mayRetry = isFree && request.withRetries === true && may('retry');
  return mayRun || mayRetry ? { scenario, plan, request, mayRun, mayRetry } : undefined;
}
