import { nextStart, type StartKind } from '../scenario/next-start.js';
import { assertNever } from '../util/assert-never.js';
import type { HostContext } from './context.js';
import { eventJob, type Job } from './job.js';
import { planOf, stateOf } from './scenario-plan.js';
import type { EventRow, HostWriter, ScenarioRow } from './tables.js';

/** An event this process has to itself. */
export interface Claim {
  readonly event: EventRow;
  readonly scenario: ScenarioRow;
}

/**
 * Which event: the first that waits for a hook, or one by its id. Those of a timed scenario are taken by its own runs
 * alone (`isTimed`).
 */
export type Wanted = { readonly hookId: number; readonly isTimed: boolean } | { readonly eventId: number };

/** States in which an incomplete execution keeps a sequential scenario from going on. */
export const OPEN_INCOMPLETES = ['waiting', 'running', 'unresolved'] as const;

/**
 * Takes the next event that may be processed now. Where there is none, and time alone will change that, the job that
 * comes back then is added in the same transaction.
 *
 * The caller has made sure that the work is still his (`assertOwn`).
 *
 * Invariant: a suspended scenario starts nothing. Its state is read in the transaction that takes the event, whoever
 * sent the job, and whenever.
 */
export async function claimNext(
  writer: HostWriter,
  context: HostContext,
  wanted: Wanted,
): Promise<Claim | undefined> {
  for (;;) {
    const event = await findEvent(writer, wanted);
    if (event === undefined || event.scenarioId === null) return undefined;
    if (event.status !== 'pending') {
      await lookAgainLater(writer, context, event);
      return undefined;
    }
    const scenario = await writer.get('scenarios', { id: event.scenarioId });
    if (scenario === undefined) return undefined;
    const isTimed = planOf(scenario).settings.scheduling === 'timed';
    if (isTimed !== ('hookId' in wanted && wanted.isTimed)) return undefined;
    const later = (runAtMs: number): Job => eventJob(event, runAtMs);
    if (event.notBeforeMs !== null && event.notBeforeMs > context.clock.now()) {
      await context.queue.add(writer, [later(event.notBeforeMs)]);
      return undefined;
    }
    const kind = event.notBeforeMs === null ? 'run' : 'rerun';
    if (!(await mayStart(writer, context, { scenario, kind, later }))) return undefined;
    if (event.attempts < context.limits.maxAttempts) return take(writer, context, { event, scenario });
    await bury(writer, context, event);
  }
}

function findEvent(writer: HostWriter, wanted: Wanted): Promise<EventRow | undefined> {
  if ('hookId' in wanted) return writer.get('events', { hookId: wanted.hookId, status: 'pending' });
  return writer.get('events', { id: wanted.eventId });
}

/** One that somebody works on may come back if he does not live to its end. */
async function lookAgainLater(writer: HostWriter, context: HostContext, event: EventRow): Promise<void> {
  if (event.status !== 'running') return;
  await context.queue.add(writer, [eventJob(event, context.clock.now() + context.limits.leaseMs)]);
}

export interface WantedStart {
  readonly scenario: ScenarioRow;
  readonly kind: StartKind;
  /** The job that comes back once the scenario may go on. */
  readonly later: (runAtMs: number) => Job;
}

/** Whether a scenario may start something at this moment. If it is suspended, a job comes back at the end of that. */
export async function mayStart(
  writer: HostWriter,
  { clock, queue }: HostContext,
  { scenario, kind, later }: WantedStart,
): Promise<boolean> {
  const { settings } = planOf(scenario);
  const open = { scenarioId: scenario.id, status: OPEN_INCOMPLETES };
  const unresolved = settings.sequential ? await writer.count('incompletes', open) : 0;
  const decision = nextStart(stateOf(scenario), settings, { kind, nowMs: clock.now(), unresolved });
  switch (decision.kind) {
    case 'now':
      return true;
    case 'at':
      await queue.add(writer, [later(decision.atMs)]);
      return false;
    // Whoever turns the scenario on, or resolves what it waits for, adds the jobs of all that waits.
    case 'wait':
    case 'never':
      return false;
    default:
      return assertNever(decision);
  }
}

async function take(writer: HostWriter, context: HostContext, claim: Claim): Promise<Claim | undefined> {
  const { event, scenario } = claim;
  const change = {
    status: 'running',
    claimedBy: context.worker.name(),
    attempts: event.attempts + 1,
  } as const;
  const taken = await writer.update('events', { id: event.id, status: 'pending' }, change);
  return taken === 1 ? { event: { ...event, ...change }, scenario } : undefined;
}

/** An event that ends each process that works on it must not do so for ever. */
async function bury(writer: HostWriter, { clock }: HostContext, event: EventRow): Promise<void> {
  const message = `Processing began ${event.attempts} times, and no process lived to see its end.`;
  await writer.update(
    'events',
    { id: event.id, status: 'pending' },
    { status: 'dead', finishedAtMs: clock.now(), error: { name: 'ExecutionInterruptedError', message } },
  );
}
