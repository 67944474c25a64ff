import { fileURLToPath } from 'node:url';
import type { ConnectionStore } from '../connection/connection-store.js';
import type { Engine } from '../create-engine.js';
import type { AppDefinition } from '../loading/define-app.js';

/** A task in the message to a worker. */
export interface PostedTask {
  readonly id: number;
  /** URL of the module that exports `name`; undefined for a function of the pool's own. */
  readonly module: string | undefined;
  readonly name: string;
  readonly input: unknown;
  /** Apps that have to be loaded again. */
  readonly reloaded: readonly (string | AppDefinition)[];
}

/** The result of a task. */
export type TaskResult =
  | { readonly ok: true; readonly value: unknown }
  /** Encoded by `carryError`. */
  | { readonly ok: false; readonly error: unknown };

/** From a worker to its pool. */
export type WorkerMessage =
  /** `ready`: it has loaded what it needs for any app. `pong`: its event loop is free. */
  | { readonly kind: 'ready' | 'pong' | 'closed' }
  /** The task loads an app, or runs (again) after that. Each message restarts its deadline. */
  | { readonly kind: 'loading' | 'running'; readonly task: number }
  | { readonly kind: 'ended'; readonly task: number; readonly result: TaskResult }
  /** The worker closed an app, because it may keep no more. */
  | { readonly kind: 'evicted'; readonly app: string }
  | {
      readonly kind: 'call';
      readonly call: number;
      /** The task that defines the function; undefined for one of the pool. */
      readonly task: number | undefined;
      readonly name: string;
      readonly values: readonly unknown[];
    };

/** From a pool to a worker. */
export type PoolMessage =
  | { readonly kind: 'task'; readonly task: PostedTask }
  | { readonly kind: 'abort'; readonly task: number; readonly reason: unknown }
  | { readonly kind: 'called'; readonly call: number; readonly result: TaskResult }
  | { readonly kind: 'ping' | 'close' };

/** Data for all workers of a pool. */
export interface PoolWorkerData {
  /** URL of the module with the options of engines. */
  readonly setup: string | undefined;
  readonly setupData: unknown;
  readonly maxApps: number;
  readonly hasConnections: boolean;
  readonly hasTracing: boolean;
  readonly runTimeoutMs: number;
  readonly maxResultBytes: number;
}

/**
 * The app: path or file URL of its folder, a definition of `defineApp`, or a name for the setup module. Plain data
 * only.
 */
export type AppSource = string | URL | AppDefinition;

/** Functions of the main thread that a task calls from its worker, with structured clones of arguments and results. */
export type PoolCalls = Readonly<Record<string, (...values: never[]) => unknown>>;

/** A function that runs in a worker: `module` exports it under `name` as a `WorkerFunction`. */
export interface PoolTask {
  /** URL of the module, as `new URL('./my-worker.js', import.meta.url)`. */
  readonly module: string | URL;
  readonly name: string;
  /** The app: a worker runs tasks of one app at a time. */
  readonly app: string;
  /** Structured clone. */
  readonly input: unknown;
  /**
   * Bytes that the task holds from the start, such as those of `input`: it waits while `maxBytesInFlight` are held. Up to
   * 256 kB do not count. Default: 0.
   */
  readonly bytes?: number | undefined;
  /** The task is aborted when it takes longer. Default: `runTimeoutMs` of the pool. */
  readonly timeoutMs?: number | undefined;
  /** Aborts the task; its worker is terminated if the task does not end then. */
  readonly signal?: AbortSignal | undefined;
  readonly calls?: PoolCalls | undefined;
}

/** The pool as seen by a task. */
export interface WorkerContext {
  /** Aborted with the reason of the caller's signal, or with the error of a deadline. */
  readonly signal: AbortSignal;
  /** The engine of an app, created at its first use; the least recently used one is closed when a worker holds too many. */
  readonly engine: (app: AppSource) => Promise<Engine>;
  /** The connections of an app: the store of the pool, which stays in the main thread. */
  readonly connections: (app: AppSource) => ConnectionStore;
  /** Calls a function of the task's `calls`. */
  readonly call: (name: string, ...values: readonly unknown[]) => Promise<unknown>;
  /** Restarts the deadline of the task, for tasks of several steps with separate deadlines. */
  readonly restartDeadline: () => void;
}

/**
 * The function of a task module. Input and output are cloned; errors of this package keep class, code and location.
 */
export type WorkerFunction<Input = never, Output = unknown> = (
  input: Input,
  context: WorkerContext,
) => Output | Promise<Output>;

/** The source as plain data. */
export function toLocalSource(source: AppSource): string | AppDefinition {
  if (source instanceof URL) return fileURLToPath(source);
  return typeof source === 'string' && source.startsWith('file:') ? fileURLToPath(source) : source;
}

/** Names an app in a pool: the same for equal sources. */
export function keyOf(app: string | AppDefinition): string {
  return typeof app === 'string' ? app : JSON.stringify(app);
}
