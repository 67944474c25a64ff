import type { PendingTask } from './pool-thread.js';

/** Pause of an app after its run blocked a worker, doubled with each further one. [choice] */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** The tasks of an app that wait for a worker, and how the app has behaved. */
export class AppQueue {
  readonly app: string;
  readonly waiting: PendingTask[] = [];
  /** Whether a run has ended normally since the app last had a worker terminated. */
  isProven = false;
  /** Terminated workers since a run last ended normally. */
  #failures = 0;
  #pausedUntilMs = 0;

  constructor(app: string) {
    this.app = app;
  }

  /** Whether a run of the app was the reason why a worker was terminated, and none has ended normally since. */
  get isOnProbation(): boolean {
    return this.#failures > 0;
  }

  /** Time until the app may have a worker again. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntilMs - performance.now());
  }

  /** Whether nothing has to be remembered. */
  get isIdle(): boolean {
    return this.waiting.length === 0 && !this.isOnProbation;
  }

  recordSuccess(): void {
    this.isProven = true;
    this.#failures = 0;
    this.#pausedUntilMs = 0;
  }

  recordTermination(): void {
    this.isProven = false;
    this.#failures++;
    const pauseMs = FIRST_PAUSE_MS * 2 ** (this.#failures - 1);
    this.#pausedUntilMs = performance.now() + Math.min(MAX_PAUSE_MS, pauseMs);
  }

  remove(pending: PendingTask): void {
    const index = this.waiting.indexOf(pending);
    if (index >= 0) this.waiting.splice(index, 1);
  }
}
