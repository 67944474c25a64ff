import type { AppError } from '../../shared/errors/app-error.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { joinLists } from '../../shared/join-lists.js';
import { type Bundle, listBundles, type Page } from '../run/collect-outputs.js';
import type { RunContext } from '../run/run-context.js';
import {
  asRunError,
  assertOk,
  type ModuleResult,
  type RunReport,
  readStats,
  type Succeeded,
} from './report.js';
import type { StartedRun } from './start-run.js';
import type { TriggerState } from './trigger-data.js';

/** The part of a run that depends on the type of the module. */
export interface RunBody {
  /** May wait for a stored connection. */
  readonly start: () => Promise<StartedRun>;
  /** `isStreamed`: the caller iterates over bundles, so the next page may be requested in advance. */
  readonly pages: (context: RunContext, isStreamed: boolean) => Promise<AsyncIterable<Page> | Iterable<Page>>;
  readonly state?: () => TriggerState | undefined;
}

/**
 * A run of a module. It starts when one of these is used:
 *
 * - `for await (const bundle of run)`: bundles as their pages arrive; the next page is requested in advance.
 *   A failure throws its `AppError` after the bundles of earlier pages. Leaving the loop ends the run and its connection.
 * - `await run`: the report. A failure is its `error`.
 * - `await run.orThrow()`: the report of a successful run. A failure throws its `AppError`.
 *
 * A second loop over a run, or a loop after `await`, throws EngineError (USAGE).
 *
 * All of them throw errors that are no outcome of the app: a caller's mistake (EngineError USAGE), the reason of an
 * aborted signal, or a defect.
 */
export interface ModuleRun<Given = Bundle>
  extends AsyncIterable<Given>,
    PromiseLike<RunReport<ModuleResult<Given>>> {
  readonly catch: <B = never>(
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ) => Promise<RunReport<ModuleResult<Given>> | B>;
  readonly finally: (onFinally?: (() => void) | null) => Promise<RunReport<ModuleResult<Given>>>;
  /**
   * Runs to the end, like `await`.
   *
   * @throws the `error` of the report
   */
  readonly orThrow: () => Promise<Succeeded<RunReport<ModuleResult<Given>>>>;
  /** Returns the report so far. Equals the result of `await` at the end. */
  readonly report: () => RunReport<ModuleResult<Given>>;
}

/** How a run gets its bundles and its report. */
export interface RunSource {
  /** Runs to the end. */
  readonly complete: () => Promise<RunReport>;
  readonly iterate: () => AsyncGenerator<Bundle, void>;
  /** Returns the report so far. */
  readonly report: () => RunReport;
}

/** A run that is consumed once. */
export class SingleRun implements ModuleRun {
  // Private at run time, as the scope of a run holds credentials that must not be logged with the run.
  readonly #source: RunSource;
  #reporting: Promise<RunReport> | undefined;
  #isIterated = false;

  constructor(source: RunSource) {
    this.#source = source;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Bundle, void> {
    if (this.#isIterated || this.#reporting !== undefined) {
      throw new EngineError(
        'USAGE',
        'A run can be consumed once, by one loop or by await. Start another run.',
      );
    }
    this.#isIterated = true;
    return this.#source.iterate();
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a run for its report is the public contract.
  then<A = RunReport, B = never>(
    onFulfilled?: ((report: RunReport) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#reporting ??= this.#isIterated ? Promise.resolve(this.report()) : this.#source.complete();
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
    return this.#source.report();
  }
}

/** Creates a run in the thread of its engine. */
export function createEngineRun(body: RunBody): ModuleRun {
  return new SingleRun(new EngineRun(body));
}

class EngineRun implements RunSource {
  readonly #body: RunBody;
  #context: RunContext | undefined;
  #finish: StartedRun['finish'] | undefined;
  #error: AppError | undefined;
  /** What ended the run. */
  #failure: unknown;
  /** Bundles by page. */
  #taken: (readonly Bundle[])[] = [];

  constructor(body: RunBody) {
    this.#body = body;
  }

  report(): RunReport {
    const context = this.#context;
    const error = this.#error;
    const log = context?.run.log;
    const report = {
      ok: error === undefined,
      error,
      bundles: error === undefined ? this.#joinBundles() : undefined,
      state: error === undefined ? this.#body.state?.() : undefined,
      stats: readStats(context),
      // Computed on demand: see `RunLog`.
      get trace() {
        return log?.events ?? [];
      },
      warnings: log?.warnings ?? [],
    };
    return report as RunReport; // `ok` selects the variant
  }

  async complete(): Promise<RunReport> {
    try {
      const pages = await this.#open(false);
      for await (const page of pages) this.#taken.push(listBundles(page));
    } catch (thrown) {
      this.#error = asRunError(thrown);
      this.#failure = thrown;
      if (this.#error === undefined) throw thrown;
    } finally {
      this.#close();
    }
    return this.report();
  }

  async *iterate(): AsyncGenerator<Bundle, void> {
    try {
      const pages = await this.#open(true);
      for await (const page of pages) {
        yield* listBundles(page);
      }
    } catch (thrown) {
      this.#error = asRunError(thrown);
      this.#failure = thrown;
      throw this.#error ?? thrown;
    } finally {
      this.#close();
    }
  }

  #joinBundles(): readonly Bundle[] {
    const bundles = joinLists(this.#taken);
    this.#taken = [bundles];
    return bundles;
  }

  async #open(isStreamed: boolean): Promise<AsyncIterable<Page> | Iterable<Page>> {
    const started = await this.#body.start();
    this.#finish = started.finish;
    this.#context = started.context;
    return this.#body.pages(started.context, isStreamed);
  }

  #close(): void {
    this.#finish?.(this.#failure);
  }
}
