import { type Claim, type Claimed, type ClaimRequest, isSerial } from '../claim/claim.js';
import type { HostContext } from '../ports/context.js';
import { readPlan } from '../store/scenario-plan.js';
import { createShares } from './concurrency-shares.js';
import { createDueList } from './due-list.js';
import type { WorkLog, WorkSource } from './work-log.js';

/** Does what was taken, and says when its flow has run, before that is written down. It never rejects. */
export type WorkHandler = (claim: Claim, onRan: () => void) => Promise<void>;

export interface DispatcherOptions {
  readonly context: HostContext;
  readonly log: WorkLog;
  readonly handle: WorkHandler;
  /** Scenarios that have something due, whether they may start it or not. */
  readonly findDue: () => Promise<readonly number[]>;
  readonly signal: () => AbortSignal;
}

/** Has the work done that is due: takes some of each scenario in turn, as much at a time as the limits allow. */
export interface Dispatcher extends WorkSource {
  readonly start: () => void;
  /** Says that scenarios may have work; without names, that any may. */
  readonly look: (scenarioIds?: readonly number[]) => void;
  /** Counts a run that was begun elsewhere. @returns what ends it */
  readonly begin: (scenarioId: number) => () => void;
  /** Starts nothing more, and waits for what is under way. */
  readonly stop: () => Promise<void>;
}

/** How long a scenario is left alone that another process was just at. */
const HELD_MS = 5;
/** How long it is after a transaction that failed. */
const FAILED_MS = 25;

/**
 * What to take is chosen as a transaction of work begins, be it one that settles: so the end of one event and the
 * beginning of the next share it.
 *
 * A scenario that keeps order and has an event under way here is not looked at because something was added to it: the
 * transaction that settles the event takes the next. Every `pollMs` it is looked at all the same, so whatever became of
 * that run, its queue stands no longer than that.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { context, log, handle, findDue } = options;
  const { clock, onError } = context;
  const shares = createShares(context.limits, clock);
  const due = createDueList(shares, clock);
  /** Of scenarios that keep order and have an event under way here: the signal it runs by. */
  const inOrder = new Map<number, AbortSignal>();
  let isOn = false;
  let isWaiting = false;
  let cancelLook: () => void = () => {};
  const underWay = new Set<Promise<void>>();

  /** Asks for a transaction, which chooses what it takes. */
  function take(): void {
    if (!isOn || isWaiting || due.size() === 0) return;
    isWaiting = true;
    const signal = options.signal();
    const asked = log
      .write({ signal })
      // What is due stays due: the next look finds it.
      .catch((error: unknown) => void (signal.aborted || onError(error)))
      .then(() => {
        isWaiting = false;
        underWay.delete(asked);
      });
    underWay.add(asked);
  }

  function choose(): readonly ClaimRequest[] {
    isWaiting = false;
    const requests = isOn ? due.choose() : [];
    takeLater();
    return requests;
  }

  function give(requests: readonly ClaimRequest[], claimed: readonly Claimed[] | undefined): void {
    due.answer(requests);
    for (const [index, request] of requests.entries()) {
      const { scenarioId, isAlone, withRetries = false } = request;
      const { claims, rest } = claimed?.[index] ?? FAILED;
      for (const claim of claims) run(claim, isAlone);
      if (rest === 'more' || rest === 'held') due.add(scenarioId, withRetries);
      if (rest === 'held') due.leave(scenarioId, claimed === undefined ? FAILED_MS : HELD_MS);
      if (rest === 'busy') due.leaveLonger(scenarioId);
      if (rest === 'suspect') due.suspect(scenarioId);
    }
    takeLater();
    take();
  }

  /** Time may make room: a run that takes long leaves the quick ones, though it has not ended. */
  function takeLater(): void {
    cancelLook();
    const inMs = due.nextMs();
    if (isOn && inMs !== undefined) cancelLook = clock.after(inMs, take);
  }

  function run(claim: Claim, isAlone: boolean): void {
    const { id } = claim.scenario;
    const end = shares.begin(id, isAlone);
    const signal = options.signal();
    const keepsOrder = claim.kind === 'event' && isSerial(readPlan(claim.scenario));
    if (keepsOrder) inOrder.set(id, signal);
    let isOver = false;
    const onRan = (): void => {
      if (isOver) return;
      isOver = true;
      end();
      // Its next event is free as soon as this one is settled, in the same transaction.
      if (keepsOrder) due.next(id);
      if (inOrder.get(id) === signal) inOrder.delete(id);
      take();
    };
    const work = handle(claim, onRan)
      .catch(onError)
      .finally(() => {
        onRan();
        underWay.delete(work);
        if (claim.kind !== 'event') look([id]);
      });
    underWay.add(work);
  }

  function look(scenarioIds?: readonly number[]): void {
    if (!isOn) return;
    if (scenarioIds === undefined) return find();
    for (const id of scenarioIds) if (inOrder.get(id) !== options.signal()) due.add(id, true);
    take();
  }

  const find = oneAtATime(async () => {
    for (const id of await findDue()) due.add(id, true);
    take();
  }, onError);

  return {
    look,
    choose,
    give,
    begin: (scenarioId) => shares.begin(scenarioId, false),
    start: () => {
      isOn = true;
    },
    stop: async () => {
      isOn = false;
      cancelLook();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** What requests got of a transaction that failed. */
const FAILED: Pick<Claimed, 'claims' | 'rest'> = { claims: [], rest: 'held' };

/** Work that is asked for while it is done is done once more behind it, however often that was. */
function oneAtATime(work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let isUnderWay = false;
  let again = false;
  const run = async (): Promise<void> => {
    again = isUnderWay;
    if (isUnderWay) return;
    isUnderWay = true;
    await work().catch(onError);
    isUnderWay = false;
    if (again) void run();
  };
  return () => void run();
}
