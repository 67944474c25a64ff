import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { ByteBudget } from '../../shared/byte-budget.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { UNCOUNTED_BYTES } from '../http/undici-transport.js';
import type { AppDefinition } from '../loading/define-app.js';
import {
  carryError,
  type PoolMessage,
  type PoolTask,
  type PoolWorkerData,
  type PostedTask,
  restoreError,
  restoreErrors,
  type TaskResult,
  type WorkerMessage,
} from './messages.js';

/** A task whose function may be one of the pool's own: then it has no module. */
export type AnyPoolTask = Omit<PoolTask, 'module'> & {
  readonly module: PoolTask['module'] | undefined;
  /** Names the app in errors. Default: `app`. */
  readonly label?: string | undefined;
};

/** Memory of one worker, as `resourceLimits` of node:worker_threads. Bytes of buffers do not count. */
export interface PoolResourceLimits {
  readonly maxOldGenerationSizeMb?: number;
  readonly maxYoungGenerationSizeMb?: number;
  readonly codeRangeSizeMb?: number;
  readonly stackSizeMb?: number;
}

/** How tasks are spread over workers. */
export interface WorkerPoolOptions {
  readonly threads: number;
  /** Tasks of one app that a worker runs at a time. */
  readonly tasksPerWorker: number;
  readonly resourceLimits: PoolResourceLimits;
  /** The module that workers start with. */
  readonly worker: URL;
  readonly workerData: PoolWorkerData;
  readonly timeoutMs: number;
  /** Bytes of inputs and responses that all tasks hold at a time; more wait. */
  readonly maxBytesInFlight: number;
  /** Functions that any worker may call; the signal is aborted when that worker ends. */
  readonly calls: Readonly<Record<string, (values: readonly unknown[], worker: AbortSignal) => unknown>>;
}

/** Grace period of an aborted task. [choice] */
const ABORT_GRACE_MS = 250;

/** Maximum number of crashed workers per waiting task. [choice] */
const MAX_CRASHES = 3;

/** Grace period for closing engines. [choice] */
const CLOSE_GRACE_MS = 2000;

/** The used part of the API of piscina. */
interface Piscina {
  readonly threads: readonly Worker[];
  readonly run: (
    task: PostedTask,
    options: { readonly transferList: readonly MessagePort[] },
  ) => Promise<unknown>;
  readonly on: (
    event: 'workerCreate' | 'workerDestroy' | 'error',
    listener: (worker: { readonly id: number }) => void,
  ) => unknown;
  readonly destroy: () => Promise<void>;
}

interface PiscinaModule {
  readonly Piscina: new (options: {
    readonly filename: string;
    readonly name: string;
    readonly minThreads: number;
    readonly maxThreads: number;
    readonly concurrentTasksPerWorker: number;
    readonly atomics: 'disabled';
    readonly recordTiming: boolean;
    readonly resourceLimits: PoolResourceLimits;
    readonly workerData: PoolWorkerData;
    readonly loadBalancer: <Candidate extends { readonly id: number }>(
      task: unknown,
      workers: readonly Candidate[],
    ) => Candidate | null;
  }) => Piscina;
}

interface PoolWorker {
  readonly thread: Worker;
  readonly control: MessagePort;
  /** The other end of `control`, sent with the first task. */
  workerPort: MessagePort | undefined;
  /** The app whose tasks it runs, or ran last. */
  app: string | undefined;
  readonly tasks: Map<number, RunningTask>;
  lastUsed: number;
  /** Apps that the next task has to load again. */
  readonly reloaded: (string | AppDefinition)[];
  readonly end: AbortController;
  /** Why it was terminated. */
  termination: EngineError | undefined;
  onClosed: () => void;
}

