import type { ResourceLimits } from 'node:worker_threads';
import { ByteBudget } from '../../shared/byte-budget.js';
import { addAbortListener, removeAbortListener } from '../../shared/concurrency.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { Tracing } from '../../shared/tracing.js';
import { UNCOUNTED_BYTES } from '../http/undici-transport.js';
import type { AppDefinition } from '../loading/define-app.js';
import { AppQueue } from './app-queue.js';
import { carryError, restoreError, restoreErrors } from './carry-errors.js';
import { chooseWorker, countWorkersOf } from './choose-worker.js';
import { isCloneError, notPlain } from './find-uncloneable.js';
import type { PoolWorkerData, TaskResult, WorkerMessage } from './messages.js';
import { type AnyPoolTask, PendingTask, PoolThread } from './pool-thread.js';
import { createTaskSpans } from './task-spans.js';
import { TerminatedError, type TerminationCause } from './terminated.js';

/** How tasks are spread over workers. */
export interface WorkerPoolOptions {
  readonly threads: number;
  /** Tasks of one app that a worker runs at a time. */
  readonly tasksPerWorker: number;
  readonly resourceLimits: ResourceLimits;
  /** The module that workers start with. */
  readonly worker: URL;
  readonly workerData: PoolWorkerData;
  /** Default deadline of a task. */
  readonly timeoutMs: number;
  /** Deadline for loading an app or a module before a task starts. */
  readonly loadTimeoutMs: number;
  /** Longest time without a free event loop in a worker. */
  readonly blockTimeoutMs: number;
  /** Bytes of inputs, responses and results that all tasks hold at a time; more wait. */
  readonly maxBytesInFlight: number;
  readonly onEvict: ((app: string) => void) | undefined;
  readonly tracing: Tracing | undefined;
  /** Functions that any worker may call; the signal is aborted when that worker ends. */
  readonly calls: Readonly<Record<string, (values: readonly unknown[], worker: AbortSignal) => unknown>>;
}

/** Time for a stopped task to end before its worker is terminated. [choice] */
const STOP_GRACE_MS = 250;

/** Further time if other tasks run in that worker, as one of them may block it for a moment. [choice] */
const OTHERS_GRACE_MS = 2000;

const HEARTBEAT_MS = 250;

/** Maximum number of crashed workers per waiting task. [choice] */
const MAX_CRASHES = 3;

/** Workers in a row that may end before they are ready. [choice] */
const MAX_FAILED_STARTS = 3;

/** Maximum number of apps whose behavior is remembered. [choice] */
const MAX_APPS = 10_000;

