import { EngineError } from '../../shared/errors/engine-error.js';
import type { ModuleRun, RunReport } from '../component/module-run.js';
import { assertOk, type Succeeded } from '../component/report.js';
import type { Bundle } from '../run/collect-outputs.js';

/** Starts a run in a worker. */
export interface PoolRunStart {
  readonly report: () => Promise<RunReport>;
  /** Passes bundles page by page to `onBundles` and waits for it. */
  readonly stream: (
    onBundles: (bundles: readonly Bundle[]) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<unknown>;
}

/**
 * A run of a module in a worker; it starts when it is awaited or iterated over, once. Awaited it gives the report. Iterated
 * over it gives the bundles page by page; a failure throws its `AppError`.
 */
export class PoolRun implements PromiseLike<RunReport>, AsyncIterable<Bundle>, Pick<ModuleRun, 'orThrow'> {
  readonly #start: PoolRunStart;
  #report: Promise<RunReport> | undefined;
  #isIterated = false;

  constructor(start: PoolRunStart) {
    this.#start = start;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a run for its report is the public contract.
  then<A = RunReport, B = never>(
    onFulfilled?: ((report: RunReport) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (this.#isIterated) return Promise.reject(takenTwice()).then(undefined, onRejected);
    this.#report ??= this.#start.report();
    return this.#report.then(onFulfilled, onRejected);
  }

  /** @throws the `error` of the report */
  async orThrow(): Promise<Succeeded<RunReport>> {
    return assertOk(await this);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Bundle, void> {
    if (this.#isIterated || this.#report !== undefined) throw takenTwice();
    this.#isIterated = true;
    const left = new AbortController();
    let isOver = false;
    let pages: (readonly Bundle[])[] = [];
    let wake = (): void => {};
    let resume = (): void => {};
    const onBundles = (bundles: readonly Bundle[]): Promise<void> => {
      pages.push(bundles);
      wake();
      return new Promise((resolve) => {
        resume = resolve;
      });
    };
    const work = this.#start.stream(onBundles, left.signal).finally(() => {
      isOver = true;
      wake();
    });
    // Prevents an unhandled rejection before it is awaited below.
    work.catch(() => {});
    try {
      for (;;) {
        const taken = pages;
        pages = [];
        for (const page of taken) yield* page;
        resume();
        if (isOver && pages.length === 0) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isOver || pages.length > 0) resolve();
        });
      }
      await work;
    } finally {
      left.abort(new EngineError('ABORTED', 'The caller left the loop over the bundles.'));
      resume();
    }
  }
}

function takenTwice(): EngineError {
  return new EngineError(
    'USAGE',
    'A run is awaited or iterated over once; call run() again for another one.',
  );
}
