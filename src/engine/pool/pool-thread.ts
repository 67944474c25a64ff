import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { AppDefinition } from '../loading/define-app.js';
import type { PoolMessage, PoolTask, PoolWorkerData, WorkerMessage } from './messages.js';
import type { TerminatedError } from './terminated.js';

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

/** Time for closing engines. [choice] */
const CLOSE_GRACE_MS = 2000;

export interface PoolThreadOptions {
  readonly file: URL;
  readonly resourceLimits: ResourceLimits;
  readonly workerData: PoolWorkerData;
}

/** What a thread reports to its pool. */
export interface PoolThreadEvents {
  readonly onMessage: (worker: PoolThread, message: WorkerMessage) => void;
  /** The thread has ended; `cause` is its uncaught error, if any. */
  readonly onExit: (worker: PoolThread, cause: unknown) => void;
}

/** One worker thread, as seen from the main thread. */
export class PoolThread {
  /** Tasks that the worker has not ended, by id. */
  readonly tasks: Map<number, PendingTask> = new Map();
  /** The app whose tasks it runs, or ran last. */
  app: string | undefined;
  lastUsed = 0;
  /** Apps that the next task has to load again. */
  readonly reloaded: (string | AppDefinition)[] = [];
  /** `retired`: it gets no further tasks. */
  state: 'starting' | 'ready' | 'retired' | 'ended' = 'starting';
  /** Why its tasks end with it. */
  termination: TerminatedError | undefined;
  /** When the unanswered ping was sent. Undefined while the event loop is known to be free. */
  silentSinceMs: number | undefined;
  #busySinceMs = 0;
  #answeredMs = 0;
  readonly #thread: Worker;
  readonly #exit = new AbortController();
  #cause: unknown;
  #onClosed: () => void = () => {};

  constructor({ file, resourceLimits, workerData }: PoolThreadOptions, events: PoolThreadEvents) {
    this.#thread = new Worker(file, { resourceLimits, workerData, name: 'iml-runtime' });
    this.#thread.on('message', (message: WorkerMessage) => {
      if (message.kind === 'closed') this.#onClosed();
      else events.onMessage(this, message);
    });
    this.#thread.on('error', (error) => {
      this.#cause = error;
    });
    this.#thread.on('exit', () => {
      this.state = 'ended';
      this.#onClosed();
      this.#exit.abort(this.termination);
      events.onExit(this, this.#cause);
    });
  }

  /** Aborted when the thread has ended. */
  get exit(): AbortSignal {
    return this.#exit.signal;
  }

  /** Running tasks whose result somebody awaits. */
  get liveTasks(): readonly PendingTask[] {
    return [...this.tasks.values()].filter(({ hasStarted, isSettled }) => hasStarted && !isSettled);
  }

  /** @throws DataCloneError for a message that is not plain data */
  send(message: PoolMessage): void {
    this.#thread.postMessage(message);
  }

  /** Checks whether the event loop of the worker is free: it answers with `pong`. */
  ping(): void {
    if (this.silentSinceMs !== undefined) return;
    this.silentSinceMs = performance.now();
    this.send({ kind: 'ping' });
  }

  /** The worker answered a ping. */
  recordPong(): void {
    this.silentSinceMs = undefined;
    this.#answeredMs = performance.now();
  }

  /** Time since the unanswered ping. */
  get silentMs(): number {
    return this.silentSinceMs === undefined ? 0 : performance.now() - this.silentSinceMs;
  }

  /** Time from the first of its tasks to the last answer. */
  get answeredForMs(): number {
    return this.#answeredMs - this.#busySinceMs;
  }

  addTask(pending: PendingTask): void {
    if (this.tasks.size === 0) this.#busySinceMs = performance.now();
    this.tasks.set(pending.id, pending);
    this.app = pending.task.app;
    pending.worker = this;
  }

  /** Whether the thread keeps the process running. */
  keepProcess(isNeeded: boolean): void {
    if (isNeeded) this.#thread.ref();
    else this.#thread.unref();
  }

  terminate(): void {
    void this.#thread.terminate();
  }

  /**
   * Lets the worker close its engines, and ends it. One that starts gets the same time, as a thread that is terminated
   * while it reads a file leaves the file open.
   */
  async close(): Promise<void> {
    if (this.state !== 'ended') {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CLOSE_GRACE_MS);
        this.#onClosed = () => {
          clearTimeout(timer);
          resolve();
        };
        this.send({ kind: 'close' });
      });
    }
    await this.#thread.terminate();
  }
}
