import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import { AppError, type AppErrorType } from '../../shared/errors/app-error.js';
import type { ErrorCode } from '../../shared/errors/codes.js';
import {
  EngineError,
  SpecError,
  StoreError,
  TransportError,
  WebhookError,
} from '../../shared/errors/engine-error.js';
import { ImlError, type ImlErrorKind } from '../../shared/errors/iml-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject, setMember } from '../../shared/plain-object.js';
import type { ConnectionStore } from '../connection/connection-store.js';
import type { Engine } from '../create-engine.js';
import type { AppDefinition } from '../loading/define-app.js';

/** A task in the message to a worker. */
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
  /** The worker is terminated when a task takes longer. Default: `runTimeoutMs` of the pool. */
  readonly timeoutMs?: number | undefined;
  /** Aborts the task; its worker is terminated if the task does not end then. */
  readonly signal?: AbortSignal | undefined;
  readonly calls?: PoolCalls | undefined;
}

/** The pool as seen by a task. */
export interface WorkerContext {
  /** Aborted with the reason of the caller's signal. */
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

/** An error as data: structured cloning keeps neither the class nor the members of an error. A map, as no data of an app is one. */
type CarriedError = ReadonlyMap<'error', ErrorData>;

interface ErrorData {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly place: SourceLocation | undefined;
  readonly cause: unknown;
  /** Own members that are plain data. */
  readonly members: PlainObject;
}

const KINDS = { AppError, ImlError, SpecError, StoreError, TransportError, WebhookError, EngineError };

/** Maximum depth of causes. */
const MAX_CAUSES = 4;

/** Converts a thrown value to data that can be posted to another thread. */
export function carryError(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return isCloneable(thrown) ? thrown : String(thrown);
  const members: PlainObject = {};
  for (const [name, value] of Object.entries(thrown)) {
    if (name !== 'place' && name !== 'cause' && isCloneable(value)) setMember(members, name, value);
  }
  const kind = Object.entries(KINDS).find(([, type]) => thrown instanceof type)?.[0] ?? 'Error';
  const data: ErrorData = {
    kind: thrown instanceof DOMException ? 'DOMException' : kind,
    name: thrown.name,
    message: thrown.message,
    stack: thrown.stack,
    place: thrown instanceof EngineError ? thrown.place : undefined,
    cause: depth < MAX_CAUSES && thrown.cause !== undefined ? carryError(thrown.cause, depth + 1) : undefined,
    members,
  };
  return new Map([['error', data]]);
}

/** Restores an error of `carryError`. */
export function restoreError(carried: unknown): unknown {
  const data = isCarried(carried) ? carried.get('error') : undefined;
  if (data === undefined) return carried;
  const { kind, name, message, stack, cause, members } = data;
  if (kind === 'DOMException') return new DOMException(message, name);
  const error = createError(data, cause === undefined ? undefined : restoreError(cause));
  for (const [member, value] of Object.entries(members)) {
    if (Reflect.get(error, member) === undefined && value !== undefined) Reflect.set(error, member, value);
  }
  Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true });
  return error;
}

function createError({ kind, message, place, members }: ErrorData, cause: unknown): Error {
  const code = members['code'] as ErrorCode; // an EngineError has one
  const options = { ...members, place, cause };
  switch (kind) {
    case 'AppError':
      return new AppError(members['type'] as AppErrorType, message, options);
    case 'ImlError':
      return new ImlError(code, message, { kind: members['kind'] as ImlErrorKind, ...options });
    case 'TransportError':
      return new TransportError(code, message, options);
    case 'SpecError':
      return new SpecError(code, message, options);
    case 'StoreError':
      return new StoreError(code, message, options);
    case 'WebhookError':
      return new WebhookError(code, message, options);
    case 'EngineError':
      return new EngineError(code, message, options);
    default:
      return new Error(message, cause === undefined ? undefined : { cause });
  }
}

function isCarried(value: unknown): value is CarriedError {
  return value instanceof Map && value.has('error');
}

/** Maximum depth of errors in a result: `report.error`, `parameters.failures[0].error`. */
const MAX_ERROR_DEPTH = 4;

/** App data, which contains no errors and may be large. */
const DATA_MEMBERS: ReadonlySet<string> = new Set([
  'bundles',
  'result',
  'trace',
  'stored',
  'deliveries',
  'call',
]);

/** Replaces errors in a value by plain data. */
export function carryErrors(value: unknown): unknown {
  return mapErrors(value, (entry) => (entry instanceof Error ? carryError(entry) : entry), 0);
}

/** Restores the errors that `carryErrors` replaced. */
export function restoreErrors(value: unknown): unknown {
  return mapErrors(value, (entry) => (isCarried(entry) ? restoreError(entry) : entry), 0);
}

function mapErrors(value: unknown, replace: (value: unknown) => unknown, depth: number): unknown {
  const replaced = replace(value);
  if (replaced !== value || depth > MAX_ERROR_DEPTH) return replaced;
  if (Array.isArray(value)) return value.map((entry) => mapErrors(entry, replace, depth + 1));
  if (!isPlainObject(value)) return value;
  const members: PlainObject = {};
  for (const [name, member] of Object.entries(value)) {
    setMember(members, name, DATA_MEMBERS.has(name) ? member : mapErrors(member, replace, depth + 1));
  }
  return members;
}

function isCloneable(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null) return true;
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
