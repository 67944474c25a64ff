import { nextStart, type StartDecision, type StartKind } from '../scenario/state/next-start.js';
import { assertNever } from '../util/assert-never.js';
import type { HostContext } from './work/context.js';
import { eventJob, type Job, keyOf } from './job.js';
import { planOf, stateOf } from './scenario-plan.js';
import type { EventRow, HostReader, HostWriter, ScenarioRow } from './store/tables.js';

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

/** What claims need beside the context. */
export interface ClaimContext extends HostContext {
  /** Events this process works on. One that stands in its name and is not among them was taken by a lost answer. */
  readonly inHand: ReadonlySet<number>;
}

/**
 * Takes, for each of the wanted, the next event that may be processed now; undefined where there is none. Where time
 * alone will change that, the job that comes back then is added in the same transaction.
 *
 * The caller has made sure that the work is still his (`assertOwn`), and that nobody else of this process claims.
 *
 * Invariants: a suspended scenario starts nothing: its state is read in the transaction that takes the event, whoever
 * sent the job, and whenever. While an event of a hook is being processed none behind it is taken by `hookId`.
 */
export async function claimAll(
  writer: HostWriter,
  context: ClaimContext,
  wanted: readonly Wanted[],
): Promise<readonly (Claim | undefined)[]> {
  const claims: (Claim | undefined)[] = wanted.map(() => undefined);
  const jobs = new Map<string, Job>();
  let open: readonly Entry[] = [...wanted.entries()];
  // Another round for those whose first event turned out to be dead.
  while (open.length > 0) {
    const round = await judgeAll(writer, context, open);
    const taken = await takeAll(writer, context, round.takes);
    for (const [index, claim] of round.resumed) claims[index] = claim;
    for (const [index, claim] of taken) claims[index] = claim;
    for (const job of round.jobs) jobs.set(keyOf(job), job);
    await bury(writer, context, round.burials);
    open = round.again;
  }
  await context.queue.add(writer, [...jobs.values()]);
  return claims;
}

type Entry = readonly [index: number, wanted: Wanted];

interface Round {
  readonly takes: readonly (readonly [number, Claim])[];
  readonly resumed: readonly (readonly [number, Claim])[];
  readonly burials: readonly EventRow[];
  readonly again: readonly Entry[];
  readonly jobs: readonly Job[];
}

async function judgeAll(
  writer: HostWriter,
  context: ClaimContext,
  entries: readonly Entry[],
): Promise<Round> {
  const candidates = await findCandidates(writer, context, entries);
  const scenarios = await scenariosOf(writer, candidates.values());
  const unresolved = await openIncompletesOf(writer, scenarios);
  const round = {
    takes: [] as [number, Claim][],
    resumed: [] as [number, Claim][],
    burials: [] as EventRow[],
    again: [] as Entry[],
    jobs: [] as Job[],
  };
  const seen = new Set<number>();
  for (const [index, wanted] of entries) {
    const event = candidates.get(index);
    const scenario = event?.scenarioId == null ? undefined : scenarios.get(event.scenarioId);
    if (event === undefined || scenario === undefined || seen.has(event.id)) continue;
    seen.add(event.id);
    const verdict = judge(context, { event, scenario, wanted, unresolved: unresolved.get(scenario.id) ?? 0 });
    switch (verdict.kind) {
      case 'take':
        round.takes.push([index, { event, scenario }]);
        break;
      case 'resume':
        round.resumed.push([index, { event, scenario }]);
        break;
      case 'bury':
        round.burials.push(event);
        round.again.push([index, wanted]);
        break;
      case 'later':
        round.jobs.push(eventJob(event, verdict.atMs));
        break;
      case 'leave':
        break;
      default:
        assertNever(verdict);
    }
  }
  return round;
}

/** The event each of the wanted is about: what is being processed for the hook, or the first that waits for it. */
async function findCandidates(
  reader: HostReader,
  context: ClaimContext,
  entries: readonly Entry[],
): Promise<ReadonlyMap<number, EventRow>> {
  const hookIds = entries.flatMap(([, wanted]) => ('hookId' in wanted ? [wanted.hookId] : []));
  const eventIds = entries.flatMap(([, wanted]) => ('eventId' in wanted ? [wanted.eventId] : []));
  const byHook = new Map<number, EventRow>();
  if (hookIds.length > 0) {
    for (const event of await reader.firstOf('events', 'hookId', hookIds, { status: 'pending' }))
      byHook.set(event.hookId, event);
    // Whatever is being processed comes before what waits. Of several one that somebody works on counts.
    const running = await reader.find('events', { where: { hookId: hookIds, status: 'running' } });
    const isOrphan = (event: EventRow): boolean => isOwnOrphan(event, context);
    for (const event of running) {
      const known = byHook.get(event.hookId);
      if (known?.status !== 'running' || isOrphan(known)) byHook.set(event.hookId, event);
    }
  }
  const byId = new Map<number, EventRow>();
  if (eventIds.length > 0)
    for (const event of await reader.find('events', { where: { id: eventIds } })) byId.set(event.id, event);
  const found = entries.map(([index, wanted]) => {
    const event = 'hookId' in wanted ? byHook.get(wanted.hookId) : byId.get(wanted.eventId);
    return [index, event] as const;
  });
  return new Map(found.flatMap(([index, event]) => (event === undefined ? [] : [[index, event]])));
}

