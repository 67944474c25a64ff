import { setImmediate } from 'node:timers/promises';
import { createBatcher } from '../../shared/concurrency.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { HostContext } from '../context.js';
import type { FlowOutcome, FlowRequest, PollProgress } from '../ports.js';
import type { QueueDelivery } from '../queue/host-queue.js';
import type { Claim, EventClaim, ScheduledClaim } from '../queue/scenario-jobs.js';
import { assertOpens, copyStored, fromStored, isSameStored } from '../store/kept-value.js';
import type { EventRow, HostWriter, IncompleteRow } from '../store/tables.js';
import { type Beginning, type Begun, beginQueuedEvent, beginWork } from './begin.js';
import {
  defectReport,
  isPassing,
  observeEnd,
  persist,
  runScenario,
  type Settled,
  type WantedRun,
} from './run-scenario.js';
import { addIncompletes, type Settlement, settleAll } from './settle.js';

/** Processes deliveries of the queue: starts the work, runs its flow and stores the results. */
export interface Worker {
  /** Handles one delivery. The queue delivers it again if it is not settled. */
  readonly handle: (delivery: QueueDelivery) => Promise<void>;
  /** Runs an event already stored as running, whose sender waits for the response. */
  readonly answer: (claim: EventClaim, onAnswer: FlowRequest['onAnswer']) => Promise<void>;
  /** Resolves after all runs of `answer` ended. */
  readonly settled: () => Promise<void>;
}

export interface WorkerOptions {
  /** Aborts running work when the host stops. */
  readonly signal: AbortSignal;
  /** Whether scheduled runs stop starting further events. */
  readonly isStopping: () => boolean;
  /** Called for each started event. */
  readonly onStarted: (event: Pick<EventRow, 'hookId'>) => void;
  /** Awaited before each transaction to collect a batch. Default: one iteration of the event loop. */
  readonly gather?: (() => Promise<void>) | undefined;
}

/** Maximum deliveries or settlements per transaction. */
const MAX_BATCH = 200;
/** Maximum bytes of payloads read together, which blocks the event loop. [choice] */
const MAX_READ_BYTES = 2 * 1024 * 1024;
/** How long the job of an event with a waiting sender is reserved at a time. */
export const RESERVE_MS: number = 60_000;

/** Names of started work in checkpoints. */
const POINT_NAMES = { event: 'event', incomplete: 'incomplete', scheduled: 'scenario' } as const;

