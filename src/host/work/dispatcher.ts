import { readPlan } from '../store/scenario-plan.js';
import { type Claim, type ClaimRequest, isSerial } from './claim.js';
import type { HostContext } from './context.js';
import { createShares } from './shares.js';
import type { WorkLog } from './work-log.js';

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
export interface Dispatcher {
  readonly start: () => void;
  /** Says that scenarios may have work; without names, that any may. */
  readonly look: (scenarioIds?: readonly number[]) => void;
  /** Counts a run that was begun elsewhere. @returns what ends it */
  readonly begin: (scenarioId: number) => () => void;
  /** Starts nothing more, and waits for what is under way. */
  readonly stop: () => Promise<void>;
}

/** When a scenario that another process was just at is looked at again. */
const HELD_MS = 25;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { context, log, handle, findDue } = options;
  const { clock, onError } = context;
  const shares = createShares(context.limits, clock);
  /** Scenarios that may have work. */
  const ready = new Set<number>();
  /** The one whose next work has to be alone. */
  let suspect: number | undefined;
  let isOn = false;
  let isTaking = false;
  let isFinding = false;
  let findAgain = false;
  let cancelLook: () => void = () => {};
  const underWay = new Set<Promise<void>>();

  /** What to ask for next; it is taken from `ready`, and comes back if there is more. */
  function choose(): readonly ClaimRequest[] {
    if (suspect !== undefined) {
      if (shares.running() > 0) return [];
      const scenarioId = suspect;
      suspect = undefined;
      return [{ scenarioId, max: 1, isAlone: true }];
    }
    // Alone means alone until its end.
    if (shares.isAlone()) return [];
    const requests = shares.divide(ready).map(([scenarioId, max]) => ({ scenarioId, max, isAlone: false }));
    for (const { scenarioId } of requests) ready.delete(scenarioId);
    return requests;
  }

  async function take(): Promise<void> {
    if (isTaking || !isOn) return;
    isTaking = true;
    try {
      for (let requests = choose(); requests.length > 0 && isOn; requests = choose()) {
        await takeSome(requests);
      }
    } finally {
      isTaking = false;
    }
    // A run that takes long makes room for others, though it has not ended.
    const inMs = shares.nextChangeMs();
    if (ready.size > 0 && inMs !== undefined) lookIn(inMs);
  }

  async function takeSome(requests: readonly ClaimRequest[]): Promise<void> {
    try {
      const { claimed } = await log.write({ requests, signal: options.signal() });
      for (const { scenarioId, claims, rest } of claimed) {
        for (const claim of claims)
          run(
            claim,
            scenarioId,
            requests.some(({ isAlone }) => isAlone),
          );
        if (rest === 'more' || rest === 'held') ready.add(scenarioId);
        if (rest === 'suspect') suspect ??= scenarioId;
      }
      if (claimed.every(({ rest, claims }) => rest === 'held' && claims.length === 0))
        await clock.sleep(HELD_MS);
    } catch (error) {
      // What is due stays due: the next look finds it.
      if (!options.signal().aborted) onError(error);
      await clock.sleep(HELD_MS);
    }
  }

  function run(claim: Claim, scenarioId: number, isAlone: boolean): void {
    const end = shares.begin(scenarioId, isAlone);
    const onRan = (): void => {
      end();
      // One that keeps order has its next event free as soon as this one is settled, in the same transaction.
      if (claim.kind === 'event' && isSerial(readPlan(claim.scenario))) ready.add(scenarioId);
      void take();
    };
    const work = handle(claim, onRan)
      .catch(onError)
      .finally(() => {
        end();
        underWay.delete(work);
        if (claim.kind !== 'event') look([scenarioId]);
        else void take();
      });
    underWay.add(work);
  }

  function look(scenarioIds?: readonly number[]): void {
    if (!isOn) return;
    if (scenarioIds === undefined) return void find();
    for (const id of scenarioIds) ready.add(id);
    void take();
  }

  async function find(): Promise<void> {
    findAgain = isFinding;
    if (isFinding) return;
    isFinding = true;
    try {
      look(await findDue());
    } catch (error) {
      onError(error);
    }
    isFinding = false;
    if (findAgain) void find();
  }

  function lookIn(delayMs: number): void {
    cancelLook();
    cancelLook = clock.after(delayMs, () => void take());
  }

  return {
    look,
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
