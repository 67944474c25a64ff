import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { createBoundedCache } from '../../shared/bounded-cache.js';
import { createBatcher } from '../../shared/concurrency.js';
import { EngineError, StoreError } from '../../shared/errors/engine-error.js';
import { JsonText } from '../../shared/store/table.js';
import type { HostContext } from '../context.js';
import type { FlowRequest, PollProgress } from '../ports.js';
import type { Turn } from '../queue/host-queue.js';
import { isSameStored } from '../store/stored-value.js';
import type { EventRow, HostWriter, IncompleteRow } from '../store/tables.js';
import type { Claim, EventClaim, OpenTurn, ScheduledClaim } from './claim.js';
import { describeWork } from './describe-work.js';
import { Gate } from './gate.js';
import {
  defectReport,
  type EndedRun,
  isPassing,
  observeEnd,
  persist,
  runScenario,
  type Settled,
  type WantedRun,
} from './run-scenario.js';
import { addIncompletes, endedWell, isSuccess, type Settlement, settleAll } from './settle.js';
import { type QueuedEvent, type QueuedRetry, type Taken, type Taking, takeQueued, takeWork } from './take.js';

export interface WorkerOptions {
  /** Aborts running work when the host stops. */
  readonly signal: AbortSignal;
  /** Whether turns stop starting further events. */
  readonly isStopping: () => boolean;
  /** Called for each started event. */
  readonly onStarted: (event: Pick<EventRow, 'hookId'>) => void;
  /** Awaited before each transaction to collect a batch. Default: one iteration of the event loop. */
  readonly gather?: (() => Promise<void>) | undefined;
}

/** Maximum turns or settlements per transaction. */
const MAX_BATCH = 200;
/** Maximum bytes of payloads read together, which blocks the event loop. [choice] */
const MAX_READ_BYTES = 2 * 1024 * 1024;
/** How long an event with a waiting sender is reserved at a time. */
export const RESERVE_MS: number = 60_000;

/** Maximum rows per turn, and the time after which it starts no further one. [choice] */
const MAX_ROWS = 100;
const TURN_MS = 1000;
/** Time after which finished events of an ordered key are stored before the next one starts. [choice] */
const GROUP_MS = 25;
/** Number of keys whose rate is known. */
const MAX_SIZES = 10_000;

/** Names of started work in checkpoints. */
const POINT_NAMES = { event: 'event', incomplete: 'incomplete', scheduled: 'scenario' } as const;

type ClaimRun = Pick<WantedRun, 'signal' | 'onAnswer' | 'onProgress'>;

/** Processes turns of the queue: takes the due rows of a key, runs their flow and stores the results. */
export class Worker {
  readonly #context: HostContext;
  readonly #options: WorkerOptions;
  readonly #gate = new Gate();
  readonly #answering = new Set<Promise<void>>();
  /** Rows that a key recently finished in a turn, in `TURN_MS`. */
  readonly #sizes = createBoundedCache<number>(MAX_SIZES);
  readonly #take: (taking: Taking) => Promise<Taken>;
  readonly #settle: (settlement: Settlement) => Promise<Settled | undefined>;
  readonly #readEvent: (row: QueuedEvent) => Promise<EventRow | undefined>;
  readonly #readIncomplete: (row: QueuedRetry) => Promise<IncompleteRow | undefined>;

