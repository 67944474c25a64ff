import { nextStart } from '../../scenario/state/scenario-state.js';
import type { HostContext } from '../ports/context.js';
import { readState } from '../store/scenario-plan.js';
import type { HostWriter } from '../store/tables.js';
import { isSerial } from './claim.js';
import { byHook, QUEUED, type QueuedEvent, type Queues } from './find-busy.js';
import { type GiveUpNotice, giveUpEvent } from './give-up.js';
import { sortOut } from './isolate-suspects.js';
import { limitBytes } from './limit-bytes.js';
import { groupTaken, markTaken, type Part, type ScenarioLook, type Taking } from './mark-taken.js';

/** What the look at what waits has not read (`QUEUED`). */
const BROUGHT = ['bundles', 'request', 'error', 'receivedAtMs', 'finishedAtMs'] as const;

export interface TakeEventsOptions {
  readonly retries: ReadonlyMap<number, Part>;
  /** By hook that keeps order. */
  readonly first: Queues;
  /** Whether nothing else is asked in the transaction. */
  readonly isLast: boolean;
}

/** By scenario, the events that may start: of those that keep order the first alone. */
export async function takeEvents(
  writer: HostWriter,
  context: HostContext,
  looks: readonly ScenarioLook[],
  { retries, first, isLast }: TakeEventsOptions,
): Promise<Map<number, Part>> {
  const wanting = looks.filter(({ scenario, plan, request, mayRun }) => {
    const isTimed = plan.settings.scheduling === 'timed';
    const isHeld = plan.settings.sequential && (retries.get(scenario.id)?.claims.length ?? 0) > 0;
    return scenario.hookId !== null && mayRun && !isHeld && isTimed === (request.isScheduled === true);
  });
  const parallel = await findParallel(writer, context, wanting);
  const found: Taking<QueuedEvent>[] = [];
  for (const look of wanting) {
    const { scenario, plan, request } = look;
    const waiting = isSerial(plan) ? first : parallel;
    const rows = (waiting.get(scenario.hookId ?? 0) ?? []).slice(0, request.max);
    const ready = rows.filter((event) => isReady(context, look, event));
    const giveUp = (row: QueuedEvent): Promise<readonly GiveUpNotice[]> =>
      giveUpEvent(writer, context, scenario, row);
    const sorted = await sortOut(context, ready, request, giveUp);
    const isMore = isSerial(plan) ? ready.length > sorted.rows.length : rows.length === request.max;
    found.push({ ...sorted, scenario, request, isMore });
  }
  const takings = limitBytes(found);
  const own = { status: 'running', claimedBy: context.worker.name() } as const;
  const queued = new Map(takings.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const)));
  const taken = await markTaken(takings, async (id, change, isLastGroup) => {
    const options = { isLast: isLast && isLastGroup, columns: BROUGHT };
    const rows = await writer.updateAndRead(
      'events',
      { id, status: 'pending' },
      { ...own, ...change },
      options,
    );
    return rows.flatMap((row) => {
      const known = queued.get(row.id);
      return known === undefined ? [] : [{ ...known, ...own, ...change, ...row }];
    });
  });
  return groupTaken(takings, taken, (event, scenario) => ({ kind: 'event', event, scenario }));
}

/** By hook that keeps no order: as many as are wanted of what may start. */
async function findParallel(
  writer: HostWriter,
  { clock }: HostContext,
  looks: readonly ScenarioLook[],
): Promise<Queues> {
  const parallel = looks.filter(({ plan }) => !isSerial(plan));
  const values = parallel.map(({ scenario }) => scenario.hookId ?? 0);
  const limit = Math.max(0, ...parallel.map(({ request }) => request.max));
  const where = { status: 'pending', notBeforeMs: { atMost: clock.now(), orNull: true } } as const;
  return byHook(await writer.firstOf('events', { column: 'hookId', values, where, limit, columns: QUEUED }));
}

function isReady({ clock }: HostContext, { scenario, plan }: ScenarioLook, event: QueuedEvent): boolean {
  if (event.notBeforeMs === null) return true;
  const nowMs = clock.now();
  if (event.notBeforeMs > nowMs) return false;
  return nextStart(readState(scenario), plan.settings, { kind: 'rerun', nowMs }).kind === 'now';
}
