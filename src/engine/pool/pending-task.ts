import type { PoolTask } from './messages.js';
import type { PoolThread } from './pool-thread.js';

/** A task whose function may be one of the pool's own: then it has no module. */
export type AnyPoolTask = Omit<PoolTask, 'module'> & {
  readonly module: PoolTask['module'] | undefined;
  /** Names the app in errors. Default: `app`. */
  readonly label?: string | undefined;
  /** Names the input and the value that the caller passed, in the error for a value that cannot be cloned. */
  readonly given?: { readonly what: string; readonly value: unknown } | undefined;
};

/** A task of a pool, from its call until its worker has ended it. */
export class PendingTask {
  readonly id: number;
  readonly task: AnyPoolTask;
  /** Settles with the result, or as soon as the task is stopped. */
  readonly done: Promise<unknown>;
  worker: PoolThread | undefined;
  /** False while it waits for a worker, or its worker loads the app. Such a task can go to another worker. */
  hasStarted = false;
  /** Whether `done` has settled. Its worker may still run it. */
  isSettled = false;
  /** Workers that crashed before it started. */
  crashes = 0;
  #resolve: (value: unknown) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(id: number, task: AnyPoolTask) {
    this.id = id;
    this.task = task;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Names the app in errors. */
  get appLabel(): string {
    return this.task.label ?? this.task.app;
  }

  resolve(value: unknown): void {
    this.isSettled = true;
    this.#resolve(value);
  }

  reject(reason: unknown): void {
    this.isSettled = true;
    this.#reject(reason);
  }

  /** Replaces the timer of the task. */
  after(delayMs: number, work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, delayMs);
  }

  clearTimer(): void {
    clearTimeout(this.#timer);
  }
}
