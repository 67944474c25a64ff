/** Entry of worker threads; see `worker` of `createEnginePool`. */

import { type MessagePort, workerData } from 'node:worker_threads';
import { EngineError } from '../../shared/errors/engine-error.js';
import { withByteReservation } from '../http/undici-transport.js';
import {
  carryError,
  carryErrors,
  type PoolMessage,
  type PoolWorkerData,
  type PostedTask,
  restoreError,
  type TaskResult,
  toLocalSource,
  type WorkerContext,
  type WorkerFunction,
  type WorkerMessage,
} from './messages.js';
import { callEngine, streamModule } from './run-on-engine.js';
import {
  connectionsOfPool,
  createWorkerEngines,
  type LentEngine,
  type WorkerEngines,
} from './worker-engines.js';

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Functions of the pool itself. */
const OWN: Record<string, unknown> = { callEngine, streamModule };

let control: MessagePort | undefined;
let engines: WorkerEngines | undefined;
/** Abort reasons of tasks that have not arrived or have ended. */
const early = new Map<number, unknown>();
const MAX_EARLY = 100;
const tasks = new Map<number, AbortController>();
const pending = new Map<number, PendingCall>();
let lastCall = 0;

/** Runs one task: piscina calls it. */
export async function runTask(posted: PostedTask): Promise<void> {
  if (posted.control !== undefined) listen(posted.control);
  const { id, module, name, input, reloaded } = posted;
  send({ kind: 'started', task: id });
  const controller = new AbortController();
  tasks.set(id, controller);
  if (early.has(id)) controller.abort(early.get(id));
  early.delete(id);
  engines ??= createWorkerEngines(workerData as PoolWorkerData, (callName, values) =>
    call(undefined, callName, values),
  );
  const { acquire, release } = engines;
  for (const app of reloaded) engines.forget(app);
  const lent: LentEngine[] = [];
  const context: WorkerContext = {
    signal: controller.signal,
    engine: (app) => {
      const acquired = acquire(app);
      lent.push(acquired);
      return acquired.opening;
    },
    connections: (app) =>
      connectionsOfPool(toLocalSource(app), (callName, values) => call(undefined, callName, values)),
    call: (callName, ...values) => call(id, callName, values),
    restartDeadline: () => send({ kind: 'restart-deadline', task: id }),
  };
  try {
    const work = await findFunction(module, name);
    const hold = async (bytes: number): Promise<void> =>
      void (await call(undefined, 'bytes.hold', [id, bytes]));
    const value = carryErrors(await withByteReservation(hold, () => work(input as never, context)));
    send({ kind: 'ended', task: id, result: { ok: true, value } });
  } catch (thrown) {
    const isUnsendable = thrown instanceof DOMException && thrown.name === 'DataCloneError';
    const message = `The output of ${name} cannot be sent to another thread. Expected plain data.`;
    const error = isUnsendable ? new EngineError('USAGE', message, { cause: thrown }) : thrown;
    send({ kind: 'ended', task: id, result: { ok: false, error: carryError(error) } });
  } finally {
    tasks.delete(id);
    for (const acquired of lent) release(acquired);
  }
}

async function findFunction(module: string | undefined, name: string): Promise<WorkerFunction> {
  const exports: Record<string, unknown> = module === undefined ? OWN : await import(module);
  const work = exports[name];
  if (typeof work === 'function') return work as WorkerFunction;
  throw new EngineError('USAGE', `The module of a task exports no function "${name}".`);
}

function listen(port: MessagePort): void {
  control = port;
  port.on('message', (message: PoolMessage) => {
    switch (message.kind) {
      case 'abort':
        return abort(message.task, restoreError(message.reason));
      case 'called':
        return settle(message.call, message.result);
      case 'close':
        return void close();
    }
  });
  port.unref();
}

function abort(task: number, reason: unknown): void {
  const controller = tasks.get(task);
  if (controller !== undefined) return controller.abort(reason);
  // The message comes through another port and may be late.
  early.set(task, reason);
  if (early.size > MAX_EARLY) early.delete(early.keys().next().value ?? task);
}

function settle(callId: number, result: TaskResult): void {
  const waiting = pending.get(callId);
  pending.delete(callId);
  if (result.ok) waiting?.resolve(result.value);
  else waiting?.reject(restoreError(result.error));
}

function call(task: number | undefined, name: string, values: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const callId = ++lastCall;
    pending.set(callId, { resolve, reject });
    try {
      send({ kind: 'call', call: callId, task, name, values });
    } catch (error) {
      pending.delete(callId);
      reject(error);
    }
  });
}

function send(message: WorkerMessage): void {
  control?.postMessage(message);
}

async function close(): Promise<void> {
  await engines?.close();
  send({ kind: 'closed' });
}
