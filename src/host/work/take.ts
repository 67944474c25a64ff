import { EngineError } from '../../shared/errors/engine-error.js';
import type { HostContext } from '../context.js';
import type { Turn } from '../queue/host-queue.js';
import { keyOf, scenarioIdOf } from '../queue/scenario-keys.js';
import { findPlanError } from '../store/scenario-plan.js';
import type { CrashCounts, EventRow, HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';
import { type DueWork, decideDue, readWaiting } from './due-work.js';
import { type GiveUpNotice, giveUpEvent, giveUpIncomplete, giveUpPoll, turnOff } from './give-up.js';

/** A turn that asks for work. */
export interface Taking {
  readonly turn: Turn;
  /** Whether it runs without other work in this process. */
  readonly isAlone: boolean;
  /** Maximum rows. */
  readonly most: number;
}

type RowColumn = 'bytes' | 'attempts' | 'crashes' | 'crashesAlone';

/** Columns of a row to read before its payload. */
export type QueuedEvent = Pick<EventRow, 'id' | RowColumn | 'hookId' | 'notBeforeMs'>;
export type QueuedRetry = Pick<IncompleteRow, 'id' | RowColumn | 'scenarioId' | 'retryAtMs'>;

const ROW_COLUMNS: readonly RowColumn[] = ['bytes', 'attempts', 'crashes', 'crashesAlone'];
const EVENT_COLUMNS: readonly Exclude<keyof QueuedEvent, 'id'>[] = [...ROW_COLUMNS, 'hookId', 'notBeforeMs'];
const RETRY_COLUMNS: readonly Exclude<keyof QueuedRetry, 'id'>[] = [
  ...ROW_COLUMNS,
  'scenarioId',
  'retryAtMs',
];

/** What a turn starts. */
export type Taken =
  /** Rows, marked as running. */
  | {
      readonly kind: 'rows';
      readonly scenario: ScenarioRow;
      readonly events: readonly QueuedEvent[];
      readonly retries: readonly QueuedRetry[];
    }
  | { readonly kind: 'run'; readonly scenario: ScenarioRow }
  /** The next work may crash the process and starts once no other work runs. */
  | { readonly kind: 'alone' }
  | { readonly kind: 'nothing' };

/** The result of a turn, and the notices to send after the commit. */
export interface TakenTurn {
  readonly taken: Taken;
  readonly notices: readonly GiveUpNotice[];
}

const NOTHING: Taken = { kind: 'nothing' };

/** Number of process ends after which work starts alone. */
const SUSPECT_AFTER = 3;
/** Maximum bytes of payloads per turn, which are read together. [choice] */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Takes the due rows of turns and marks them as running. Invariants: an ordered turn takes the first rows in order; a
 * suspended scenario starts nothing; `decideDue` names what a turn takes.
 */
export async function takeWork(
  writer: HostWriter,
  context: HostContext,
  takings: readonly Taking[],
): Promise<readonly TakenTurn[]> {
  const nowMs = context.clock.now();
  const turns = takings.map(({ turn }) => turn);
  // A suspended process may have lost an ordered turn to another one, which runs the first rows.
  await context.queue.renew(
    writer,
    turns.filter(({ lane }) => lane === 'ordered'),
  );
  await freeLost(writer, takings);
  const id = [...new Set(takings.map(({ turn }) => scenarioIdOf(turn.key)))];
  const scenarios = new Map((await writer.find('scenarios', { where: { id } })).map((row) => [row.id, row]));
  const waiting = await readWaiting(writer, [...scenarios.values()], nowMs);
  const marks = new Marks(writer);
  const taken: TakenTurn[] = [];
  const seen = new Set<string>();
  for (const taking of takings) {
    // Rows of an earlier turn of the key in this transaction are not locked against this one.
    if (seen.has(taking.turn.key)) await marks.write();
    seen.add(taking.turn.key);
    const scenario = scenarios.get(scenarioIdOf(taking.turn.key));
    const work = scenario && waiting.get(scenario.id);
    if (scenario === undefined || work === undefined) taken.push({ taken: NOTHING, notices: [] });
    else {
      const due = decideDue(scenario, work, nowMs);
      taken.push(await new Take(writer, context, scenario, { taking, marks, nowMs }).take(due));
    }
  }
  await wakeRest(writer, context, takings, taken);
  // After the wake-ups, whose locks settling turns hold while they wait for these rows.
  await marks.write();
  return taken;
}

/** Several turns of a key in the parallel lane share its rows. */
async function wakeRest(
  writer: HostWriter,
  { queue }: HostContext,
  takings: readonly Taking[],
  all: readonly TakenTurn[],
): Promise<void> {
  const keys = takings.flatMap(({ turn, most }, index) => {
    const taken = all[index]?.taken;
    if (turn.lane !== 'parallel' || taken?.kind !== 'rows') return [];
    return taken.events.length + taken.retries.length < most ? [] : [keyOf(taken.scenario)];
  });
  if (keys.length > 0) await queue.wake(writer, 'parallel', keys, { isFresh: false });
}

/** Takes that were tried before. An earlier try may have been committed although its response was lost. */
const tried = new WeakSet<Taking>();

/** Frees the rows that an earlier delivery, whose process ended, or an earlier try of a take left as running. */
async function freeLost(writer: HostWriter, takings: readonly Taking[]): Promise<void> {
  const repeated = takings.filter((taking) => taking.turn.isRepeat || tried.has(taking));
  for (const taking of takings) tried.add(taking);
  await Promise.all(repeated.map(({ turn }) => freeRows(writer, turn)));
}

/** Frees the rows of a job. */
async function freeRows(writer: HostWriter, { job, key }: Turn): Promise<void> {
  const scenarioId = scenarioIdOf(key);
  const isLost = (turn: string | null): boolean => turn?.startsWith(`${job}:`) === true;
  const running = { scenarioId, status: 'running' } as const;
  const events = await writer.find('events', { where: running, columns: ['turn'] });
  const id = events.filter(({ turn }) => isLost(turn)).map((row) => row.id);
  if (id.length > 0) {
    await writer.update('events', { id, status: 'running' }, { status: 'pending', turn: null });
  }
  const retries = await writer.find('incompletes', { where: running, columns: ['turn'] });
  const ids = retries.filter(({ turn }) => isLost(turn)).map((row) => row.id);
  if (ids.length > 0) {
    await writer.update('incompletes', { id: ids, status: 'running' }, { status: 'waiting', turn: null });
  }
}

interface TakeOptions {
  readonly taking: Taking;
  readonly marks: Marks;
  readonly nowMs: number;
}

/** The taking of one turn. */
class Take {
  readonly #writer: HostWriter;
  readonly #context: HostContext;
  readonly #scenario: ScenarioRow;
  readonly #options: TakeOptions;
  readonly #notices: GiveUpNotice[] = [];

  constructor(writer: HostWriter, context: HostContext, scenario: ScenarioRow, options: TakeOptions) {
    this.#writer = writer;
    this.#context = context;
    this.#scenario = scenario;
    this.#options = options;
  }

  async take(due: DueWork): Promise<TakenTurn> {
    const taken = await this.#takeDue(due);
    return { taken, notices: this.#notices };
  }

  async #takeDue({ ordered, parallel }: DueWork): Promise<Taken> {
    const { turn, most } = this.#options.taking;
    const isDue = turn.lane === 'ordered' ? ordered !== undefined : parallel.retries || parallel.events;
    if (!isDue) return NOTHING;
    const error = findPlanError(this.#scenario);
    if (error !== undefined) return this.#refuse(error);
    if (turn.lane === 'ordered') {
      if (ordered === 'run') return this.#takeRun();
      if (ordered === 'retry') return this.#mark([], await this.#findRetries(1, 'update'));
      return this.#takeOrdered(most);
    }
    const retries = parallel.retries ? await this.#findRetries(most, 'skip') : [];
    const rest = most - retries.length;
    const events = parallel.events && rest > 0 ? await this.#findEvents(rest, parallel.events) : [];
    return this.#mark(events, retries);
  }

  /** The first events of an ordered or scheduled scenario. */
  async takeOrdered(most: number): Promise<TakenTurn> {
    return { taken: await this.#takeOrdered(most), notices: this.#notices };
  }

  async #takeOrdered(most: number): Promise<Taken> {
    const events = await this.#writer.findLocked(
      'events',
      { where: this.#pending(), columns: EVENT_COLUMNS, limit: most },
      // Waits for a row that a person discards, because the next one must not overtake it.
      'update',
    );
    const firstLater = events.findIndex(({ notBeforeMs }) => (notBeforeMs ?? 0) > this.#options.nowMs);
    const due = firstLater < 0 ? events : events.slice(0, firstLater);
    // An event that failed before gets a turn of its own: it may start later than a fresh one.
    const [first] = due;
    const isRerun = first !== undefined && first.notBeforeMs !== null;
    return this.#mark(isRerun ? [first] : upTo(due, ({ notBeforeMs }) => notBeforeMs !== null), []);
  }

  #findEvents(most: number, which: 'all' | 'fresh'): Promise<readonly QueuedEvent[]> {
    const notBeforeMs = which === 'fresh' ? null : { notAbove: this.#options.nowMs };
    const where = { ...this.#pending(), notBeforeMs };
    return this.#writer.findLocked('events', { where, columns: EVENT_COLUMNS, limit: most }, 'skip');
  }

  #pending(): { readonly hookId: number; readonly status: 'pending' } {
    return { hookId: this.#scenario.hookId ?? 0, status: 'pending' };
  }

  #findRetries(most: number, lock: 'update' | 'skip'): Promise<readonly QueuedRetry[]> {
    const retryAtMs = { atMost: this.#options.nowMs };
    const where = { scenarioId: this.#scenario.id, status: 'waiting', retryAtMs } as const;
    return this.#writer.findLocked('incompletes', { where, columns: RETRY_COLUMNS, limit: most }, lock);
  }

  /**
   * Marks rows as running. Work that crashes every process is given up, but work that only ran beside it is not: work
   * with several process ends starts alone, and only ends that happened alone count.
   */
  async #mark(events: readonly QueuedEvent[], retries: readonly QueuedRetry[]): Promise<Taken> {
    const { taking, marks } = this.#options;
    const rows: Row[] = [
      ...retries.map((row) => ({ kind: 'retry', row }) as const),
      ...events.map((row) => ({ kind: 'event', row }) as const),
    ];
    const left: Row[] = [];
    for (const one of rows) if (!(await this.#giveUpIfHopeless(one))) left.push(one);
    const chosen = chooseRows(left, taking);
    if (chosen.length === 0) return left.length > 0 ? { kind: 'alone' } : NOTHING;
    for (const one of chosen) marks.add(one, this.#scenario, taking);
    return {
      kind: 'rows',
      scenario: this.#scenario,
      events: chosen.flatMap((one) => (one.kind === 'event' ? [one.row] : [])),
      retries: chosen.flatMap((one) => (one.kind === 'retry' ? [one.row] : [])),
    };
  }

  async #giveUpIfHopeless(one: Row): Promise<boolean> {
    if (one.row.crashesAlone < this.#context.limits.maxAttempts) return false;
    const notice =
      one.kind === 'event'
        ? giveUpEvent(this.#writer, this.#context, this.#scenario, one.row)
        : giveUpIncomplete(this.#writer, this.#context, this.#scenario, one.row);
    this.#notices.push(await notice);
    return true;
  }

  async #takeRun(): Promise<Taken> {
    const { taking, marks } = this.#options;
    const scenario = this.#scenario;
    // Starts count per event, not per scenario with a hook.
    const counts = scenario.hookId === null ? scenario : { ...scenario, crashesAlone: 0 };
    if (counts.crashesAlone >= this.#context.limits.maxAttempts) {
      this.#notices.push(await giveUpPoll(this.#writer, this.#context, scenario));
      return NOTHING;
    }
    if (isSuspect(counts) && !taking.isAlone) return { kind: 'alone' };
    marks.addRun(scenario, counts, taking);
    return { kind: 'run', scenario };
  }

  async #refuse(error: unknown): Promise<Taken> {
    this.#context.onError(error);
    const known = error instanceof EngineError ? error.toJSON() : { message: String(error) };
    this.#notices.push(await turnOff(this.#writer, this.#scenario, known));
    return NOTHING;
  }
}

/** Starts the next events of a scheduled run. */
export async function takeQueued(
  writer: HostWriter,
  context: HostContext,
  scenario: ScenarioRow,
  taking: Taking,
): Promise<TakenTurn> {
  await context.queue.renew(writer, [taking.turn]);
  await freeLost(writer, [taking]);
  const nowMs = context.clock.now();
  const [fresh] = await writer.find('scenarios', { where: { id: scenario.id } });
  if (fresh === undefined || fresh.hookId === null) return { taken: NOTHING, notices: [] };
  // As an ordered scenario without a schedule, whose events are due.
  const instant = { ...fresh, isTimed: false, lane: 'ordered' } as const;
  const work = (await readWaiting(writer, [instant], nowMs)).get(fresh.id);
  if (work === undefined || decideDue(instant, work, nowMs).ordered !== 'events') {
    return { taken: NOTHING, notices: [] };
  }
  const marks = new Marks(writer);
  const taken = await new Take(writer, context, fresh, { taking, marks, nowMs }).takeOrdered(taking.most);
  await marks.write();
  return taken;
}

type Row =
  | { readonly kind: 'event'; readonly row: QueuedEvent }
  | { readonly kind: 'retry'; readonly row: QueuedRetry };

function isSuspect({ crashes }: CrashCounts): boolean {
  return crashes >= SUSPECT_AFTER;
}

/**
 * Chooses the rows to start together. A row with too many crashes runs alone. Other rows start together, up to
 * `MAX_BYTES`; in an ordered scenario, up to the first row that has to run alone.
 */
function chooseRows(rows: readonly Row[], { turn, isAlone }: Taking): readonly Row[] {
  if (isAlone) return rows.slice(0, 1);
  const harmless =
    turn.lane === 'ordered'
      ? upTo(rows, ({ row }) => isSuspect(row))
      : rows.filter(({ row }) => !isSuspect(row));
  let bytes = 0;
  return upTo(harmless, ({ row }, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > MAX_BYTES;
  });
}

/** Returns the items before the first one for which `isEnd` is true. */
function upTo<T>(items: readonly T[], isEnd: (item: T, index: number) => boolean): readonly T[] {
  const end = items.findIndex(isEnd);
  return end < 0 ? items : items.slice(0, end);
}

type MarkedTable = 'events' | 'incompletes' | 'scenarios';

/** Updates of starting rows. Equal updates share a statement. */
class Marks {
  readonly #writer: HostWriter;
  readonly #groups = new Map<
    string,
    { readonly table: MarkedTable; readonly change: object; readonly id: number[] }
  >();

  constructor(writer: HostWriter) {
    this.#writer = writer;
  }

  add({ kind, row }: Row, scenario: ScenarioRow, { turn, isAlone }: Taking): void {
    const mark = { status: 'running', turn: turn.id, ...countStart(row, isAlone) } as const;
    if (kind === 'retry') return this.#add('incompletes', row.id, mark);
    this.#add('events', row.id, { ...mark, scenarioId: scenario.id, attempts: row.attempts + 1 });
  }

  addRun({ id, attempts }: ScenarioRow, counts: CrashCounts, { isAlone }: Taking): void {
    this.#add('scenarios', id, { ...countStart(counts, isAlone), attempts: attempts + 1 });
  }

  async write(): Promise<void> {
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    await Promise.all(groups.map(({ table, change, id }) => this.#writer.update(table, { id }, change)));
  }

  #add(table: MarkedTable, id: number, change: object): void {
    const key = `${table} ${JSON.stringify(change)}`;
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, { table, change, id: [id] });
    else known.id.push(id);
  }
}

function countStart({ crashes, crashesAlone }: CrashCounts, isAlone: boolean): CrashCounts {
  return { crashes: crashes + 1, crashesAlone: crashesAlone + (isAlone ? 1 : 0) };
}