interface RunningTask {
  readonly id: number;
  readonly task: AnyPoolTask;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  worker: PoolWorker | undefined;
  /** False while other tasks of its worker keep it from starting. */
  hasStarted: boolean;
  /** Workers that crashed before it started. */
  crashes: number;
  deadline: NodeJS.Timeout | undefined;
  grace: NodeJS.Timeout | undefined;
}

/**
 * Runs tasks in worker threads, on piscina: a worker runs tasks of one app at a time, and an app holds all workers but one.
 * Starts no thread before the first task.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  /** Workers that can be given tasks, by thread id. */
  readonly #workers = new Map<number, PoolWorker>();
  /** Tasks without a worker, by app. */
  readonly #queues = new Map<string, RunningTask[]>();
  /** Apps of terminated workers: the worker that replaces one counts as theirs. */
  readonly #replaced: string[] = [];
  readonly #inFlight = new Set<Promise<unknown>>();
  /** By the ids of tasks. */
  readonly #bytes: ByteBudget<number>;
  #piscina: Piscina | undefined;
  #starting: Promise<void> | undefined;
  /** The worker of the task that is being posted. */
  #target: PoolWorker | undefined;
  #lastId = 0;
  #lastUse = 0;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#bytes = new ByteBudget(options.maxBytesInFlight);
  }

  /**
   * @returns what the task gave
   * @throws EngineError (WORKER_TERMINATED) if its worker was terminated, because of this task or of another one of the app;
   *   the reason of the signal; what the task threw
   */
  async run(task: AnyPoolTask): Promise<unknown> {
    if (this.#isClosed) throw closed();
    const { signal, bytes = 0 } = task;
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    let onAbort = (): void => {};
    const work = new Promise<unknown>((resolve, reject) => {
      const running: RunningTask = {
        id,
        task,
        resolve,
        reject,
        worker: undefined,
        hasStarted: false,
        crashes: 0,
        deadline: undefined,
        grace: undefined,
      };
      onAbort = () => this.#abort(running);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#begin(running, bytes).catch(reject);
    });
    this.#inFlight.add(work);
    try {
      return await work;
    } catch (error) {
      // The worker returns a copy of the reason.
      throw signal?.aborted ? signal.reason : error;
    } finally {
      this.#inFlight.delete(work);
      this.#bytes.release(id);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async #begin(running: RunningTask, bytes: number): Promise<void> {
    if (bytes > UNCOUNTED_BYTES) await this.#bytes.hold(running.id, bytes);
    // The task may have been aborted, or the pool closed, meanwhile.
    if (running.task.signal?.aborted) return;
    if (this.#isClosed) throw closed();
    this.#enqueue(running);
    this.#starting ??= this.#start();
    await this.#starting;
    this.#place();
  }

  /** Lets all workers load an app again when it is used next. */
  reload(app: string | AppDefinition): void {
    for (const { workerPort, reloaded } of this.#workers.values()) {
      if (workerPort === undefined) reloaded.push(app);
    }
  }

  /** Rejects waiting tasks, waits for the running ones, and ends the workers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectWaiting(
      new EngineError('WORKER_TERMINATED', 'The engine pool was closed before the run started.'),
    );
    await Promise.allSettled(this.#inFlight);
    await Promise.all([...this.#workers.values()].map(closeWorker));
    await this.#piscina?.destroy();
  }

  async #start(): Promise<void> {
    const { threads, tasksPerWorker, resourceLimits, workerData, worker } = this.#options;
    // Its own types do not compile with `exactOptionalPropertyTypes`.
    const { Piscina }: PiscinaModule = await import('piscina' as string);
    const piscina = new Piscina({
      filename: fileURLToPath(worker),
      name: 'runTask',
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: tasksPerWorker,
      // A worker that waits in Atomics.wait() closes no idle connection and saves no renewed one.
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits,
      workerData,
      loadBalancer: (_task, workers) =>
        workers.find(({ id }) => id === this.#target?.thread.threadId) ?? null,
    });
    piscina.on('workerCreate', ({ id }) => this.#addWorker(piscina, id));
    // It is emitted before the worker leaves `threads`.
    piscina.on('workerDestroy', () => queueMicrotask(() => this.#checkWorkers(piscina)));
    // Tasks of a worker are rejected by its end; an idle worker needs no handling.
    piscina.on('error', () => {});
    this.#piscina = piscina;
  }

  #addWorker(piscina: Piscina, id: number): void {
    const thread = piscina.threads.find(({ threadId }) => threadId === id);
    if (thread === undefined || this.#workers.has(id)) return;
    const { port1: control, port2: workerPort } = new MessageChannel();
    const worker: PoolWorker = {
      thread,
      control,
      workerPort,
      app: this.#replaced.shift(),
      tasks: new Map(),
      lastUsed: 0,
      reloaded: [],
      end: new AbortController(),
      termination: undefined,
      onClosed: () => {},
    };
    this.#workers.set(id, worker);
    control.on('message', (message: WorkerMessage) => this.#receive(worker, message));
    control.unref();
    thread.once('exit', () => this.#removeWorker(id, worker));
    this.#place();
  }

  #removeWorker(id: number, worker: PoolWorker): void {
    if (this.#workers.get(id) === worker) this.#workers.delete(id);
    worker.control.close();
    worker.onClosed();
    worker.end.abort(worker.termination);
  }

  /** Piscina does not replace workers that end while they start: then it has none, and the next run begins with another one. */
  #checkWorkers(piscina: Piscina): void {
    if (this.#isClosed || this.#piscina !== piscina || piscina.threads.length > 0) return;
    this.#piscina = undefined;
    this.#starting = undefined;
    this.#replaced.length = 0;
    this.#rejectWaiting(
      new EngineError('WORKER_TERMINATED', 'The workers of the engine pool end when they start.'),
    );
  }

  #rejectWaiting(error: EngineError): void {
    const waiting = [...this.#queues.values()].flat();
    this.#queues.clear();
    for (const { reject } of waiting) reject(error);
  }

  #enqueue(running: RunningTask, isFirst = false): void {
    const { app } = running.task;
    const queue = this.#queues.get(app) ?? [];
    this.#queues.set(app, queue);
    if (isFirst) queue.unshift(running);
    else queue.push(running);
  }

  #dequeue(running: RunningTask): void {
    const { app } = running.task;
    const rest = this.#queues.get(app)?.filter((other) => other !== running) ?? [];
    if (rest.length === 0) this.#queues.delete(app);
    else this.#queues.set(app, rest);
  }

  /** Gives waiting tasks to workers: the app that has waited longest comes first. */
  #place(): void {
    if (this.#piscina === undefined) return;
    const apps = [...this.#queues].sort(([, [first]], [, [second]]) => (first?.id ?? 0) - (second?.id ?? 0));
    // While an app waits for a worker the others start nothing beside their running tasks, or it would wait for ever.
    let mayJoin = true;
    for (const [app, queue] of apps) {
      for (let next = queue[0]; next !== undefined; next = queue[0]) {
        const worker = this.#findWorker(app, mayJoin);
        if (worker === undefined) {
          if (this.#countHeld(app) === 0 && this.#workers.size === this.#options.threads) mayJoin = false;
          break;
        }
        queue.shift();
        this.#post(next, worker, this.#piscina);
      }
      if (queue.length === 0) this.#queues.delete(app);
    }
  }

  /** Workers that run tasks of an app, or replace one that did. */
  #countHeld(app: string): number {
    const busy = [...this.#workers.values()].filter((worker) => worker.app === app && worker.tasks.size > 0);
    return busy.length + this.#replaced.filter((name) => name === app).length;
  }

  /** An idle worker as long as the app may hold one more, at best one that has loaded it; else one that runs its tasks. */
  #findWorker(app: string, mayJoin: boolean): PoolWorker | undefined {
    const workers = [...this.#workers.values()];
    const { threads, tasksPerWorker } = this.#options;
    if (this.#countHeld(app) < Math.max(1, threads - 1)) {
      const idle = workers.filter(({ tasks }) => tasks.size === 0).sort((a, b) => a.lastUsed - b.lastUsed);
      const free = idle.find((worker) => worker.app === app) ?? idle[0];
      if (free !== undefined) return free;
      // One that is starting will do.
      if (this.#workers.size < threads) return undefined;
    }
    if (!mayJoin) return undefined;
    const own = workers.filter((worker) => worker.app === app && worker.tasks.size < tasksPerWorker);
    return own.sort((a, b) => a.tasks.size - b.tasks.size)[0];
  }

  #post(running: RunningTask, worker: PoolWorker, piscina: Piscina): void {
    const { id, task } = running;
    const control = worker.workerPort;
    worker.workerPort = undefined;
    worker.app = task.app;
    worker.lastUsed = ++this.#lastUse;
    worker.tasks.set(id, running);
    running.worker = worker;
    running.hasStarted = false;
    this.#restartDeadline(running);
    const { module, name, input } = task;
    const reloaded = worker.reloaded.splice(0);
    const posted: PostedTask = { id, control, module: module && String(module), name, input, reloaded };
    this.#target = worker;
    // Results come as messages: piscina would end a worker whose result cannot be cloned.
    piscina.run(posted, { transferList: control === undefined ? [] : [control] }).catch((thrown: unknown) => {
      if (control !== undefined && isCloneError(thrown)) worker.workerPort = control;
      this.#fail(running, worker, thrown);
    });
  }

  #settle(running: RunningTask, worker: PoolWorker, result: TaskResult): void {
    leaveWorker(running, worker);
    if (result.ok) running.resolve(restoreErrors(result.value));
    else running.reject(restoreError(result.error));
    this.#place();
  }

  /** The task cannot be posted, or its worker has ended. */
  #fail(running: RunningTask, worker: PoolWorker, thrown: unknown): void {
    if (running.worker !== worker) return;
    leaveWorker(running, worker);
    const { task, reject } = running;
    if (isCloneError(thrown)) reject(notPlain(`The input of ${task.name}`, thrown));
    else if (task.signal?.aborted) reject(task.signal.reason);
    else if (this.#mayRepeat(running, worker)) this.#enqueue(running, true);
    else reject(worker.termination ?? describeEnd(task.label ?? task.app, thrown));
    this.#place();
  }

  /** A task that has not started had no part in the end of its worker, unless its input is too much for any. */
  #mayRepeat(running: RunningTask, worker: PoolWorker): boolean {
    if (running.hasStarted || this.#isClosed || this.#piscina === undefined) return false;
    if (worker.termination === undefined) running.crashes++;
    return running.crashes < MAX_CRASHES;
  }

  #terminate(worker: PoolWorker, why: string): void {
    if (worker.termination !== undefined) return;
    worker.termination = terminated(nameApp(worker), why);
    if (worker.app !== undefined) this.#replaced.push(worker.app);
    this.#workers.delete(worker.thread.threadId);
    void worker.thread.terminate();
  }

  #restartDeadline(running: RunningTask): void {
    clearTimeout(running.deadline);
    const { timeoutMs = this.#options.timeoutMs } = running.task;
    running.deadline = setTimeout(() => {
      const { worker } = running;
      if (worker === undefined) return;
      const hasOthers = [...worker.tasks.values()].some(({ hasStarted }) => hasStarted);
      // Another task keeps the worker busy, which has a deadline, too.
      if (!running.hasStarted && hasOthers) this.#restartDeadline(running);
      else this.#terminate(worker, `a run took longer than ${timeoutMs} ms`);
    }, timeoutMs);
  }

  #abort(running: RunningTask): void {
    const { worker, task, id } = running;
    if (worker === undefined) {
      this.#dequeue(running);
      return running.reject(task.signal?.reason);
    }
    send(worker, { kind: 'abort', task: id, reason: carryError(task.signal?.reason) });
    running.grace = setTimeout(() => this.#terminate(worker, 'an aborted run did not end'), ABORT_GRACE_MS);
  }

  #receive(worker: PoolWorker, message: WorkerMessage): void {
    if (message.kind === 'closed') return worker.onClosed();
    if (message.kind === 'call') return void this.#answer(worker, message);
    const running = worker.tasks.get(message.task);
    if (running === undefined) return;
    if (message.kind === 'ended') return this.#settle(running, worker, message.result);
    running.hasStarted = true;
    this.#restartDeadline(running);
  }

  async #answer(worker: PoolWorker, message: Extract<WorkerMessage, { kind: 'call' }>): Promise<void> {
    const { call, task, name, values } = message;
    try {
      const value = await this.#findCall(worker, task, name)(values);
      send(worker, { kind: 'called', call, result: { ok: true, value } });
    } catch (thrown) {
      const error = isCloneError(thrown) ? notPlain(`The result of ${name}`, thrown) : thrown;
      send(worker, { kind: 'called', call, result: { ok: false, error: carryError(error) } });
    }
  }

  #findCall(
    worker: PoolWorker,
    task: number | undefined,
    name: string,
  ): (values: readonly unknown[]) => unknown {
    if (task === undefined) {
      if (name === 'bytes.hold') return ([id, bytes]) => this.#holdBytes(worker, Number(id), Number(bytes));
      const shared = this.#options.calls[name];
      if (shared !== undefined) return (values) => shared(values, worker.end.signal);
    } else {
      const calls = worker.tasks.get(task)?.task.calls;
      const own = calls !== undefined && Object.hasOwn(calls, name) ? calls[name] : undefined;
      if (own !== undefined) return (values) => own(...(values as never[])); // the caller knows its types
    }
    throw new EngineError('USAGE', `The task has no call "${name}".`);
  }

  async #holdBytes({ tasks }: PoolWorker, id: number, bytes: number): Promise<void> {
    if (!tasks.has(id)) return;
    await this.#bytes.hold(id, bytes);
    if (!tasks.has(id)) this.#bytes.release(id);
  }
}

