import { EngineError } from '../../shared/errors/engine-error.js';
import { type ModuleRun, type RunSource, SingleRun } from '../component/module-run.js';
import { assertOk, type RunReport, readStats } from '../component/report.js';
import type { Bundle } from '../run/collect-outputs.js';
import type { StreamedPage } from './run-on-engine.js';

/** Starts a run in a worker. */
export interface PoolRunStart {
  readonly report: () => Promise<RunReport>;
  /** Passes bundles page by page to `onPage` and waits for it. Gives the report at the end. */
  readonly stream: (onPage: (page: StreamedPage) => Promise<void>, signal: AbortSignal) => Promise<RunReport>;
}

const NOTHING: RunReport = {
  ok: true,
  error: undefined,
  bundles: [],
  state: undefined,
  stats: readStats(undefined),
  trace: [],
  warnings: [],
};

/** Creates a run of a module in a worker. The trace is known at its end only. */
export function createPoolRun(start: PoolRunStart): ModuleRun {
  return new SingleRun(new PoolRun(start));
}

class PoolRun implements RunSource {
  readonly #start: PoolRunStart;
  #report: RunReport = NOTHING;

  constructor(start: PoolRunStart) {
    this.#start = start;
  }

  report(): RunReport {
    return this.#report;
  }

  async complete(): Promise<RunReport> {
    this.#report = await this.#start.report();
    return this.#report;
  }

  async *iterate(): AsyncGenerator<Bundle, void> {
    const left = new AbortController();
    const pages = new PageQueue();
    const work = this.#start.stream((page) => pages.add(page), left.signal).finally(() => pages.end());
    // Prevents an unhandled rejection before it is awaited below.
    work.catch(() => {});
    try {
      for (let page = await pages.next(); page !== undefined; page = await pages.next()) {
        yield* this.#takePage(page);
      }
      this.#report = await work;
      assertOk(this.#report);
    } finally {
      left.abort(new EngineError('ABORTED', 'The caller left the loop over the bundles.'));
      pages.end();
    }
  }

  *#takePage({ bundles, states, stats, warnings }: StreamedPage): Generator<Bundle, void> {
    for (const [index, bundle] of bundles.entries()) {
      const state = states[index] ?? this.#report.state;
      this.#report = { ...NOTHING, state, stats, warnings } as RunReport; // it is a successful one
      yield bundle;
    }
  }
}

/** Pages of a worker. It sends the next one when the last one was taken. */
class PageQueue {
  #page: StreamedPage | undefined;
  #isOver = false;
  #onTaken = (): void => {};
  #onChange = (): void => {};

  /** @returns when the page was taken */
  add(page: StreamedPage): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOver) return resolve();
      this.#page = page;
      this.#onTaken = resolve;
      this.#onChange();
    });
  }

  end(): void {
    this.#isOver = true;
    this.#onTaken();
    this.#onChange();
  }

  /** Lets the worker send the page after the last one, and waits for it. */
  async next(): Promise<StreamedPage | undefined> {
    this.#onTaken();
    if (this.#page === undefined && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
    const page = this.#page;
    this.#page = undefined;
    return page;
  }
}