/**
 * Runs tasks in worker threads: a worker runs tasks of one app at a time, and an app holds all workers but one. Starts
 * no thread before the first task.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  /** Threads that have not exited; at most `threads`. */
  readonly #workers = new Set<PoolThread>();
  readonly #queues = new Map<string, AppQueue>();
  /** Tasks that their callers await or their workers run. */
  readonly #tasks = new Set<PendingTask>();
  /** By the ids of tasks. */
  readonly #bytes: ByteBudget<number>;
  #heartbeat: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;
  #failedStarts = 0;
  #lastId = 0;
  #lastUse = 0;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#bytes = new ByteBudget(options.maxBytesInFlight);
  }

  /**
   * @returns what the task gave
   * @throws TerminatedError if it passed its deadline or its worker was terminated; the reason of the signal; what the task threw
   */
  async run(task: AnyPoolTask): Promise<unknown> {
    if (this.#isClosed) throw new EngineError('USAGE', 'The engine pool is closed.');
    const { signal, bytes = 0 } = task;
    signal?.throwIfAborted();
    const { tracing } = this.#options;
    const spans = tracing && createTaskSpans(tracing);
    const calls = { ...spans?.calls, ...task.calls };
    const pending = new PendingTask(++this.#lastId, { ...task, calls });
    const listener = { onAbort: () => this.#stop(pending, signal?.reason) };
    if (signal !== undefined) addAbortListener(signal, listener);
    this.#add(pending);
    void this.#admit(pending, bytes);
    try {
      return await pending.done;
    } finally {
      if (signal !== undefined) removeAbortListener(signal, listener);
      spans?.end();
    }
  }

  /** Lets all workers load an app again when it is used next. */
  reload(app: string | AppDefinition): void {
    for (const worker of this.#workers) worker.reloaded.push(app);
  }

  /** Rejects waiting tasks, waits for the running ones, and ends the workers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    this.#rejectWaiting(new TerminatedError('The engine pool was closed before the run started.', 'pool'));
    await Promise.allSettled([...this.#tasks].map(({ done }) => done));
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    clearInterval(this.#heartbeat);
  }

  #add(pending: PendingTask): void {
    this.#tasks.add(pending);
    if (this.#tasks.size > 1) return;
    for (const worker of this.#workers) worker.keepProcess(true);
    this.#heartbeat = setInterval(() => this.#checkBlocked(), HEARTBEAT_MS).unref();
  }

  /** Neither caller nor worker needs the task any more. */
  #remove(pending: PendingTask): void {
    pending.clearTimer();
    this.#bytes.release(pending.id);
    if (!this.#tasks.delete(pending) || this.#tasks.size > 0) return;
    for (const worker of this.#workers) worker.keepProcess(false);
    clearInterval(this.#heartbeat);
  }

  /** Puts a task into the queue of its app, once its bytes fit. */
  async #admit(pending: PendingTask, bytes: number): Promise<void> {
    if (bytes > UNCOUNTED_BYTES) await this.#bytes.hold(pending.id, bytes);
    // It may have been stopped meanwhile.
    if (pending.isSettled) return this.#remove(pending);
    this.#findQueue(pending.task.app).waiting.push(pending);
    this.#startWorkers();
    this.#place();
  }

  #findQueue(app: string): AppQueue {
    const known = this.#queues.get(app) ?? new AppQueue(app);
    this.#queues.delete(app);
    this.#queues.set(app, known);
    if (this.#queues.size > MAX_APPS) {
      const idle = [...this.#queues.values()].find(({ isIdle }) => isIdle);
      if (idle !== undefined) this.#queues.delete(idle.app);
    }
    return known;
  }

  #startWorkers(): void {
    const { threads, worker: file, resourceLimits, workerData } = this.#options;
    while (this.#workers.size < threads) {
      const worker = new PoolThread(
        { file, resourceLimits, workerData },
        {
          onMessage: (from, message) => this.#receive(from, message),
          onExit: (from, cause) => this.#onExit(from, cause),
        },
      );
      worker.keepProcess(this.#tasks.size > 0);
      this.#workers.add(worker);
    }
  }

  /** Gives waiting tasks to workers: the app that has waited longest comes first, apps on probation last. */
  #place(): void {
    clearTimeout(this.#pause);
    const waiting = [...this.#queues.values()].filter((queue) => queue.waiting.length > 0);
    const pauseMs = Math.min(...waiting.map((queue) => queue.pauseMs).filter((ms) => ms > 0));
    if (pauseMs < Number.POSITIVE_INFINITY) this.#pause = setTimeout(() => this.#place(), pauseMs);
    const open = new Set(waiting.filter((queue) => queue.pauseMs === 0));
    const workers = [...this.#workers];
    // While an app waits for a worker the others start nothing beside their running tasks, or it would wait for ever.
    let mayJoin = true;
    const isProven = (app = ''): boolean => this.#queues.get(app)?.isProven ?? false;
    const hasProven = [...this.#queues.values()].some((queue) => queue.isProven);
    while (open.size > 0) {
      const queue = [...open].reduce((first, other) => (isBefore(other, first) ? other : first));
      const worker = chooseWorker(queue, workers, { ...this.#options, mayJoin, isProven, hasProven });
      const next = worker && queue.waiting.shift();
      if (worker !== undefined && next !== undefined) this.#post(next, worker);
      else if (isWaitingForFirst(queue, workers)) mayJoin = false;
      if (next === undefined || queue.waiting.length === 0) open.delete(queue);
    }
  }

  #post(pending: PendingTask, worker: PoolThread): void {
    const { id, task } = pending;
    const { module, name, input } = task;
    const reloaded = worker.reloaded.splice(0);
    try {
      worker.send({ kind: 'task', task: { id, module: module && String(module), name, input, reloaded } });
    } catch (error) {
      worker.reloaded.push(...reloaded);
      const { what, value } = task.given ?? { what: 'The input of the task', value: input };
      pending.reject(isCloneError(error) ? notPlain(what, value, error) : error);
      return this.#remove(pending);
    }
    worker.addTask(pending);
    worker.lastUsed = ++this.#lastUse;
    worker.ping();
    this.#awaitStart(pending, worker);
  }

  #receive(worker: PoolThread, message: WorkerMessage): void {
    switch (message.kind) {
      case 'ready':
        this.#failedStarts = 0;
        worker.state = 'ready';
        return this.#place();
      case 'pong':
        worker.recordPong();
        return this.#place();
      case 'evicted':
        return this.#options.onEvict?.(message.app);
      case 'call':
        return void this.#answer(worker, message);
      case 'ended':
        return this.#onEnded(worker, message.task, message.result);
      case 'loading':
      case 'running':
        return this.#onProgress(worker, message);
      case 'closed':
        return;
    }
  }

  #onProgress(
    worker: PoolThread,
    { kind, task: id }: { readonly kind: string; readonly task: number },
  ): void {
    const pending = worker.tasks.get(id);
    // A stopped task has no deadline but its grace period.
    if (pending === undefined || pending.isSettled) return;
    if (kind === 'loading') return this.#awaitStart(pending, worker);
    pending.hasStarted = true;
    const { timeoutMs = this.#options.timeoutMs } = pending.task;
    const why = `A run of the app "${pending.appLabel}" took longer than ${timeoutMs} ms.`;
    pending.after(timeoutMs, () => this.#stop(pending, new TerminatedError(why, 'run')));
  }

  /** The deadline of loading. A task that is behind others in a blocked worker does not load. */
  #awaitStart(pending: PendingTask, worker: PoolThread): void {
    const { loadTimeoutMs } = this.#options;
    pending.after(loadTimeoutMs, () => {
      const isBehindOthers = worker.silentSinceMs !== undefined && worker.liveTasks.length > 0;
      if (isBehindOthers) return this.#awaitStart(pending, worker);
      const why = `Loading the app "${pending.appLabel}" took longer than ${loadTimeoutMs} ms.`;
      this.#stop(pending, new TerminatedError(why, 'run'));
    });
  }

  #onEnded(worker: PoolThread, id: number, result: TaskResult): void {
    const pending = worker.tasks.get(id);
    if (pending === undefined) return;
    worker.tasks.delete(id);
    this.#remove(pending);
    if (!pending.isSettled) {
      this.#queues.get(pending.task.app)?.recordSuccess();
      if (result.ok) pending.resolve(restoreErrors(result.value));
      else pending.reject(restoreError(result.error));
    }
    if (worker.state === 'retired') this.#endRetirement(worker);
    this.#place();
  }

  /** Rejects a task at once. Its worker gets time to end it. */
  #stop(pending: PendingTask, reason: unknown): void {
    if (pending.isSettled) return;
    pending.reject(reason);
    const { worker } = pending;
    if (worker === undefined) {
      this.#queues.get(pending.task.app)?.remove(pending);
      return this.#remove(pending);
    }
    worker.send({ kind: 'abort', task: pending.id, reason: carryError(reason) });
    worker.ping();
    pending.after(STOP_GRACE_MS, () => this.#retire(worker, pending, reason));
  }

  /**
   * A stopped task did not end. A worker that answers ends after its other tasks. One that does not answer is terminated; with
   * other tasks in it a little later, as one of them may block it only for a moment.
   */
  #retire(worker: PoolThread, pending: PendingTask, reason: unknown): void {
    worker.state = 'retired';
    const isAtFault = reason instanceof TerminatedError;
    if (worker.liveTasks.length === 0) return this.#terminate(worker, isAtFault);
    pending.after(OTHERS_GRACE_MS, () => {
      if (worker.silentSinceMs !== undefined) this.#terminate(worker, isAtFault);
    });
    this.#place();
  }

  #endRetirement(worker: PoolThread): void {
    const hasStopped = [...worker.tasks.values()].some(({ isSettled }) => isSettled);
    if (!hasStopped) worker.state = 'ready';
    else if (worker.liveTasks.length === 0) this.#terminate(worker, true);
  }

  /** Terminates a worker whose app holds it. Rejects its tasks at once: a thread may take seconds to end. */
  #terminate(worker: PoolThread, isAtFault: boolean, causedBy: TerminationCause = 'other-run'): void {
    if (worker.state === 'ended') return;
    worker.state = 'ended';
    const [first] = worker.tasks.values();
    const label = first?.appLabel ?? worker.app;
    const why =
      causedBy === 'other-run'
        ? 'another of its runs blocked the worker'
        : `it did not answer for ${this.#options.blockTimeoutMs} ms`;
    worker.termination = new TerminatedError(
      `The worker of the app "${label}" was terminated: ${why}.`,
      causedBy,
    );
    if (isAtFault && worker.app !== undefined) this.#findQueue(worker.app).recordTermination();
    this.#moveUnstarted(worker);
    this.#rejectAll(worker, worker.termination);
    worker.terminate();
    this.#place();
  }

  /** Puts tasks that have not started back to the front of their queue. */
  #moveUnstarted(worker: PoolThread): void {
    const unstarted = [...worker.tasks.values()].filter(
      ({ hasStarted, isSettled }) => !hasStarted && !isSettled,
    );
    for (const pending of unstarted.reverse()) {
      worker.tasks.delete(pending.id);
      pending.clearTimer();
      pending.worker = undefined;
      this.#findQueue(pending.task.app).waiting.unshift(pending);
    }
  }

  #rejectAll(worker: PoolThread, error: TerminatedError): void {
    for (const pending of worker.tasks.values()) {
      if (!pending.isSettled) pending.reject(error);
      this.#remove(pending);
    }
    worker.tasks.clear();
  }

  #onExit(worker: PoolThread, cause: unknown): void {
    this.#workers.delete(worker);
    if (this.#isClosed || worker.termination !== undefined) {
      this.#rejectAll(worker, new TerminatedError('The engine pool was closed.', 'pool', cause));
    } else {
      this.#onCrash(worker, cause);
    }
    if (this.#isClosed || this.#tasks.size === 0) return;
    this.#startWorkers();
    this.#place();
  }

  /** A worker ended by itself: without memory, by an uncaught error, or by process.exit(). */
  #onCrash(worker: PoolThread, cause: unknown): void {
    if (worker.lastUsed === 0 && ++this.#failedStarts >= MAX_FAILED_STARTS) {
      this.#failedStarts = 0;
      const why = 'The workers of the engine pool end when they start.';
      return this.#rejectWaiting(new TerminatedError(why, 'pool', cause));
    }
    const { liveTasks } = worker;
    if (worker.app !== undefined && worker.tasks.size > 0) this.#findQueue(worker.app).recordTermination();
    for (const pending of [...worker.tasks.values()].filter(({ hasStarted }) => !hasStarted)) {
      // Its input may be too much for any worker.
      if (++pending.crashes >= MAX_CRASHES) pending.hasStarted = true;
    }
    this.#moveUnstarted(worker);
    const [first] = worker.tasks.values();
    const isOutOfMemory = cause instanceof Error && Reflect.get(cause, 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
    const why = isOutOfMemory ? 'it ran out of memory' : 'it ended by itself';
    const message = `The worker of the app "${first?.appLabel ?? worker.app}" was terminated: ${why}.`;
    this.#rejectAll(worker, new TerminatedError(message, liveTasks.length > 1 ? 'unknown' : 'run', cause));
  }

  #checkBlocked(): void {
    for (const worker of this.#workers) {
      if (worker.tasks.size === 0 || worker.state === 'starting' || worker.state === 'ended') continue;
      if (worker.silentMs < this.#options.blockTimeoutMs) worker.ping();
      else this.#terminate(worker, true, worker.liveTasks.length > 1 ? 'unknown' : 'run');
    }
  }

  #rejectWaiting(error: TerminatedError): void {
    for (const pending of [...this.#tasks].filter(({ worker }) => worker === undefined))
      this.#stop(pending, error);
  }

  async #answer(worker: PoolThread, message: Extract<WorkerMessage, { kind: 'call' }>): Promise<void> {
    const { call, task, name, values } = message;
    let result: TaskResult;
    try {
      result = { ok: true, value: await this.#findCall(worker, task, name)(values) };
    } catch (thrown) {
      result = { ok: false, error: carryError(thrown) };
    }
    try {
      worker.send({ kind: 'called', call, result });
    } catch (error) {
      const value = result.ok ? result.value : undefined;
      const refused = carryError(notPlain(`The result of the call "${name}"`, value, error));
      worker.send({ kind: 'called', call, result: { ok: false, error: refused } });
    }
  }

  #findCall(
    worker: PoolThread,
    task: number | undefined,
    name: string,
  ): (values: readonly unknown[]) => unknown {
    if (task === undefined) {
      if (name === 'bytes.hold') return ([id, bytes]) => this.#holdBytes(worker, Number(id), Number(bytes));
      const shared = this.#options.calls[name];
      if (shared !== undefined) return (values) => shared(values, worker.exit);
    } else {
      const calls = worker.tasks.get(task)?.task.calls;
      const own = calls !== undefined && Object.hasOwn(calls, name) ? calls[name] : undefined;
      if (own !== undefined) return (values) => own(...(values as never[])); // the caller knows its types
    }
    throw new EngineError('USAGE', `The task has no call "${name}".`);
  }

  async #holdBytes({ tasks }: PoolThread, id: number, bytes: number): Promise<void> {
    if (!tasks.has(id)) return;
    await this.#bytes.hold(id, bytes);
    if (!tasks.has(id)) this.#bytes.release(id);
  }
}

function isBefore(a: AppQueue, b: AppQueue): boolean {
  if (a.isOnProbation !== b.isOnProbation) return b.isOnProbation;
  return (a.waiting[0]?.id ?? 0) < (b.waiting[0]?.id ?? 0);
}

/** Whether an app has no worker, and none is idle or starting. */
function isWaitingForFirst({ app }: AppQueue, workers: readonly PoolThread[]): boolean {
  const areBusy = workers.every(({ state, tasks }) => state !== 'starting' && tasks.size > 0);
  return areBusy && countWorkersOf(app, workers) === 0;
}