  constructor(context: HostContext, options: WorkerOptions) {
    this.#context = context;
    this.#options = options;
    const { signal, gather = setImmediate } = options;
    // An error of one item must not fail the others.
    const isOfOne = (error: unknown): boolean => !isPassing(error) && (!signal.aborted || isTakenOver(error));
    const batch = { maxItems: MAX_BATCH, isOfOne, gather };
    this.#take = createBatcher((takings: readonly Taking[]) => this.#takeAll(takings), batch);
    this.#settle = createBatcher((all: readonly Settlement[]) => this.#settleAll(all), batch);
    const { store } = context;
    const weight = { of: ({ bytes }: { readonly bytes: number }) => bytes, most: MAX_READ_BYTES };
    const reading = { maxItems: MAX_BATCH, weight };
    this.#readEvent = createBatcher(async (rows: readonly QueuedEvent[]) => {
      const id = rows.map((row) => row.id);
      const found = new Map((await store.find('events', { where: { id } })).map((row) => [row.id, row]));
      return rows.map((row) => found.get(row.id));
    }, reading);
    this.#readIncomplete = createBatcher(async (rows: readonly QueuedRetry[]) => {
      const id = rows.map((row) => row.id);
      const found = new Map((await store.find('incompletes', { where: { id } })).map((row) => [row.id, row]));
      return rows.map((row) => found.get(row.id));
    }, reading);
  }

  /** Works on one turn. The queue delivers it again if it is not ended. */
  async handle(turn: Turn): Promise<void> {
    const { signal } = this.#options;
    const place = new Place(this.#gate, await this.#gate.enter(false));
    try {
      let taken = await this.#take({ turn, isAlone: false, most: this.#sizeOf(turn) });
      if (taken.kind === 'alone') {
        await place.becomeAlone();
        taken = await this.#take({ turn, isAlone: true, most: 1 });
      }
      const both = turn.signal === undefined ? signal : AbortSignal.any([signal, turn.signal]);
      // Each run of the turn listens.
      setMaxListeners(0, both);
      await this.#work({ turn, open: 1 }, taken, place, both);
    } catch (error) {
      if (!signal.aborted && !isTakenOver(error)) throw error;
    } finally {
      place.leave();
    }
  }

  /** Runs an event already stored as running, whose sender waits for the response. */
  answer(claim: EventClaim, onAnswer: FlowRequest['onAnswer']): Promise<void> {
    const work = this.#answer(claim, onAnswer).finally(() => this.#answering.delete(work));
    this.#answering.add(work);
    return work;
  }

  /** Resolves after all runs of `answer` ended. */
  async settled(): Promise<void> {
    while (this.#answering.size > 0) await Promise.allSettled(this.#answering);
  }

  async #takeAll(takings: readonly Taking[]): Promise<readonly Taken[]> {
    const { signal } = this.#options;
    const all = await persist(this.#context, signal, async (writer) => {
      const taken = await takeWork(writer, this.#context, takings);
      this.#context.checkpoint('work: started');
      return taken;
    });
    for (const { notices } of all) for (const notice of notices) this.#context.observe(notice);
    return all.map(({ taken }) => taken);
  }

  async #settleAll(settlements: readonly Settlement[]): Promise<readonly (Settled | undefined)[]> {
    return persist(this.#context, this.#options.signal, async (writer) => {
      const settled = await settleAll(writer, this.#context, settlements);
      for (const kind of new Set(settlements.flatMap(({ claim }) => claim?.kind ?? []))) {
        this.#context.checkpoint(`${POINT_NAMES[kind]}: before the commit`);
      }
      return settled;
    });
  }

  async #work(open: OpenTurn, taken: Taken, place: Place, signal: AbortSignal): Promise<void> {
    if (taken.kind === 'run') {
      const claim = { scenario: taken.scenario, mark: open.turn.id, turn: open, isAlone: place.isAlone };
      return this.#runScheduled({ kind: 'scheduled', ...claim }, place, signal);
    }
    if (taken.kind !== 'rows') return void (await this.#settle({ turn: open }));
    open.open = taken.events.length + taken.retries.length;
    const claims = await this.#readClaims(taken, open);
    const { lane, key } = open.turn;
    const run =
      lane === 'ordered' ? this.#runInOrder(claims, signal) : this.#runTogether(claims, open, signal);
    this.#sizes.set(key, await run);
  }

  /** Number of rows to take for a key: twice as many as it finished in its last turn, at least one per slot. */
  #sizeOf({ key, slots }: Turn): number {
    return Math.max(slots, Math.min(MAX_ROWS, (this.#sizes.get(key) ?? 0) * 2));
  }

  async #readClaims(
    { scenario, events, retries }: Extract<Taken, { kind: 'rows' }>,
    turn: OpenTurn,
  ): Promise<readonly Claim[]> {
    const mark = turn.turn.id;
    return Promise.all([
      ...retries.map(async (row): Promise<Claim> => {
        const incomplete = (await this.#readIncomplete(row)) ?? { ...row, ...NO_RETRY, turn: mark };
        return { kind: 'incomplete', incomplete, scenario, turn, mark };
      }),
      ...events.map(async (row): Promise<Claim> => {
        const event = (await this.#readEvent(row)) ?? {
          ...row,
          ...NO_EVENT,
          scenarioId: scenario.id,
          turn: mark,
        };
        return { kind: 'event', event, scenario, turn, mark };
      }),
    ]);
  }

  /** Runs the flow and stores its results. Resolves after the commit. */
  async #runOne(claim: Claim, run: ClaimRun): Promise<void> {
    const done = await this.#runFlow(claim, run);
    await this.#store([done]);
  }

  /**
   * Runs a row per slot at the same time. After a result that may change the scenario, or at the end of the time, the
   * rows that have not started are left for the next turn.
   *
   * @returns the number of rows that ran in time
   */
  async #runTogether(claims: readonly Claim[], { turn }: OpenTurn, signal: AbortSignal): Promise<number> {
    const { clock } = this.#context;
    const startedAtMs = clock.now();
    const waiting = [...claims];
    let running = Math.min(turn.slots, claims.length);
    let count = 0;
    let isOpen = true;
    const runNext = async (claim: Claim): Promise<void> => {
      const done = await this.#runFlow(claim, { signal });
      const stored = this.#store([done]);
      const isInTime = clock.now() - startedAtMs < TURN_MS;
      if (isInTime) count++;
      isOpen &&= isInTime && endedWell(done.settlement) && !signal.aborted && !this.#options.isStopping();
      const next = isOpen ? waiting.shift() : undefined;
      // The next row does not wait for the commit, but another turn does: the scenario may have changed.
      await whenAllEnd([stored, next && runNext(next)]);
      if (next === undefined) turn.resize(--running);
    };
    turn.resize(running);
    await whenAllEnd(waiting.splice(0, running).map(runNext));
    await this.#store(waiting.map((claim): Done => ({ settlement: { claim, report: 'untouched' } })));
    return count;
  }

  /**
   * Runs events one after the other and stores their results in groups. A result that may change the scenario is
   * stored before the next event starts.
   *
   * @returns the number of events that ran
   */
  async #runInOrder(claims: readonly Claim[], signal: AbortSignal): Promise<number> {
    const { clock } = this.#context;
    const startedAtMs = clock.now();
    let groupAtMs = startedAtMs;
    let group: Done[] = [];
    let count = 0;
    for (const claim of claims) {
      const nowMs = clock.now();
      const isOver = nowMs - startedAtMs >= TURN_MS || signal.aborted || this.#options.isStopping();
      if (count > 0 && isOver) break;
      const done = await this.#runFlow(claim, { signal });
      count++;
      group.push(done);
      if (done.settlement.report === 'stopped' || !isSuccess(done.settlement)) break;
      if (clock.now() - groupAtMs < GROUP_MS || count === claims.length) continue;
      await this.#store(group);
      group = [];
      groupAtMs = clock.now();
    }
    const left = claims.slice(count).map((claim): Done => ({ settlement: { claim, report: 'untouched' } }));
    await this.#store([...group, ...left]);
    return count;
  }

  /** Runs a flow. Its results are not stored yet. */
  async #runFlow(claim: Claim, run: ClaimRun): Promise<Done> {
    const { checkpoint } = this.#context;
    const point = POINT_NAMES[claim.kind];
    checkpoint(`${point}: claimed`);
    if (claim.kind === 'event' && claim.turn !== undefined) this.#options.onStarted(claim.event);
    let work: ReturnType<typeof describeWork>;
    try {
      work = describeWork(this.#context, claim);
    } catch (error) {
      // A payload that cannot be read waits for a person and blocks nothing.
      return { settlement: { claim, report: defectReport(this.#context, error) } };
    }
    const ended = await runScenario(this.#context, { scenario: claim.scenario, ...run, ...work });
    const { report } = ended;
    if (report === undefined) {
      // An aborted run has no results. Another process may have taken over the row.
      return { settlement: { claim, report: 'stopped' }, ended };
    }
    checkpoint(`${point}: run`);
    return { settlement: { claim, report }, ended };
  }

  async #store(all: readonly Done[]): Promise<void> {
    const settled = await whenAllEnd(all.map(({ settlement }) => this.#settleOrDefect(settlement)));
    for (const [index, { settlement, ended }] of all.entries()) {
      if (ended === undefined) continue;
      if (ended.report !== undefined && settlement.claim !== undefined) {
        this.#context.checkpoint(`${POINT_NAMES[settlement.claim.kind]}: committed`);
      }
      observeEnd(this.#context, ended, settled[index]);
    }
  }

  async #settleOrDefect(settlement: Settlement): Promise<Settled | undefined> {
    try {
      return await this.#settle(settlement);
    } catch (error) {
      const { claim, report } = settlement;
      if (report === 'stopped' && !isTakenOver(error)) this.#context.onError(error);
      if (typeof report === 'string' && isTakenOver(error)) return undefined;
      if (this.#options.signal.aborted || isTakenOver(error) || claim === undefined) throw error;
      // Results that can never be stored would block the hook. Settle the work as a bug without them.
      return this.#settle({ claim, report: defectReport(this.#context, error) });
    }
  }

  /** Runs a scheduled scenario: a poll, or the waiting events of its webhook. */
  async #runScheduled(claim: ScheduledClaim, place: Place, signal: AbortSignal): Promise<void> {
    if (claim.scenario.hookId !== null) return this.#runQueued(claim, place, signal);
    const onProgress = (progress: PollProgress): Promise<void> =>
      persist(this.#context, signal, (writer) => saveProgress(writer, this.#context, claim, progress));
    await this.#runOne(claim, { signal, onProgress });
  }

  /** Runs a scheduled scenario on the waiting events of its webhook, in order. */
  async #runQueued(claim: ScheduledClaim, place: Place, signal: AbortSignal): Promise<void> {
    const { scenario, turn } = claim;
    const { limits, observe } = this.#context;
    let size = 1;
    for (let left = limits.maxEventsPerRun; left > 0 && !this.#options.isStopping() && !signal.aborted; ) {
      const most = place.isAlone ? 1 : Math.min(left, size);
      const taking = { turn: turn.turn, isAlone: place.isAlone, most };
      const { taken, notices } = await persist(this.#context, signal, (writer) =>
        takeQueued(writer, this.#context, scenario, taking),
      );
      for (const notice of notices) observe(notice);
      if (taken.kind === 'alone') await place.becomeAlone();
      else if (taken.kind !== 'rows') {
        if (notices.length === 0) break;
      } else {
        // The run itself stays open.
        turn.open = 1 + taken.events.length;
        const count = await this.#runInOrder(await this.#readClaims(taken, turn), signal);
        left -= count;
        size = Math.min(MAX_ROWS, count * 2);
      }
    }
    const isStopped = this.#options.signal.aborted;
    await this.#settle(isStopped ? { claim, report: 'stopped' } : { claim, report: undefined });
  }

  async #answer(claim: EventClaim, onAnswer: FlowRequest['onAnswer']): Promise<void> {
    const { clock, store, onError } = this.#context;
    const { signal } = this.#options;
    let isOver = false;
    let cancel: () => void = () => {};
    // Other processes take over the event only if this one ends.
    const reserve = (): void => {
      cancel = clock.after(RESERVE_MS / 2, () => {
        const mine = { id: claim.event.id, status: 'running', turn: claim.mark } as const;
        store
          .transaction(
            (writer) => writer.update('events', mine, { notBeforeMs: clock.now() + RESERVE_MS }),
            COMMITTED,
          )
          .catch(onError)
          .finally(() => isOver || reserve());
      });
    };
    reserve();
    try {
      await this.#runOne(claim, { signal, onAnswer });
    } catch (error) {
      if (!signal.aborted && !isTakenOver(error)) throw error;
    } finally {
      isOver = true;
      cancel();
    }
  }
}

const NO_PAYLOAD = new JsonText(() => {
  throw new StoreError('STORE_FAILED', 'The payload of the row is missing.');
});
/** Rest of a row whose payload row is missing. It becomes dead. */
const NO_EVENT = {
  status: 'running',
  bundles: NO_PAYLOAD,
  request: null,
  error: null,
  receivedAtMs: 0,
  finishedAtMs: null,
} as const;
const NO_RETRY = {
  status: 'running',
  execution: NO_PAYLOAD,
  error: null,
  createdAtMs: 0,
  finishedAtMs: null,
} as const;

/** A run whose results are to be stored. */
interface Done {
  readonly settlement: Settlement;
  /** Undefined if no run started. */
  readonly ended?: EndedRun;
}

/** The place of a turn at the gate. */
class Place {
  readonly #gate: Gate;
  #leave: () => void;
  isAlone = false;

  constructor(gate: Gate, leave: () => void) {
    this.#gate = gate;
    this.#leave = leave;
  }

  async becomeAlone(): Promise<void> {
    this.#leave();
    this.#leave = await this.#gate.enter(true);
    this.isAlone = true;
  }

  leave(): void {
    this.#leave();
  }
}

/** Waits until all promises are settled, so that no work outlives its turn. Rejects like the first one that does. */
async function whenAllEnd<T>(promises: readonly (T | Promise<T>)[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

const COMMITTED = { isolation: 'read-committed' } as const;

function isTakenOver(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'HOST_LEASE';
}

/** Stores progress, so that completed items are not repeated after a crash, and resets the crash count. */
async function saveProgress(
  writer: HostWriter,
  context: HostContext,
  { scenario, turn, isAlone }: ScheduledClaim,
  { triggerState, incompletes }: PollProgress,
): Promise<void> {
  const fresh = await writer.getLocked('scenarios', { id: scenario.id }, 'update');
  await context.queue.renew(writer, [turn.turn]);
  // An earlier attempt may have been committed although its response was lost.
  if (fresh === undefined || isSameStored(fresh.triggerState, triggerState)) return;
  const counts = { crashes: 1, crashesAlone: isAlone ? 1 : 0 };
  await writer.update('scenarios', { id: scenario.id }, { triggerState, ...counts });
  await addIncompletes(writer, context, scenario, incompletes);
  context.checkpoint('scenario: progress');
}
