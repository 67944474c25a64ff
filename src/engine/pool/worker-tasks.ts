import type { MessagePort } from 'node:worker_threads';
import { waitFor } from '../../shared/concurrency.js';
import { EngineError, isEngineError } from '../../shared/errors/engine-error.js';
import { ImlError } from '../../shared/errors/iml-error.js';
import type { Engine } from '../create-engine.js';
import { UNCOUNTED_BYTES, withByteReservation } from '../http/undici-transport.js';
import { carryError, carryErrors, restoreError } from './carry-errors.js';
import { isCloneError, notPlain } from './find-uncloneable.js';
import {
  type AppSource,
  type PoolMessage,
  type PoolWorkerData,
  type PostedTask,
  type TaskResult,
  toLocalSource,
  type WorkerContext,
  type WorkerFunction,
  type WorkerMessage,
} from './messages.js';
import { callEngine, streamModule } from './run-on-engine.js';
import { withTaskSpans } from './task-spans.js';
import { weighValue } from './weigh-value.js';
import {
  connectionsOfPool,
  createWorkerEngines,
  type LentEngine,
  type WorkerEngines,
} from './worker-engines.js';

/** Functions of the pool itself. */
const OWN: Record<string, unknown> = { callEngine, streamModule };

/** Serves a pool: loads what any app needs, then runs tasks. */
export async function startWorker(port: MessagePort, data: PoolWorkerData): Promise<void> {
  const tasks = new WorkerTasks(port, data);
  await warmUp();
  // Messages that came before wait in the port.
  port.on('message', (message: PoolMessage) => tasks.receive(message));
  tasks.send({ kind: 'ready' });
}

/**
 * Loads the modules and the WebAssembly of custom functions. A run that loaded them first would take a tenth of a second longer, and
 * a thread that is terminated while it reads a file leaves the file open.
 */
async function warmUp(): Promise<void> {
  const [, , { loadQuickJs }] = await Promise.all([
    import('../custom-functions.js'),
    import('../sandbox/create-sandbox.js'),
    import('../sandbox/quickjs-code.js'),
    import('../loading/read-app.js'),
    import('../component/check-parameters.js'),
    import('../webhook/compile-webhook.js'),
    import('../webhook/process-webhook.js'),
  ]);
  // A bundle has no file of it: the first engine with custom functions reports that, or has the option `quickJsWasm`.
  await loadQuickJs().catch(() => {});
}

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** The tasks of a worker. */
class WorkerTasks {
  readonly #port: MessagePort;
  readonly #data: PoolWorkerData;
  readonly #engines: WorkerEngines;
  /** By the ids of tasks. */
  readonly #running = new Map<number, AbortController>();
  readonly #calls = new Map<number, PendingCall>();
  #lastCall = 0;

