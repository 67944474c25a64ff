import type { AppError } from '../errors/app-error.js';
import { EngineError } from '../errors/engine-error.js';
import { type Bundle, listBundles, type Page } from '../run/response/collect-outputs.js';
import type { RunContext } from '../run/scope/run-context.js';
import { joinLists } from '../util/join-lists.js';
import { findUnreadable } from './reading-values.js';
import { asRunError, assertOk, type Report, readStats, type Succeeded } from './report.js';
import type { StartedRun } from './start-run.js';
import type { TriggerState } from './trigger-data.js';

/** The outcome of a run of a module. */
export type RunReport = Report<{
  /** All bundles, unless they were iterated over: then none. */
  readonly bundles: readonly Bundle[];
  /** Of a polling trigger: where the next run starts, to be given to it as `data`. Undefined for other modules. */
  readonly state: TriggerState | undefined;
}>;

/** What a kind of module makes of a started run: pages of bundles, and the state afterwards. */
export interface RunBody {
  /** May have to wait for a connection that is kept. */
  readonly start: () => Promise<StartedRun>;
  /** `isStreamed` says that somebody takes the bundles one by one: the next page may be fetched meanwhile. */
  readonly pages: (context: RunContext, isStreamed: boolean) => Promise<AsyncIterable<Page> | Iterable<Page>>;
  readonly state?: () => TriggerState | undefined;
}

/**
 * A run of a module, to be taken in one of three ways; it starts when it is taken.
 *
 * - `for await (const bundle of run)`: bundles as their pages arrive, the next page being fetched meanwhile.
 *   A failure throws its `AppError`, after the bundles of earlier pages. Leaving the loop ends the run and its connection.
 * - `await run`: the report. A failure is its `error`.
 * - `await run.orThrow()`: the report of a run that went well. A failure throws its `AppError`.
 *
 * A second loop over a run throws an `EngineError` (USAGE), as one after `await` does.
 *
 * All throw what is no outcome of the app: a mistake of the caller (`EngineError` USAGE), the reason of an aborted
 * signal, or a defect.
 */
export class ModuleRun implements AsyncIterable<Bundle>, PromiseLike<RunReport> {
  // Hard private: the scope of a run holds credentials, and whoever logs the run must not log them.
  readonly #body: RunBody;
  #context: RunContext | undefined;
  #finish: (() => void) | undefined;
  #error: AppError | undefined;
  /** The bundles of each page. */
  #taken: (readonly Bundle[])[] = [];
  #iteration: AsyncGenerator<Bundle, void> | undefined;
  #reporting: Promise<RunReport> | undefined;

  constructor(body: RunBody) {
    this.#body = body;
  }

  [Symbol.asyncIterator](): AsyncIterator<Bundle, void> {
    if (this.#iteration !== undefined || this.#reporting !== undefined) {
      throw new EngineError('USAGE', 'A run is taken once, by one loop or by await: start another run.');
    }
    this.#iteration = this.#iterate();
    return this.#iteration;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a run for its report is the public contract.
  then<A = RunReport, B = never>(
    onFulfilled?: ((report: RunReport) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#reporting ??= this.#complete();
    return this.#reporting.then(onFulfilled, onRejected);
  }

  /** Runs to the end, as awaiting does. @throws the `error` of the report */
  async orThrow(): Promise<Succeeded<RunReport>> {
    return assertOk(await this);
  }

  /** The report as far as the run has come; what `await` gives once it is over. */
  report(): RunReport {
    const context = this.#context;
    const error = this.#error;
    const trace = context?.run.log.trace;
    const report = {
      ok: error === undefined,
      error,
      bundles: error === undefined ? this.#joinBundles() : undefined,
      state: error === undefined ? this.#body.state?.() : undefined,
      stats: readStats(context),
      // Written when it is read: see `TraceLog`.
      get trace() {
        return trace?.events ?? [];
      },
      warnings: context?.run.log.warnings ?? [],
    };
    return report as RunReport; // of one kind, as `ok` says
  }

  /** Runs to the end, unless somebody iterates: then what is left is dropped once they stop. */
  async #complete(): Promise<RunReport> {
    if (this.#iteration !== undefined) return this.report();
    try {
      const pages = await this.#open(false);
      for await (const page of pages) this.#taken.push(listBundles(page));
    } catch (thrown) {
      this.#error = asRunError(thrown);
      if (this.#error === undefined) throw this.#findReason(thrown);
    } finally {
      this.#close();
    }
    return this.report();
  }

  async *#iterate(): AsyncGenerator<Bundle, void> {
    try {
      const pages = await this.#open(true);
      for await (const page of pages) {
        yield* listBundles(page);
      }
    } catch (thrown) {
      this.#error = asRunError(thrown);
      throw this.#error ?? this.#findReason(thrown);
    } finally {
      this.#close();
    }
  }

  #findReason(thrown: unknown): unknown {
    return findUnreadable(thrown, () => Object.values(this.#context?.scope ?? {}));
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
    this.#finish?.();
  }
}