/**
 * An event that was taken in the name of this process by a transaction whose answer was lost with the connection:
 * nobody works on it.
 */
function isOwnOrphan(event: EventRow, { worker, inHand }: ClaimContext): boolean {
  return event.status === 'running' && event.claimedBy === worker.name() && !inHand.has(event.id);
}

async function scenariosOf(
  reader: HostReader,
  events: Iterable<EventRow>,
): Promise<ReadonlyMap<number, ScenarioRow>> {
  const ids = [
    ...new Set([...events].flatMap(({ scenarioId }) => (scenarioId === null ? [] : [scenarioId]))),
  ];
  if (ids.length === 0) return new Map();
  return new Map((await reader.find('scenarios', { where: { id: ids } })).map((row) => [row.id, row]));
}

/** How many incomplete executions hold up each of the sequential scenarios. */
async function openIncompletesOf(
  reader: HostReader,
  scenarios: ReadonlyMap<number, ScenarioRow>,
): Promise<ReadonlyMap<number, number>> {
  const ids = [...scenarios.values()].filter((row) => planOf(row).settings.sequential).map((row) => row.id);
  if (ids.length === 0) return new Map();
  return reader.countBy('incompletes', 'scenarioId', { scenarioId: ids, status: OPEN_INCOMPLETES });
}

interface Candidate extends Claim {
  readonly wanted: Wanted;
  readonly unresolved: number;
}

type Verdict =
  | { readonly kind: 'take' | 'resume' | 'bury' | 'leave' }
  | { readonly kind: 'later'; readonly atMs: number };

function judge(context: ClaimContext, { event, scenario, wanted, unresolved }: Candidate): Verdict {
  const nowMs = context.clock.now();
  if (isOwnOrphan(event, context)) return { kind: 'resume' };
  // What somebody works on may come back if he does not live to its end.
  if (event.status === 'running') return { kind: 'later', atMs: nowMs + context.limits.leaseMs };
  if (event.status !== 'pending') return { kind: 'leave' };
  const { settings } = planOf(scenario);
  const isTimed = settings.scheduling === 'timed';
  if (isTimed !== ('hookId' in wanted && wanted.isTimed)) return { kind: 'leave' };
  if (event.notBeforeMs !== null && event.notBeforeMs > nowMs)
    return { kind: 'later', atMs: event.notBeforeMs };
  const kind = event.notBeforeMs === null ? 'run' : 'rerun';
  const decision = nextStart(stateOf(scenario), settings, { kind, nowMs, unresolved });
  switch (decision.kind) {
    case 'now':
      return { kind: event.attempts < context.limits.maxAttempts ? 'take' : 'bury' };
    case 'at':
      return { kind: 'later', atMs: decision.atMs };
    // Whoever turns the scenario on, or resolves what it waits for, adds the jobs of all that waits.
    case 'wait':
    case 'never':
      return { kind: 'leave' };
    default:
      return assertNever(decision);
  }
}

async function takeAll(
  writer: HostWriter,
  { worker }: HostContext,
  takes: readonly (readonly [number, Claim])[],
): Promise<readonly (readonly [number, Claim])[]> {
  const byAttempts = new Map<number, number[]>();
  for (const [, { event }] of takes)
    byAttempts.set(event.attempts, [...(byAttempts.get(event.attempts) ?? []), event.id]);
  const own = { status: 'running', claimedBy: worker.name() } as const;
  let count = 0;
  for (const [attempts, id] of byAttempts) {
    const change = { ...own, attempts: attempts + 1 };
    count += await writer.update('events', { id, status: 'pending' }, change);
  }
  const claimed = takes.map(([index, { event, scenario }]) => {
    const claim: Claim = { event: { ...event, ...own, attempts: event.attempts + 1 }, scenario };
    return [index, claim] as const;
  });
  if (count === takes.length) return claimed;
  // Somebody has discarded one meanwhile.
  const id = takes.map(([, { event }]) => event.id);
  const ours = new Set((await writer.find('events', { where: { id, ...own } })).map((row) => row.id));
  return claimed.filter(([, { event }]) => ours.has(event.id));
}

/** Events that end each process that works on them must not do so for ever. */
async function bury(
  writer: HostWriter,
  { clock, limits }: HostContext,
  events: readonly EventRow[],
): Promise<void> {
  if (events.length === 0) return;
  const message = `Processing began ${limits.maxAttempts} times, and no process lived to see its end.`;
  await writer.update(
    'events',
    { id: events.map((event) => event.id), status: 'pending' },
    { status: 'dead', finishedAtMs: clock.now(), error: { name: 'ExecutionInterruptedError', message } },
  );
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
  const start = { kind, nowMs: clock.now(), unresolved };
  const decision: StartDecision = nextStart(stateOf(scenario), settings, start);
  if (decision.kind === 'at') await queue.add(writer, [later(decision.atMs)]);
  // Whoever turns the scenario on, or resolves what it waits for, adds the jobs of all that waits.
  return decision.kind === 'now';
}