export function createWorker(context: HostContext, options: WorkerOptions): Worker {
  const { store, clock, limits, checkpoint } = context;
  const { signal, isStopping, onStarted, gather = setImmediate } = options;
  const gate = createGate();
  const answering = new Set<Promise<void>>();
  // An error of one item must not fail the others.
  const isOfOne = (error: unknown): boolean => !isPassing(error) && !signal.aborted;
  const batch = { maxItems: MAX_BATCH, isOfOne, gather };

  const begin = createBatcher(async (beginnings: readonly Beginning[]) => {
    const begun = await persist(context, signal, async (writer) => {
      const all = await beginWork(writer, context, beginnings);
      checkpoint('work: begun');
      return all;
    });
    for (const one of begun) {
      if (one.kind === 'nothing') for (const notice of one.notices) context.observe(notice);
    }
    return begun;
  }, batch);

  const settle = createBatcher(
    (settlements: readonly Settlement[]) =>
      persist(context, signal, async (writer) => {
        const settled = await settleAll(writer, context, settlements);
        for (const kind of new Set(settlements.map(({ claim }) => claim.kind))) {
          checkpoint(`${POINT_NAMES[kind]}: before the commit`);
        }
        return settled;
      }),
    batch,
  );

  const weight = { of: ({ bytes }: { readonly bytes: number }) => bytes, most: MAX_READ_BYTES };
  const reading = { maxItems: MAX_BATCH, weight };
  const readEvent = createBatcher(async (rows: readonly Pick<EventRow, 'id' | 'bytes'>[]) => {
    const id = rows.map((row) => row.id);
    const found = new Map((await store.find('events', { where: { id } })).map((row) => [row.id, row]));
    return rows.map((row) => found.get(row.id));
  }, reading);
  const readIncomplete = createBatcher(async (rows: readonly Pick<IncompleteRow, 'id' | 'bytes'>[]) => {
    const id = rows.map((row) => row.id);
    const found = new Map((await store.find('incompletes', { where: { id } })).map((row) => [row.id, row]));
    return rows.map((row) => found.get(row.id));
  }, reading);

  async function toClaim(
    begun: Begun,
    delivery: QueueDelivery,
    isAlone: boolean,
  ): Promise<Claim | undefined> {
    switch (begun.kind) {
      case 'event': {
        const event = await readEvent(begun.row);
        return event && { kind: 'event', event, scenario: begun.scenario, delivery };
      }
      case 'incomplete': {
        const incomplete = await readIncomplete(begun.row);
        return incomplete && { kind: 'incomplete', incomplete, scenario: begun.scenario, delivery };
      }
      case 'scheduled':
        return { kind: 'scheduled', scenario: begun.scenario, delivery, isAlone };
      default:
        return undefined;
    }
  }

  async function handle(delivery: QueueDelivery): Promise<void> {
    let leave = await gate.enter(false);
    try {
      let isAlone = false;
      const becomeAlone = async (): Promise<void> => {
        leave();
        leave = await gate.enter(true);
        isAlone = true;
      };
      let begun = await begin({ delivery, isAlone });
      if (begun.kind === 'alone') {
        await becomeAlone();
        begun = await begin({ delivery, isAlone });
      }
      const claim = await toClaim(begun, delivery, isAlone);
      if (claim === undefined) return;
      if (claim.kind === 'event') onStarted(claim.event);
      const both = delivery.signal === undefined ? signal : AbortSignal.any([signal, delivery.signal]);
      if (claim.kind === 'scheduled') await runScheduled(claim, both, becomeAlone);
      else await runClaim(claim, { signal: both });
    } catch (error) {
      if (!signal.aborted && !isTakenOver(error)) throw error;
    } finally {
      leave();
    }
  }

  /** Runs the flow and stores its results. Resolves after the commit. */
  async function runClaim(claim: Claim, run: ClaimRun): Promise<void> {
    const point = POINT_NAMES[claim.kind];
    checkpoint(`${point}: claimed`);
    const { scenario } = claim;
    const work = await describeWork(context, claim).catch((error: unknown) => defectReport(context, error));
    if ('outcome' in work) {
      // The payload cannot be opened because a sealed value was changed. It waits for a person and blocks nothing.
      await settle({ claim, report: work });
      return;
    }
    const ended = await runScenario(context, { scenario, ...run, ...work });
    const { report } = ended;
    if (report === undefined) {
      // After the host stopped, nothing is retried.
      await store
        .transaction((writer) => settleAll(writer, context, [{ claim, report: 'stopped' }]), COMMITTED)
        .catch((error: unknown) => void (isTakenOver(error) || context.onError(error)));
      observeEnd(context, ended, undefined);
      return;
    }
    checkpoint(`${point}: run`);
    const settled = await settleRun(claim, report);
    checkpoint(`${point}: committed`);
    observeEnd(context, ended, settled);
  }

  async function settleRun(claim: Claim, report: FlowOutcome): Promise<Settled | undefined> {
    try {
      return await settle({ claim, report });
    } catch (error) {
      if (signal.aborted || isTakenOver(error)) throw error;
      // Results that can never be stored would block the hook. Settle the work as a bug without them.
      return settle({ claim, report: defectReport(context, error) });
    }
  }

  /** Runs a scheduled scenario: a poll, or the waiting events of its webhook. */
  async function runScheduled(
    claim: ScheduledClaim,
    both: AbortSignal,
    becomeAlone: () => Promise<void>,
  ): Promise<void> {
    if (claim.scenario.hookId !== null) return takeQueue(claim, both, becomeAlone);
    const onProgress = (progress: PollProgress): Promise<void> =>
      persist(context, both, (writer) => saveProgress(writer, context, claim, progress));
    await runClaim(claim, { signal: both, onProgress });
  }

  /** Runs a scheduled scenario on the waiting events of its webhook, one by one. */
  async function takeQueue(
    claim: ScheduledClaim,
    both: AbortSignal,
    becomeAlone: () => Promise<void>,
  ): Promise<void> {
    const { scenario, delivery } = claim;
    let { isAlone } = claim;
    for (let left = limits.maxEventsPerRun; left > 0 && !isStopping() && !both.aborted; ) {
      const begun = await persist(context, both, (writer) =>
        beginQueuedEvent(writer, context, { scenario, delivery, isAlone }),
      );
      if (begun.kind === 'given-up') for (const notice of begun.notices) context.observe(notice);
      if (begun.kind === 'alone') {
        await becomeAlone();
        isAlone = true;
      }
      if (begun.kind === 'nothing') break;
      if (begun.kind !== 'event') continue;
      left--;
      onStarted(begun.event);
      await runClaim({ kind: 'event', event: begun.event, scenario, delivery }, { signal: both });
    }
    if (!signal.aborted) await settle({ claim, report: undefined });
    else {
      await store.transaction(
        (writer) => settleAll(writer, context, [{ claim, report: 'stopped' }]),
        COMMITTED,
      );
    }
  }

  async function answer(claim: EventClaim, onAnswer: FlowRequest['onAnswer']): Promise<void> {
    let isOver = false;
    let cancel: () => void = () => {};
    // Other processes take over the job only if this one ends.
    const reserve = (): void => {
      cancel = clock.after(RESERVE_MS / 2, () => {
        const untilMs = clock.now() + RESERVE_MS;
        store
          .transaction((writer) => context.queue.hold(writer, claim.delivery, untilMs), COMMITTED)
          .catch(context.onError)
          .finally(() => isOver || reserve());
      });
    };
    reserve();
    try {
      await runClaim(claim, { signal, onAnswer });
    } catch (error) {
      if (!signal.aborted && !isTakenOver(error)) throw error;
    } finally {
      isOver = true;
      cancel();
    }
  }

  return {
    handle,
    answer: (claim, onAnswer) => {
      const work = answer(claim, onAnswer).finally(() => answering.delete(work));
      answering.add(work);
      return work;
    },
    settled: async () => {
      while (answering.size > 0) await Promise.allSettled(answering);
    },
  };
}

