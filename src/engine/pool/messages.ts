import type { MessagePort } from 'node:worker_threads';
import type { AppDefinition } from '../assembling/app-definition.js';

/** A task as it is posted to a worker. */
export interface PostedTask {
  readonly id: number;
  /** With the first task of a worker: the port for all messages. */
  readonly control: MessagePort | undefined;
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
  | { readonly kind: 'started' | 'restart-deadline'; readonly task: number }
  | { readonly kind: 'ended'; readonly task: number; readonly result: TaskResult }
  | {
      readonly kind: 'call';
      readonly call: number;
      /** The task that defines the function; undefined for one of the pool. */
      readonly task: number | undefined;
      readonly name: string;
      readonly values: readonly unknown[];
    }
  | { readonly kind: 'closed' };

/** From a pool to a worker. */
export type PoolMessage =
  | { readonly kind: 'abort'; readonly task: number; readonly reason: unknown }
  | { readonly kind: 'called'; readonly call: number; readonly result: TaskResult }
  | { readonly kind: 'close' };

/** Data for all workers of a pool. */
export interface PoolWorkerData {
  /** URL of the module with the options of engines. */
  readonly setup: string | undefined;
  readonly setupData: unknown;
  readonly maxApps: number;
  readonly hasConnections: boolean;
}