  constructor(port: MessagePort, data: PoolWorkerData) {
    this.#port = port;
    this.#data = data;
    this.#engines = createWorkerEngines(
      data,
      (name, values) => this.#call(undefined, name, values),
      (app) => this.send({ kind: 'evicted', app }),
    );
  }

  send(message: WorkerMessage): void {
    this.#port.postMessage(message);
  }

  receive(message: PoolMessage): void {
    switch (message.kind) {
      case 'task':
        return void this.#run(message.task);
      case 'abort':
        return this.#running.get(message.task)?.abort(restoreError(message.reason));
      case 'called':
        return this.#settle(message.call, message.result);
      case 'ping':
        return this.send({ kind: 'pong' });
      case 'close':
        return void this.#engines.close().finally(() => this.send({ kind: 'closed' }));
    }
  }

  async #run({ id, module, name, input, reloaded }: PostedTask): Promise<void> {
    for (const app of reloaded) this.#engines.forget(app);
    const controller = new AbortController();
    this.#running.set(id, controller);
    const lent: LentEngine[] = [];
    const progress = this.#reportProgress(id);
    const context = this.#createContext(id, controller.signal, { lent, progress });
    try {
      const work = await findFunction(module, name);
      // A function of the pool itself opens its engine first.
      if (module !== undefined) progress('running');
      const hold = (bytes: number): Promise<void> => this.#hold(id, bytes);
      const call = (): Promise<unknown> => withTaskSpans(context, () => work(input as never, context));
      const value = carryErrors(await withByteReservation(hold, call));
      await this.#admit(id, value);
      this.#end(id, name, { ok: true, value });
    } catch (thrown) {
      this.#end(id, name, { ok: false, error: carryError(thrown) });
    } finally {
      this.#running.delete(id);
      for (const acquired of lent) this.#engines.release(acquired);
    }
  }

  #createContext(
    id: number,
    signal: AbortSignal,
    { lent, progress }: { readonly lent: LentEngine[]; readonly progress: Progress },
  ): WorkerContext {
    return {
      signal,
      engine: (app) => {
        const acquired = this.#engines.acquire(app);
        lent.push(acquired);
        return openEngine(acquired, signal, progress);
      },
      connections: (app: AppSource) =>
        connectionsOfPool(toLocalSource(app), (name, values) => this.#call(undefined, name, values)),
      call: async (name, ...values) => {
        await this.#admit(id, values);
        return this.#call(id, name, values);
      },
      restartDeadline: () => this.send({ kind: 'running', task: id }),
    };
  }

  /** Reports whether a task loads or runs, when that changes. */
  #reportProgress(task: number): Progress {
    let last: 'loading' | 'running' = 'loading';
    return (kind) => {
      if (kind !== last) this.send({ kind, task });
      last = kind;
    };
  }

  #end(task: number, name: string, result: TaskResult): void {
    try {
      this.send({ kind: 'ended', task, result });
    } catch (thrown) {
      if (!isCloneError(thrown)) throw thrown;
      const value = result.ok ? result.value : undefined;
      const error = carryError(notPlain(`The output of ${name}`, value, thrown));
      this.send({ kind: 'ended', task, result: { ok: false, error } });
    }
  }

  /**
   * Waits until the main thread has room for a value.
   *
   * @throws ImlError (IML_LIMIT) if it is too large for any
   */
  async #admit(task: number, value: unknown): Promise<void> {
    const { maxResultBytes } = this.#data;
    const bytes = weighValue(value, maxResultBytes);
    if (bytes > maxResultBytes) {
      const message = `The run gives more than ${maxResultBytes} bytes ("maxResultBytes" of the pool). A text counts as often as it occurs.`;
      throw new ImlError('IML_LIMIT', message, { kind: 'limit' });
    }
    if (bytes > UNCOUNTED_BYTES) await this.#hold(task, bytes);
  }

  async #hold(task: number, bytes: number): Promise<void> {
    await this.#call(undefined, 'bytes.hold', [task, bytes]);
  }

  #call(task: number | undefined, name: string, values: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = ++this.#lastCall;
      this.#calls.set(call, { resolve, reject });
      try {
        this.send({ kind: 'call', call, task, name, values });
      } catch (error) {
        this.#calls.delete(call);
        reject(isCloneError(error) ? notPlain(`The input of the call "${name}"`, values, error) : error);
      }
    });
  }

  #settle(call: number, result: TaskResult): void {
    const waiting = this.#calls.get(call);
    this.#calls.delete(call);
    if (result.ok) waiting?.resolve(result.value);
    else waiting?.reject(restoreError(result.error));
  }
}

type Progress = (kind: 'loading' | 'running') => void;

/** Waits for an engine. The time for loading it has a deadline of its own. */
async function openEngine(
  { opening, isOpen }: LentEngine,
  signal: AbortSignal,
  progress: Progress,
): Promise<Engine> {
  if (!isOpen) progress('loading');
  try {
    const engine = await waitFor(opening, signal);
    progress('running');
    return engine;
  } catch (error) {
    // Loading passed its deadline: the pool terminates the worker, as the next task would wait for the same.
    if (signal.aborted && isDeadline(signal.reason)) await opening;
    throw error;
  }
}

function isDeadline(reason: unknown): boolean {
  return isEngineError(reason) && reason.code === 'WORKER_TERMINATED';
}

async function findFunction(module: string | undefined, name: string): Promise<WorkerFunction> {
  const exports: Record<string, unknown> = module === undefined ? OWN : await import(module);
  const work = exports[name];
  if (typeof work === 'function') return work as WorkerFunction;
  throw new EngineError('USAGE', `The module of a task exports no function "${name}".`);
}