/** Lets a worker close its engines. */
async function closeWorker(worker: PoolWorker): Promise<void> {
  // Without a first task it has none.
  if (worker.workerPort !== undefined) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CLOSE_GRACE_MS);
    worker.onClosed = () => {
      clearTimeout(timer);
      resolve();
    };
    send(worker, { kind: 'close' });
  });
}

function send(worker: PoolWorker, message: PoolMessage): void {
  worker.control.postMessage(message);
}

function closed(): EngineError {
  return new EngineError('USAGE', 'The engine pool is closed.');
}

function leaveWorker(running: RunningTask, worker: PoolWorker): void {
  clearTimeout(running.deadline);
  clearTimeout(running.grace);
  worker.tasks.delete(running.id);
  running.worker = undefined;
}

function describeEnd(app: string, thrown: unknown): EngineError {
  const isOutOfMemory = thrown instanceof Error && Reflect.get(thrown, 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
  return terminated(app, isOutOfMemory ? 'it ran out of memory' : 'it ended by itself', thrown);
}

function terminated(app: string | undefined, why: string, cause?: unknown): EngineError {
  const message = `The worker that ran the app "${app}" was terminated: ${why}.`;
  return new EngineError('WORKER_TERMINATED', message, { cause });
}

function nameApp({ app, tasks }: PoolWorker): string | undefined {
  const [running] = tasks.values();
  return running?.task.label ?? app;
}

function isCloneError(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'DataCloneError';
}

function notPlain(what: string, cause: unknown): EngineError {
  return new EngineError('USAGE', `${what} cannot be sent to another thread. Expected plain data.`, {
    cause,
  });
}
