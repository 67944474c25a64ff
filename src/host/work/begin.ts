import { nextStart, type StartDecision, type StartKind } from '../../scenario/scenario-state.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { HostContext } from '../context.js';
import type { ScenarioOff, WorkGivenUp } from '../observer.js';
import type { QueueDelivery } from '../queue/host-queue.js';
import { eventJob, keyOf, OPEN_INCOMPLETES, retryJob, runJob, scenarioIdOf } from '../queue/scenario-jobs.js';
import { readCallId } from '../store/kept-value.js';
import { findPlanError, readPlan, readState } from '../store/scenario-plan.js';
import type { CrashCounts, EventRow, HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';

/** A delivery, and whether it runs without other work in this process. */
export interface Beginning {
  readonly delivery: QueueDelivery;
  readonly isAlone: boolean;
}

/** Columns of an event or incomplete execution to read before its payload. */
type Queued<R> = Pick<R, Extract<keyof R, 'id' | 'bytes'>>;

/** Result of a delivery. */
export type Begun =
  | { readonly kind: 'event'; readonly row: Queued<EventRow>; readonly scenario: ScenarioRow }
  | { readonly kind: 'incomplete'; readonly row: Queued<IncompleteRow>; readonly scenario: ScenarioRow }
  | { readonly kind: 'scheduled'; readonly scenario: ScenarioRow }
  /** It may crash the process and starts once no other work runs. */
  | { readonly kind: 'alone' }
  /** No work is due. */
  | { readonly kind: 'nothing'; readonly notices: readonly GiveUpNotice[] };

const NOTHING: Begun = { kind: 'nothing', notices: [] };

/** Number of process ends after which work starts alone. */
const SUSPECT_AFTER = 3;
/** Interval of checks for a sequential scenario that waits for a person. */
const WAIT_MS = 5000;
/** Hold time of jobs of an inactive scenario. Activation releases them. */
const OFF_MS = 24 * 60 * 60 * 1000;

const EVENT_COLUMNS = [
  ...(['hookId', 'scenarioId', 'status', 'bytes', 'attempts'] as const),
  ...(['crashes', 'crashesAlone', 'notBeforeMs'] as const),
] as const;
const RETRY_COLUMNS = [
  ...(['scenarioId', 'status', 'bytes', 'attempts', 'crashes', 'crashesAlone', 'retryAtMs'] as const),
] as const;
type QueuedEvent = Pick<EventRow, 'id' | (typeof EVENT_COLUMNS)[number]>;
type QueuedRetry = Pick<IncompleteRow, 'id' | (typeof RETRY_COLUMNS)[number]>;

/** The rows of the deliveries. */
interface Rows {
  readonly scenarios: ReadonlyMap<number, ScenarioRow>;
  readonly events: ReadonlyMap<number, QueuedEvent>;
  readonly retries: ReadonlyMap<number, QueuedRetry>;
  /** First unfinished event per ordered hook. */
  readonly firstEvents: ReadonlyMap<number, QueuedEvent>;
  /** First due or running retry per sequential scenario. */
  readonly dueRetries: ReadonlyMap<number, QueuedRetry>;
  /** Unresolved incomplete executions per sequential scenario. */
  readonly unresolved: ReadonlyMap<number, number>;
}

/**
 * Decides what each delivery starts, marks it as running, and settles jobs that start nothing.  Invariants: the first
 * event of an ordered key starts, whichever job was delivered; a suspended scenario starts nothing; jobs are held for
 * the state of a scenario only while its row is locked, so that activation releases them.
 */
export async function beginWork(
  writer: HostWriter,
  context: HostContext,
  beginnings: readonly Beginning[],
): Promise<readonly Begun[]> {
  const rows = await readRows(writer, context, beginnings);
  const marks = createMarks(writer);
  const begun: Begun[] = [];
  for (const one of beginnings) begun.push(await begin(writer, context, one, rows, marks));
  await marks.write();
  return begun;
}

async function begin(
  writer: HostWriter,
  context: HostContext,
  beginning: Beginning,
  rows: Rows,
  marks: Marks,
): Promise<Begun> {
  const { queue, clock } = context;
  const { delivery } = beginning;
  const nowMs = clock.now();
  const scenario = rows.scenarios.get(scenarioIdOf(delivery.key));
  const complete = async (): Promise<Begun> => {
    await queue.complete(writer, [delivery]);
    return NOTHING;
  };
  const later = async (atMs: number): Promise<Begun> => {
    await queue.complete(writer, [delivery]);
    const { kind, rowId, key, isOrdered } = delivery;
    await queue.enqueue(writer, [{ kind, rowId, key, isOrdered, runAtMs: atMs }]);
    return NOTHING;
  };
  const event = delivery.kind === 'event' ? rows.events.get(delivery.rowId) : undefined;
  if (event !== undefined && event.hookId !== scenario?.hookId) {
    // The hook was assigned to another scenario.
    const [other] = await writer.find('scenarios', { where: { hookId: event.hookId } });
    await queue.complete(writer, [delivery]);
    const isTimed = other !== undefined && readPlan(other).settings.scheduling === 'timed';
    if (other !== undefined && !isTimed) await queue.enqueue(writer, [eventJob(other, event.id)]);
    return NOTHING;
  }
  if (scenario === undefined) return complete();
  const unreadable = findPlanError(scenario);
  if (unreadable !== undefined) {
    // Storing the scenario again releases the job.
    context.onError(unreadable);
    await queue.hold(writer, delivery, nowMs + OFF_MS);
    return NOTHING;
  }
  const { settings } = readPlan(scenario);
  const isTimed = settings.scheduling === 'timed';
  // The schedule of the scenario changed.
  if (delivery.kind === (isTimed ? 'event' : 'run')) return complete();
  const present = describeJob(scenario, delivery);
  if (present.isOrdered !== delivery.isOrdered) {
    await queue.complete(writer, [delivery]);
    await queue.enqueue(writer, [present]);
    return NOTHING;
  }
  const own = delivery.kind === 'retry' ? rows.retries.get(delivery.rowId) : undefined;
  if (delivery.kind === 'retry') {
    if (own === undefined) return complete();
    if (own.status === 'waiting' && (own.retryAtMs ?? 0) > nowMs) return later(own.retryAtMs ?? 0);
  }
  if (delivery.kind === 'run') {
    if (scenario.nextRunMs === null) return complete();
    if (scenario.nextRunMs > nowMs) return later(scenario.nextRunMs);
  }
  const unresolved = rows.unresolved.get(scenario.id) ?? 0;
  const may = (kind: StartKind, row = scenario): StartDecision =>
    nextStart(readState(row), settings, { kind, nowMs, unresolved });
  const retry = settings.sequential ? rows.dueRetries.get(scenario.id) : own;
  if (retry !== undefined) {
    const start = may('retry');
    if (start.kind !== 'now') return hold(writer, context, delivery, (row) => may('retry', row));
    return mark(context, beginning, retry, {
      begun: { kind: 'incomplete', row: retry, scenario },
      giveUp: () => giveUpIncomplete(writer, context, scenario, retry),
      complete: () => finishGivenUp(writer, context, delivery, retryJob(scenario, retry.id, null)),
      add: (counts) => marks.add('incompletes', retry.id, { ...counts, status: 'running' }),
    });
  }
  if (delivery.kind === 'run') {
    const start = may('run');
    if (start.kind !== 'now') return hold(writer, context, delivery, (row) => may('run', row));
    // Starts count per event, not per scenario with a hook.
    const counted = scenario.hookId === null ? scenario : { ...scenario, crashesAlone: 0 };
    return mark(context, beginning, counted, {
      begun: { kind: 'scheduled', scenario },
      giveUp: () => giveUpPoll(writer, context, scenario),
      complete: async () => void (await complete()),
      add: (counts) => marks.add('scenarios', scenario.id, { ...counts, attempts: scenario.attempts + 1 }),
    });
  }
  const first = delivery.isOrdered ? rows.firstEvents.get(scenario.hookId ?? 0) : event;
  if (first === undefined) return complete();
  if (first.notBeforeMs !== null && first.notBeforeMs > nowMs) {
    return hold(writer, context, delivery, () => readNotBefore(writer, first.id, nowMs));
  }
  const kind = first.notBeforeMs === null ? 'run' : 'rerun';
  if (may(kind).kind !== 'now') return hold(writer, context, delivery, (row) => may(kind, row));
  return mark(context, beginning, first, {
    begun: { kind: 'event', row: first, scenario },
    giveUp: () => giveUpEvent(writer, context, scenario, first),
    complete: () => finishGivenUp(writer, context, delivery, eventJob(scenario, first.id)),
    add: (counts) =>
      marks.add('events', first.id, {
        ...counts,
        status: 'running',
        scenarioId: scenario.id,
        attempts: first.attempts + 1,
      }),
  });
}

/** Result of starting the next event of a scheduled run. */
export type QueuedBegun =
  | { readonly kind: 'event'; readonly event: EventRow }
  | { readonly kind: 'alone' | 'nothing' }
  | { readonly kind: 'given-up'; readonly notices: readonly GiveUpNotice[] };

/** Starts the first event of the hook of a scheduled run. */
export async function beginQueuedEvent(
  writer: HostWriter,
  context: HostContext,
  { scenario, delivery, isAlone }: Beginning & { readonly scenario: ScenarioRow },
): Promise<QueuedBegun> {
  const { clock, limits, queue } = context;
  await queue.renew(writer, delivery);
  const fresh = await writer.get('scenarios', { id: scenario.id });
  if (fresh === undefined || fresh.hookId === null) return { kind: 'nothing' };
  const { settings } = readPlan(fresh);
  const nowMs = clock.now();
  const { hookId } = fresh;
  const where = { hookId, status: ['running', 'pending'] } as const;
  const [event] = await writer.find('events', { where, columns: EVENT_COLUMNS, limit: 1 });
  if (event === undefined || (event.notBeforeMs ?? 0) > nowMs) return { kind: 'nothing' };
  const open = { scenarioId: scenario.id, status: OPEN_INCOMPLETES };
  const unresolved = settings.sequential ? await writer.count('incompletes', open) : 0;
  const kind = event.notBeforeMs === null ? 'run' : 'rerun';
  if (nextStart(readState(fresh), settings, { kind, nowMs, unresolved }).kind !== 'now') {
    return { kind: 'nothing' };
  }
  if (event.crashesAlone >= limits.maxAttempts) {
    return { kind: 'given-up', notices: await giveUpEvent(writer, context, scenario, event) };
  }
  if (event.crashes >= SUSPECT_AFTER && !isAlone) return { kind: 'alone' };
  const [begun] = await writer.updateAndRead(
    'events',
    { id: event.id },
    {
      status: 'running',
      scenarioId: scenario.id,
      attempts: event.attempts + 1,
      crashes: event.crashes + 1,
      crashesAlone: event.crashesAlone + (isAlone ? 1 : 0),
    },
  );
  return begun === undefined ? { kind: 'nothing' } : { kind: 'event', event: begun };
}

/** The job as it would be added now. */
function describeJob(scenario: ScenarioRow, { kind, rowId }: QueueDelivery): ReturnType<typeof eventJob> {
  if (kind === 'event') return eventJob(scenario, rowId);
  return kind === 'retry' ? retryJob(scenario, rowId, null) : runJob(scenario, scenario.nextRunMs ?? 0);
}

/** Holds a job that its scenario may not start, according to the locked row of the scenario. */
async function hold(
  writer: HostWriter,
  { queue, clock }: HostContext,
  delivery: QueueDelivery,
  decide: (row: ScenarioRow) => StartDecision | Promise<StartDecision>,
): Promise<Begun> {
  const nowMs = clock.now();
  const id = scenarioIdOf(delivery.key);
  const row = await writer.getLocked('scenarios', { id }, 'update');
  const start = row === undefined ? undefined : await decide(row);
  // Another transaction changed the state. Deliver the job again.
  let untilMs = nowMs;
  if (start?.kind === 'at') untilMs = start.atMs;
  if (start?.kind === 'never') untilMs = nowMs + OFF_MS;
  if (start?.kind === 'wait') untilMs = Math.min(nowMs + WAIT_MS, await findNextRetry(writer, id, nowMs));
  await queue.hold(writer, delivery, untilMs);
  return NOTHING;
}

/** Activation may have moved the time forward. */
async function readNotBefore(writer: HostWriter, id: number, nowMs: number): Promise<StartDecision> {
  const [fresh] = await writer.find('events', { where: { id }, columns: ['notBeforeMs'] });
  const atMs = fresh?.notBeforeMs ?? nowMs;
  return atMs > nowMs ? { kind: 'at', atMs } : { kind: 'now' };
}

async function findNextRetry(writer: HostWriter, scenarioId: number, nowMs: number): Promise<number> {
  const where = { scenarioId, status: 'waiting', retryAtMs: { above: nowMs } } as const;
  const [next] = await writer.find('incompletes', {
    where,
    columns: ['retryAtMs'],
    sortBy: 'retryAtMs',
    limit: 1,
  });
  return next?.retryAtMs ?? Number.POSITIVE_INFINITY;
}

interface Marking {
  readonly begun: Begun;
  readonly giveUp: () => Promise<readonly GiveUpNotice[]>;
  readonly complete: () => Promise<void>;
  readonly add: (counts: CrashCounts) => void;
}

/**
 * Work that crashes every process must be given up, but work that only ran beside it must not. Work with several
 * process ends therefore starts alone, and only ends that happened alone count.
 */
async function mark(
  { limits }: HostContext,
  { isAlone }: Beginning,
  { crashes, crashesAlone }: CrashCounts,
  { begun, giveUp, complete, add }: Marking,
): Promise<Begun> {
  if (crashesAlone >= limits.maxAttempts) {
    const notices = await giveUp();
    await complete();
    return { kind: 'nothing', notices };
  }
  if (crashes >= SUSPECT_AFTER && !isAlone) return { kind: 'alone' };
  add({ crashes: crashes + 1, crashesAlone: crashesAlone + (isAlone ? 1 : 0) });
  return begun;
}

/** Removes the job of work that was given up. The delivered job may be another one that is still due. */
async function finishGivenUp(
  writer: HostWriter,
  { queue, clock }: HostContext,
  delivery: QueueDelivery,
  { kind, rowId, key, isOrdered }: ReturnType<typeof eventJob>,
): Promise<void> {
  if (kind === delivery.kind && rowId === delivery.rowId) return queue.complete(writer, [delivery]);
  await queue.complete(writer, [{ kind, rowId, key, isOrdered }]);
  await queue.hold(writer, delivery, clock.now());
}

async function readRows(
  writer: HostWriter,
  { clock }: HostContext,
  beginnings: readonly Beginning[],
): Promise<Rows> {
  const deliveries = beginnings.map(({ delivery }) => delivery);
  const scenarios = await writer.find('scenarios', {
    where: { id: [...new Set(deliveries.map(({ key }) => scenarioIdOf(key)))] },
  });
  const isOf = (one: QueueDelivery, id: number): boolean => one.key === keyOf(id);
  const serial = scenarios.filter(({ id }) => deliveries.some((one) => one.isOrdered && isOf(one, id)));
  const hookIds = serial.flatMap(({ hookId }) => (hookId === null ? [] : [hookId]));
  const sequential = serial.filter((row) => readPlan(row).settings.sequential).map(({ id }) => id);
  const eventIds = deliveries.filter(({ kind }) => kind === 'event').map(({ rowId }) => rowId);
  const retryIds = deliveries.filter(({ kind }) => kind === 'retry').map(({ rowId }) => rowId);
  const retrying = { status: ['waiting', 'running'] } as const;
  const open = { scenarioId: sequential, status: OPEN_INCOMPLETES };
  const [events, retries, firstEvents, dueRetries, unresolved] = await Promise.all([
    eventIds.length === 0
      ? []
      : writer.find('events', {
          where: { id: eventIds, status: ['pending', 'running'] },
          columns: EVENT_COLUMNS,
        }),
    retryIds.length === 0
      ? []
      : writer.find('incompletes', { where: { id: retryIds, ...retrying }, columns: RETRY_COLUMNS }),
    writer.firstOf('events', {
      column: 'hookId',
      values: hookIds,
      where: [{ status: 'running' }, { status: 'pending' }],
      columns: EVENT_COLUMNS,
    }),
    writer.firstOf('incompletes', {
      column: 'scenarioId',
      values: sequential,
      where: [{ status: 'running' }, { status: 'waiting', retryAtMs: { atMost: clock.now() } }],
      columns: RETRY_COLUMNS,
    }),
    sequential.length === 0 ? new Map<number, number>() : writer.countBy('incompletes', 'scenarioId', open),
  ]);
  return {
    scenarios: byId(scenarios),
    events: byId(events),
    retries: byId(retries),
    firstEvents: firstBy(firstEvents, ({ hookId }) => hookId),
    dueRetries: firstBy(dueRetries, ({ scenarioId }) => scenarioId),
    unresolved,
  };
}

function byId<R extends { readonly id: number }>(rows: readonly R[]): ReadonlyMap<number, R> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** The rows with the lowest ids per group. */
function firstBy<R extends { readonly id: number }>(
  rows: readonly R[],
  read: (row: R) => number,
): ReadonlyMap<number, R> {
  const inOrder = rows.toSorted((a, b) => b.id - a.id);
  return new Map(inOrder.map((row) => [read(row), row]));
}

type MarkedTable = 'events' | 'incompletes' | 'scenarios';

/** Updates of starting rows. Equal updates share a statement. */
interface Marks {
  readonly add: (table: MarkedTable, id: number, change: object) => void;
  readonly write: () => Promise<void>;
}

function createMarks(writer: HostWriter): Marks {
  const groups = new Map<
    string,
    { readonly table: MarkedTable; readonly change: object; readonly id: number[] }
  >();
  return {
    add: (table, id, change) => {
      const key = `${table} ${JSON.stringify(change)}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { table, change, id: [id] });
      else known.id.push(id);
    },
    write: async () => {
      await Promise.all(
        [...groups.values()].map(({ table, change, id }) => writer.update(table, { id }, change)),
      );
    },
  };
}

/** Notices of work that was given up, sent after the commit. */
export type GiveUpNotice = WorkGivenUp | ScenarioOff;

type Named = Pick<ScenarioRow, 'id' | 'name'>;

const NAME = 'ExecutionInterruptedError';

function explain({ limits }: Pick<HostContext, 'limits'>): PlainObject {
  const times = limits.maxAttempts;
  const message = `Processing started ${times} times without other running work, and every process ended before it.`;
  return { name: NAME, message };
}

/** Marks an event as dead. */
async function giveUpEvent(
  writer: HostWriter,
  context: HostContext,
  { name: scenario }: Named,
  { id, hookId, attempts }: Pick<EventRow, 'id' | 'hookId' | 'attempts'>,
): Promise<readonly GiveUpNotice[]> {
  const error = explain(context);
  const dead = { status: 'dead', finishedAtMs: context.clock.now(), error } as const;
  const [event] = await writer.updateAndRead('events', { id, status: ['pending', 'running'] }, dead);
  if (event === undefined) return [];
  const source = { kind: 'event', eventId: id, hookId, callId: readCallId(event) } as const;
  return [{ kind: 'given-up', scenario, source, attempts, error }];
}

/** Marks an incomplete execution as waiting for a person. */
async function giveUpIncomplete(
  writer: HostWriter,
  context: HostContext,
  { name: scenario }: Named,
  { id, attempts }: Pick<IncompleteRow, 'id' | 'attempts'>,
): Promise<readonly GiveUpNotice[]> {
  const error = explain(context);
  const change = { status: 'unresolved', retryAtMs: null, error } as const;
  if ((await writer.update('incompletes', { id, status: ['waiting', 'running'] }, change)) === 0) return [];
  return [{ kind: 'given-up', scenario, source: { kind: 'incomplete', incompleteId: id }, attempts, error }];
}

/** Deactivates the scenario of a poll. */
async function giveUpPoll(
  writer: HostWriter,
  context: HostContext,
  { id, name: scenario }: Named,
): Promise<readonly GiveUpNotice[]> {
  const error = explain(context);
  const state = { kind: 'inactive', errors: 0, reason: 'fatal-error', error: NAME } as const;
  const change = { state, nextRunMs: null, scheduledMs: null, lastError: error };
  await writer.update('scenarios', { id }, { ...change, crashes: 0, crashesAlone: 0 });
  return [{ kind: 'scenario-off', scenario, reason: 'fatal-error', error }];
}
