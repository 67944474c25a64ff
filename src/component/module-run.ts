import { AppError } from '../errors/app-error.js';
import type { RunContext } from '../run/run-context.js';
import type { RunWarning, StopReason, TraceEvent } from '../run/trace/trace.js';
import type { Bundle } from './bundles.js';
import type { StartedRun } from './start-run.js';

export interface RunStats {
  /** Requests counted against the limit of 100. */
  readonly requests: number;
  /** Follow-up pages. */
  readonly pages: number;
  readonly records: number;
  readonly durationMs: number;
  /** Why the last paging ended; undefined where nothing was paged. */
  readonly stopReason: StopReason | undefined;
}

/** The counters of a run; all zero for one that did not start. */
export function statsOf(context: RunContext | undefined): RunStats {
  return {
    requests: context?.requests ?? 0,
    pages: context?.pages ?? 0,
    records: context?.records ?? 0,
    durationMs: context?.elapsedMs ?? 0,
    stopReason: context?.stopReason,
  };
}

/** The outcome of a run. */
export interface RunReport<State = unknown> {
  /** All bundles, unless the run failed or its bundles were iterated over: then none. */
  readonly bundles: readonly Bundle[];
  /** What ended the run, if it failed. */
  readonly error: AppError | undefined;
  /** Of a polling trigger: where the next run starts. */
  readonly state: State | undefined;
  readonly stats: RunStats;
  readonly trace: readonly TraceEvent[];
  readonly warnings: readonly RunWarning[];
}

/** What a kind of module makes of a started run: batches of bundles, and the state afterwards. */
export interface RunBody<State> {
  /** May have to wait for a connection that is kept. */
  readonly start: () => StartedRun | Promise<StartedRun>;
  /** `isStreamed` says that somebody takes the bundles one by one: the next page may be fetched meanwhile. */
  readonly batches: (context: RunContext, isStreamed: boolean) => AsyncIterable<readonly Bundle[]>;
  readonly state?: () => State | undefined;
}

/**
 * A run of a module, to be taken in one of two ways; it starts when it is taken.
 *
 * - `for await (const bundle of run)`: bundles as their pages arrive, the next page being fetched meanwhile.
 *   A failure throws `AppError`, after the bundles of earlier pages. Leaving the loop ends the run and its connection.
 * - `await run`: the report. A failure is its `error`, and its `bundles` are none.
 *
 * Both throw what is no outcome of the app: the reason of an aborted signal, or a defect.
 */
export class ModuleRun<State = unknown> implements AsyncIterable<Bundle>, PromiseLike<RunReport<State>> {
  // Hard private: the scope of a run holds credentials, and whoever logs the run must not log them.
  readonly #body: RunBody<State>;
  #context: RunContext | undefined;
  #error: AppError | undefined;
  #bundles: Bundle[] = [];
  #iteration: AsyncGenerator<Bundle, void> | undefined;
  #reporting: Promise<RunReport<State>> | undefined;

  constructor(body: RunBody<State>) {
    this.#body = body;
  }

  [Symbol.asyncIterator](): AsyncIterator<Bundle, void> {
    this.#iteration ??= this.#iterate();
    return this.#iteration;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a run for its report is the public contract.
  then<A = RunReport<State>, B = never>(
    onFulfilled?: ((report: RunReport<State>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#reporting ??= this.#complete();
    return this.#reporting.then(onFulfilled, onRejected);
  }

  /** The report as far as the run has come; what `await` gives once it is over. */
  report(): RunReport<State> {
    const context = this.#context;
    const error = this.#error;
    const trace = context?.trace;
    return {
      bundles: error === undefined ? this.#bundles : [],
      error,
      state: error === undefined ? this.#body.state?.() : undefined,
      stats: statsOf(context),
      // Written when it is read: see `TraceLog`.
      get trace() {
        return trace?.events ?? [];
      },
      warnings: context?.warnings ?? [],
    };
  }

  /** Runs to the end, unless somebody iterates: then what is left is dropped once they stop. */
  async #complete(): Promise<RunReport<State>> {
    if (this.#iteration !== undefined) return this.report();
    try {
      for await (const batch of this.#batches(false)) for (const bundle of batch) this.#bundles.push(bundle);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    return this.report();
  }

  async *#iterate(): AsyncGenerator<Bundle, void> {
    for await (const batch of this.#batches(true)) yield* batch;
  }

  async *#batches(isStreamed: boolean): AsyncGenerator<readonly Bundle[], void> {
    let finish: (() => void) | undefined;
    try {
      const started = await this.#body.start();
      finish = started.finish;
      this.#context = started.context;
      yield* this.#body.batches(started.context, isStreamed);
    } catch (error) {
      if (error instanceof AppError) this.#error = error;
      throw error;
    } finally {
      finish?.();
    }
  }
}
