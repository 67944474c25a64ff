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
import { isCloneable } from './find-uncloneable.js';

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