type ClaimRun = Pick<WantedRun, 'signal' | 'onAnswer' | 'onProgress'>;

const COMMITTED = { isolation: 'read-committed' } as const;

function isTakenOver(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'HOST_LEASE';
}

/** Stores progress, so that completed items are not repeated after a crash, and resets the crash count. */
async function saveProgress(
  writer: HostWriter,
  context: HostContext,
  { scenario, delivery, isAlone }: ScheduledClaim,
  { triggerState, incompletes }: PollProgress,
): Promise<void> {
  const fresh = await writer.getLocked('scenarios', { id: scenario.id }, 'update');
  await context.queue.renew(writer, delivery);
  // An earlier attempt may have been committed although its response was lost.
  if (fresh === undefined || isSameStored(fresh.triggerState, triggerState)) return;
  const counts = { crashes: 1, crashesAlone: isAlone ? 1 : 0 };
  await writer.update('scenarios', { id: scenario.id }, { triggerState, ...counts });
  await addIncompletes(writer, context, scenario, incompletes);
  context.checkpoint('scenario: progress');
}

async function describeWork(
  { clock }: HostContext,
  claim: Claim,
): Promise<Pick<WantedRun, 'source' | 'attempt' | 'dueAtMs'>> {
  switch (claim.kind) {
    case 'event': {
      const { event } = claim;
      assertOpens(event.bundles);
      const source = {
        kind: 'event',
        event,
        get bundles() {
          const bundles = fromStored(event.bundles);
          return Array.isArray(bundles) ? bundles : [];
        },
      } as const;
      return { source, attempt: event.attempts, dueAtMs: event.notBeforeMs ?? event.receivedAtMs };
    }
    case 'incomplete': {
      const { incomplete } = claim;
      assertOpens(incomplete.execution);
      const source = {
        kind: 'incomplete',
        incomplete,
        get execution() {
          return copyStored(incomplete.execution);
        },
      } as const;
      return {
        source,
        attempt: incomplete.attempts,
        dueAtMs: incomplete.retryAtMs ?? incomplete.createdAtMs,
      };
    }
    case 'scheduled': {
      const { crashes, nextRunMs } = claim.scenario;
      return { source: { kind: 'poll' }, attempt: crashes + 1, dueAtMs: nextRunMs ?? clock.now() };
    }
  }
}

/** Lets work run beside other work or alone. */
interface Gate {
  /** Resolves when the work may start, with an idempotent function that ends it. */
  readonly enter: (isAlone: boolean) => Promise<() => void>;
}

function createGate(): Gate {
  const waiting: { readonly isAlone: boolean; readonly begin: () => void }[] = [];
  let running = 0;
  let isHeldAlone = false;

  function next(): void {
    for (;;) {
      const [first] = waiting;
      if (first === undefined || isHeldAlone || (first.isAlone && running > 0)) return;
      waiting.shift();
      running++;
      isHeldAlone = first.isAlone;
      first.begin();
    }
  }

  return {
    enter: (isAlone) =>
      new Promise((resolve) => {
        const begin = (): void => {
          let isOver = false;
          resolve(() => {
            if (isOver) return;
            isOver = true;
            running--;
            if (isAlone) isHeldAlone = false;
            next();
          });
        };
        waiting.push({ isAlone, begin });
        next();
      }),
  };
}
