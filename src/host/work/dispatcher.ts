import { readPlan } from '../store/scenario-plan.js';
import { type Claim, type ClaimRequest, isSerial } from './claim.js';
import type { HostContext } from './context.js';
import { createShares, type Shares } from './shares.js';
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
  const due = createDueList(shares);
  let isOn = false;
  let isTaking = false;
  let cancelLook: () => void = () => {};
  const underWay = new Set<Promise<void>>();

  async function take(): Promise<void> {
    if (isTaking || !isOn) return;
    isTaking = true;
    try {
      for (let requests = due.choose(); requests.length > 0 && isOn; requests = due.choose()) {
        await takeSome(requests);
      }
    } finally {
      isTaking = false;
    }
    // A run that takes long makes room for others, though it has not ended.
    const inMs = shares.nextChangeMs();
    if (due.size() > 0 && inMs !== undefined) lookIn(inMs);
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
        const withRetries = requests.some((it) => it.scenarioId === scenarioId && it.withRetries);
        if (rest === 'more' || rest === 'held') due.add(scenarioId, withRetries);
        if (rest === 'suspect') due.suspect(scenarioId);
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
      if (claim.kind === 'event' && isSerial(readPlan(claim.scenario))) due.add(scenarioId, false);
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
    if (scenarioIds === undefined) return find();
    for (const id of scenarioIds) due.add(id, true);
    void take();
  }

  const find = oneAtATime(async () => {
    try {
      look(await findDue());
    } catch (error) {
      onError(error);
    }
  });

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

/** The scenarios that may have work, and what to ask of them next. */
interface DueList {
  /** Says that a scenario may have work, perhaps retries among it. */
  readonly add: (scenarioId: number, withRetries: boolean) => void;
  readonly size: () => number;
  /** The next work of this one has to be alone. */
  readonly suspect: (scenarioId: number) => void;
  /** Takes what to ask for next from the list; it comes back if there is more. */
  readonly choose: () => readonly ClaimRequest[];
}

function createDueList(shares: Shares): DueList {
  const ready = new Set<number>();
  const retrying = new Set<number>();
  let suspect: number | undefined;
  return {
    add: (scenarioId, withRetries) => {
      ready.add(scenarioId);
      if (withRetries) retrying.add(scenarioId);
    },
    size: () => ready.size,
    suspect: (scenarioId) => {
      suspect ??= scenarioId;
    },
    choose: () => {
      if (suspect !== undefined) {
        if (shares.running() > 0) return [];
        const scenarioId = suspect;
        suspect = undefined;
        return [{ scenarioId, max: 1, isAlone: true, withRetries: true }];
      }
      // Alone means alone until its end.
      if (shares.isAlone()) return [];
      const requests = shares.divide(ready).map(([scenarioId, max]) => {
        const withRetries = retrying.has(scenarioId);
        return { scenarioId, max, isAlone: false, withRetries };
      });
      for (const { scenarioId } of requests) {
        ready.delete(scenarioId);
        retrying.delete(scenarioId);
      }
      return requests;
    },
  };
}

/** Work that is asked for while it is done is done once more behind it, however often that was. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isUnderWay = false;
  let again = false;
  const run = async (): Promise<void> => {
    again = isUnderWay;
    if (isUnderWay) return;
    isUnderWay = true;
    await work();
    isUnderWay = false;
    if (again) void run();
  };
  return () => void run();
}
