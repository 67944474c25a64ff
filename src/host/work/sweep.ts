import type { HostContext } from '../context.js';
import { wakeAll } from '../queue/scenario-keys.js';
import { readState } from '../store/scenario-plan.js';
import { findDue, START_COLUMNS, type Startable } from './due-work.js';

/** Interval of sweeps without known due times. [choice] */
const EVERY_MS = 5000;
/** Scenarios per statement. */
const STEP = 200;
const COMMITTED = { isolation: 'read-committed' } as const;

type SweepContext = Omit<HostContext, 'dueAt'>;

/**
 * Wakes keys whose work became due: retries, schedules, ends of suspensions. Also the safety net: it wakes the keys of
 * all stored work that may start, and frees the rows of turns that no longer exist.
 */
export class Sweep {
  readonly #context: SweepContext;
  #isOn = false;
  #timer: { readonly atMs: number; readonly cancel: () => void } | undefined;
  #running: Promise<void> | undefined;
  /** Whether a sweep was requested during another one. */
  #isRequested = false;
  #isFirst = true;

  constructor(context: SweepContext) {
    this.#context = context;
  }

  /** Resolves after the first sweep, even if the store failed: the next one follows. */
  async start(): Promise<void> {
    this.#isOn = true;
    await this.run();
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#running;
  }

  /** Sweeps at a time at the latest. */
  at(atMs: number): void {
    if (!this.#isOn || (this.#timer !== undefined && this.#timer.atMs <= atMs)) return;
    this.#timer?.cancel();
    const { clock } = this.#context;
    const delayMs = Math.min(Math.max(0, atMs - clock.now()), EVERY_MS);
    const cancel = clock.after(delayMs, () => {
      this.#timer = undefined;
      void this.run();
    });
    this.#timer = { atMs, cancel };
  }

  /** Sweeps now. Never rejects. */
  async run(): Promise<void> {
    this.#isRequested = true;
    this.#running ??= this.#runRequested().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #runRequested(): Promise<void> {
    const { clock, onError } = this.#context;
    while (this.#isRequested) {
      this.#isRequested = false;
      let nextMs = clock.now() + EVERY_MS;
      try {
        await this.#freeLost();
        nextMs = Math.min(nextMs, await this.#wakeDue());
        this.#isFirst = false;
      } catch (error) {
        onError(error);
      }
      this.at(nextMs);
    }
  }

  /** @returns the next time at which work becomes due */
  async #wakeDue(): Promise<number> {
    const { store, queue, clock } = this.#context;
    const nowMs = clock.now();
    const scenarios = await store.find('scenarios', { columns: START_COLUMNS });
    for (let start = 0; start < scenarios.length; start += STEP) {
      const due = await findDue(store, scenarios.slice(start, start + STEP), nowMs);
      if (due.length > 0) await store.transaction((writer) => wakeAll(writer, queue, due, false), COMMITTED);
    }
    const retries = { status: 'waiting', retryAtMs: { above: nowMs } } as const;
    const [next] = await store.find('incompletes', {
      where: retries,
      columns: ['retryAtMs'],
      sortBy: 'retryAtMs',
      limit: 1,
    });
    return Math.min(
      next?.retryAtMs ?? Number.POSITIVE_INFINITY,
      ...scenarios.flatMap((one) => listTimes(one)).filter((ms) => ms > nowMs),
    );
  }

  /** Rows of a turn that no longer exists wait again. */
  async #freeLost(): Promise<void> {
    const { store, queue, clock } = this.#context;
    const running = { status: 'running' } as const;
    const marks = new Set([
      ...(await store.countBy('events', 'turn', running)).keys(),
      ...(await store.countBy('incompletes', 'turn', running)).keys(),
    ]);
    const jobs = [...new Set([...marks].map(toJob))].filter((job) => job !== '' && job !== RESERVED);
    const lost = new Set(await queue.findLost(jobs));
    const turn = [...marks].filter((mark) => mark !== null && lost.has(toJob(mark)));
    // After its start, only this process can have reserved events of a queue that is not shared.
    const isOver = !queue.isShared && this.#isFirst ? {} : { notBeforeMs: { atMost: clock.now() } };
    const reserved = [...marks].filter((mark) => toJob(mark) === RESERVED);
    if (turn.length + reserved.length === 0) return;
    const event = { status: 'pending', turn: null } as const;
    await store.transaction(async (writer) => {
      if (turn.length > 0) {
        await writer.update('events', { ...running, turn }, event);
        await writer.update('incompletes', { ...running, turn }, { status: 'waiting', turn: null });
      }
      if (reserved.length > 0) {
        await writer.update(
          'events',
          { ...running, turn: reserved, ...isOver },
          { ...event, notBeforeMs: null },
        );
      }
    }, COMMITTED);
  }
}

/** Start of the marks of events that a process runs because their senders wait. */
export const RESERVED = 'sender';

function toJob(mark: string | null): string {
  return mark?.split(':', 1)[0] ?? '';
}

function listTimes(scenario: Startable): readonly number[] {
  const state = readState(scenario);
  const { nextRunMs } = scenario;
  return [...(nextRunMs === null ? [] : [nextRunMs]), ...('untilMs' in state ? [state.untilMs] : [])];
}
