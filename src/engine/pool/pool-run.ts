import { EngineError } from '../../shared/errors/engine-error.js';
import type { ModuleRun } from '../component/module-run.js';
import { assertOk, type RunReport, readStats, type Succeeded } from '../component/report.js';
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

/** A run of a module in a worker. The trace is known at its end only. */
export class PoolRun implements ModuleRun {
  readonly #start: PoolRunStart;
  #report: RunReport = NOTHING;
  #reporting: Promise<RunReport> | undefined;
  #isIterated = false;

  constructor(start: PoolRunStart) {
    this.#start = start;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a run for its report is the public contract.
  then<A = RunReport, B = never>(
    onFulfilled?: ((report: RunReport) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#reporting ??= this.#complete();
    return this.#reporting.then(onFulfilled, onRejected);
  }

  async catch<B = never>(
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<RunReport | B> {
    return this.then(undefined, onRejected);
  }

  async finally(onFinally?: (() => void) | null): Promise<RunReport> {
    return Promise.resolve(this).finally(onFinally);
  }

  async orThrow(): Promise<Succeeded<RunReport>> {
    return assertOk(await this);
  }

  report(): RunReport {
    return this.#report;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Bundle, void> {
    if (this.#isIterated || this.#reporting !== undefined) {
      throw new EngineError(
        'USAGE',
        'A run can be consumed once, by one loop or by await. Start another run.',
      );
    }
    this.#isIterated = true;
    return this.#iterate();
  }

  /** Runs to the end. While the caller iterates, returns the report so far. */
  async #complete(): Promise<RunReport> {
    if (!this.#isIterated) this.#report = await this.#start.report();
    return this.#report;
  }

  async *#iterate(): AsyncGenerator<Bundle, void> {
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
