import { nextStart, type StartKind } from '../../scenario/state/next-start.js';
import type { Row } from '../../store/record-store.js';
import { readPlan, readState, type ScenarioPlan } from '../store/scenario-plan.js';
import type { EventRow, HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';
import type { HostContext } from './context.js';
import { type GiveUpNotice, giveUpEvent, giveUpIncomplete, giveUpPoll } from './give-up.js';

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

/** After how many ends of a process something that was under way at all of them is tried alone, to see whether it is to blame. */
const SUSPECT_AFTER = 3;

/** What may be taken of a scenario now. */
interface Look {
  readonly scenario: ScenarioRow;
  readonly plan: ScenarioPlan;
  readonly request: ClaimRequest;
  readonly mayRun: boolean;
  readonly mayRetry: boolean;
}

/**
 * Takes work of scenarios: at most what is asked for, and at most one thing at a time where the scenario keeps order.
 *
 * Invariants: the rows of the scenarios are held until the transaction ends, so two processes never take of one scenario
 * at the same time; a suspended scenario starts nothing, as its state is read here; of a hook that keeps order the first
 * event is taken, and none while one is being processed. What is running and what waits is read as of one moment: an
 * event that goes back to its queue is seen as either, and never as neither.
 *
 * The caller has made sure that the work is still his (`assertOwn`).
 *
 * @param held by id, those of the scenarios that the transaction holds (`lockFree`); the others are at somebody else
 * @returns for each request, in their order, what it got
 */
export async function claimWork(
  writer: HostWriter,
  context: HostContext,
  requests: readonly ClaimRequest[],
  held: ReadonlyMap<number, ScenarioRow>,
): Promise<readonly Claimed[]> {
  if (requests.length === 0) return [];
  const looks = new Map<ClaimRequest, Look>();
  const none = { claims: [], rest: 'none', notices: [] } as const;
  const results = new Map<ClaimRequest, Part>();
  const asked = new Set(requests.map(({ scenarioId }) => scenarioId));
  const rows = [...held.values()].filter(({ id }) => asked.has(id));
  const busy = await findBusy(writer, rows);
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
  const events = await takeEvents(writer, context, all, { retries, first: busy.first });
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

type Part = Omit<Claimed, 'scenarioId'>;

/** What is under way of scenarios that do one thing at a time. */
interface Busy {
  /** By hook that keeps order: the first event that waits. */
  readonly first: Queues;
  /** Hooks with an event that is being processed. */
  readonly hookIds: ReadonlySet<number>;
  /** Scenarios with a retry that is being made. */
  readonly scenarioIds: ReadonlySet<number>;
  /** Incomplete executions that hold up a sequential scenario. */
  readonly unresolved: ReadonlyMap<number, number>;
}

/** What is read of events that wait; what they brought is read as they are taken. */
const QUEUED = [
  ...(['status', 'hookId', 'scenarioId', 'attempts'] as const),
  ...(['crashes', 'crashesAlone', 'notBeforeMs'] as const),
] as const;
type QueuedEvent = Pick<EventRow, 'id' | (typeof QUEUED)[number]>;
type Queues = ReadonlyMap<number, readonly QueuedEvent[]>;

async function findBusy(writer: HostWriter, rows: readonly ScenarioRow[]): Promise<Busy> {
  const serial = rows.filter((row) => isSerial(readPlan(row)));
  const hookIds = serial.flatMap(({ hookId }) => (hookId === null ? [] : [hookId]));
  const sequential = serial.filter((row) => readPlan(row).settings.sequential).map(({ id }) => id);
  const where = [{ status: 'running' }, { status: 'pending' }] as const;
  const events = await writer.firstOf('events', {
    column: 'hookId',
    values: hookIds,
    where,
    columns: QUEUED,
  });
  const isAny = sequential.length > 0;
  const retries = isAny
    ? await writer.distinct('incompletes', 'scenarioId', { scenarioId: sequential, status: 'running' })
    : [];
  const open = { scenarioId: sequential, status: OPEN_INCOMPLETES };
  const unresolved = isAny
    ? await writer.countBy('incompletes', 'scenarioId', open)
    : new Map<number, number>();
  return {
    first: byHook(events.filter(({ status }) => status === 'pending')),
    hookIds: new Set(events.filter(({ status }) => status === 'running').map(({ hookId }) => hookId)),
    scenarioIds: new Set(retries),
    unresolved,
  };
}

/** Whether a scenario takes its events one after the other. */
export function isSerial({ ordered, settings }: ScenarioPlan): boolean {
  return ordered || settings.sequential || settings.scheduling === 'timed';
}

function isRunning(scenario: ScenarioRow, request: ClaimRequest, { hookIds }: Busy): boolean {
  const hasEvent = scenario.hookId !== null && hookIds.has(scenario.hookId);
  return hasEvent || (scenario.claimedBy !== null && request.isScheduled !== true);
}

function isBusy(scenario: ScenarioRow, request: ClaimRequest, busy: Busy): boolean {
  return isSerial(readPlan(scenario)) && isRunning(scenario, request, busy);
}

function lookAt(
  { clock }: HostContext,
  scenario: ScenarioRow,
  request: ClaimRequest,
  busy: Busy,
): Look | undefined {
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

async function takeIncompletes(
  writer: HostWriter,
  context: HostContext,
  looks: readonly Look[],
): Promise<Map<number, Part>> {
  const nowMs = context.clock.now();
  const scenarioIds = looks.filter(({ mayRetry }) => mayRetry).map(({ scenario }) => scenario.id);
  if (scenarioIds.length === 0) return new Map();
  const where = { status: 'waiting', retryAtMs: { atMost: nowMs } } as const;
  const max = Math.max(...looks.map(({ request }) => request.max));
  const due = await writer.firstOf('incompletes', {
    column: 'scenarioId',
    values: scenarioIds,
    where,
    limit: max,
    columns: ['scenarioId', 'attempts', 'crashes', 'crashesAlone'],
  });
  const takings: Taking<(typeof due)[number]>[] = [];
  for (const { scenario, plan, request } of looks) {
    const limit = plan.settings.sequential ? 1 : request.max;
    const rows = due.filter((row) => row.scenarioId === scenario.id).slice(0, limit);
    const giveUp = (row: (typeof due)[number]): Promise<readonly GiveUpNotice[]> =>
      giveUpIncomplete(writer, context, scenario, row);
    const sorted = await sortOut(context, rows, request, giveUp);
    const isMore = rows.length === request.max || rows.length > sorted.rows.length;
    takings.push({ ...sorted, scenario, request, isMore });
  }
  const own = { status: 'running', claimedBy: context.worker.name() } as const;
  // Its attempts are those of the backoff, which whoever settles it counts.
  const taken = await markTaken(takings, (id, { crashes, crashesAlone }) =>
    writer.updateAndRead('incompletes', { id, status: 'waiting' }, { ...own, crashes, crashesAlone }),
  );
  return toParts(takings, taken, (incomplete, scenario) => ({ kind: 'incomplete', incomplete, scenario }));
}

async function takeEvents(
  writer: HostWriter,
  context: HostContext,
  looks: readonly Look[],
  { retries, first }: { readonly retries: ReadonlyMap<number, Part>; readonly first: Queues },
): Promise<Map<number, Part>> {
  const wanting = looks.filter(({ scenario, plan, request, mayRun }) => {
    const isTimed = plan.settings.scheduling === 'timed';
    const isHeld = plan.settings.sequential && (retries.get(scenario.id)?.claims.length ?? 0) > 0;
    return scenario.hookId !== null && mayRun && !isHeld && isTimed === (request.isScheduled === true);
  });
  const parallel = await findParallel(writer, context, wanting);
  const takings: Taking<QueuedEvent>[] = [];
  for (const look of wanting) {
    const { scenario, plan, request } = look;
    const waiting = isSerial(plan) ? first : parallel;
    const rows = (waiting.get(scenario.hookId ?? 0) ?? []).slice(0, request.max);
    const ready = rows.filter((event) => isReady(context, look, event));
    const giveUp = (row: QueuedEvent): Promise<readonly GiveUpNotice[]> =>
      giveUpEvent(writer, context, scenario, row);
    const sorted = await sortOut(context, ready, request, giveUp);
    const isMore = isSerial(plan) ? ready.length > sorted.rows.length : rows.length === request.max;
    takings.push({ ...sorted, scenario, request, isMore });
  }
  const own = { status: 'running', claimedBy: context.worker.name() } as const;
  const taken = await markTaken(takings, (id, change) =>
    writer.updateAndRead('events', { id, status: 'pending' }, { ...own, ...change }),
  );
  return toParts(takings, taken, (event, scenario) => ({ kind: 'event', event, scenario }));
}

/** By hook that keeps no order: as many as are wanted of what may start. */
async function findParallel(
  writer: HostWriter,
  { clock }: HostContext,
  looks: readonly Look[],
): Promise<Queues> {
  const parallel = looks.filter(({ plan }) => !isSerial(plan));
  const values = parallel.map(({ scenario }) => scenario.hookId ?? 0);
  const limit = Math.max(0, ...parallel.map(({ request }) => request.max));
  const where = { status: 'pending', notBeforeMs: { atMost: clock.now(), orNull: true } } as const;
  return byHook(await writer.firstOf('events', { column: 'hookId', values, where, limit, columns: QUEUED }));
}

function byHook(events: readonly QueuedEvent[]): Queues {
  const queues = new Map<number, QueuedEvent[]>();
  for (const event of events) {
    const known = queues.get(event.hookId);
    if (known === undefined) queues.set(event.hookId, [event]);
    else known.push(event);
  }
  return queues;
}

function isReady({ clock }: HostContext, { scenario, plan }: Look, event: QueuedEvent): boolean {
  if (event.notBeforeMs === null) return true;
  const nowMs = clock.now();
  if (event.notBeforeMs > nowMs) return false;
  return nextStart(readState(scenario), plan.settings, { kind: 'rerun', nowMs }).kind === 'now';
}

/** Something that may have ended processes. */
interface Crashing extends Row {
  /** Of what may be taken for one scenario or another: the one it names. */
  readonly scenarioId?: number | null;
  readonly attempts: number;
  readonly crashes: number;
  readonly crashesAlone: number;
}

/** What of some rows may be taken. */
interface Sorted<R> {
  readonly rows: readonly R[];
  /** Whether something was left because it has to be alone. */
  readonly isSuspect: boolean;
  readonly notices: readonly GiveUpNotice[];
}

/** What is taken of a scenario. */
interface Taking<R> extends Sorted<R> {
  readonly scenario: ScenarioRow;
  readonly request: ClaimRequest;
  readonly isMore: boolean;
}

/**
 * What ends each process that works on it must not do so for ever, and what was only there when others did so must not
 * pay for it. So what was under way at several ends is tried alone, and only those ends count that it met alone.
 */
async function sortOut<R extends Crashing>(
  { limits }: HostContext,
  rows: readonly R[],
  { isAlone }: ClaimRequest,
  giveUp: (row: R) => Promise<readonly GiveUpNotice[]>,
): Promise<Sorted<R>> {
  const over = rows.filter((row) => row.crashesAlone >= limits.maxAttempts);
  const notices: GiveUpNotice[] = [];
  for (const row of over) notices.push(...(await giveUp(row)));
  const left = rows.filter((row) => !over.includes(row));
  const suspects = left.filter(({ crashes }) => crashes >= SUSPECT_AFTER);
  const others = left.filter((row) => !suspects.includes(row));
  if (isAlone) return { rows: [...suspects, ...others].slice(0, 1), isSuspect: suspects.length > 1, notices };
  return { rows: others, isSuspect: suspects.length > 0, notices };
}

/** How a row changes as it is taken. */
interface TakenChange extends Omit<Crashing, 'id'> {
  /** Given where the row names another one, or none. */
  readonly scenarioId?: number;
}

/** Marks rows as taken, those of equal counts in one statement, of however many scenarios. @returns by id, those that were */
async function markTaken<R extends Row>(
  takings: readonly Taking<Crashing>[],
  update: (ids: readonly number[], change: TakenChange) => Promise<readonly R[]>,
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
  for (const { change, ids } of groups.values()) {
    for (const row of await update(ids, change)) taken.set(row.id, row);
  }
  return taken;
}

/** By scenario, what was taken of it. Somebody may have discarded something meanwhile. */
function toParts<R extends Row>(
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

async function takeScheduled(
  writer: HostWriter,
  context: HostContext,
  { scenario, plan, request, mayRun }: Look,
): Promise<Part | undefined> {
  const { nextRunMs, claimedBy, hookId } = scenario;
  const isDue = nextRunMs !== null && nextRunMs <= context.clock.now();
  if (plan.settings.scheduling !== 'timed' || !mayRun || !isDue || claimedBy !== null) return undefined;
  // The events of a hook are counted one by one.
  const row: Crashing = hookId === null ? scenario : { ...scenario, crashesAlone: 0 };
  const sorted = await sortOut(context, [row], request, () => giveUpPoll(writer, context, scenario));
  const takings = [{ ...sorted, scenario, request, isMore: false }];
  const own = { claimedBy: context.worker.name() };
  const taken = await markTaken(takings, (id, change) =>
    writer.updateAndRead('scenarios', { id, claimedBy: null }, { ...own, ...change }),
  );
  const { isAlone } = request;
  const parts = toParts(takings, taken, () => ({
    kind: 'scheduled',
    scenario: { ...scenario, ...own },
    isAlone,
  }));
  return parts.get(scenario.id);
}
