import type { ErrorCode } from './codes.js';
import type { SourceLocation } from './source-location.js';

/** What an error knows besides its code and message: the first cause, and the place in the app. Default: neither. */
export interface EngineErrorOptions {
  /** What went wrong first, kept for whoever debugs; never printed. */
  readonly cause?: unknown;
  readonly place?: SourceLocation | undefined;
}

/** Errors this package has made: to look one up runs nothing of what was thrown. */
const OURS = new WeakSet<object>();

/** The root of every error this package throws on purpose. */
export class EngineError extends Error {
  readonly code: ErrorCode;
  /** Where in the app the failing piece is written, as far as it is known. */
  place: SourceLocation | undefined;

  constructor(code: ErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngineError';
    this.code = code;
    this.place = options.place;
    OURS.add(this);
  }

  /** The fields that are safe to log: no cause, no stack. */
  toJSON(): Record<string, unknown> {
    return {
      name: this.name,
      code: this.code,
      message: this.message,
      ...(this.place && { place: this.place }),
    };
  }
}

/** A class of errors of this package. */
type ErrorClass<E extends EngineError> = abstract new (...args: never[]) => E;

/**
 * Whether something thrown is an error of this package, or one of a kind of them. What an embedder's value throws may be a proxy whose
 * traps throw in turn: `instanceof` would run them, and so would reading from a proxy of an error.
 */
export function isEngineError(thrown: unknown): thrown is EngineError;
export function isEngineError<E extends EngineError>(thrown: unknown, kind: ErrorClass<E>): thrown is E;
export function isEngineError(thrown: unknown, kind: ErrorClass<EngineError> = EngineError): boolean {
  return typeof thrown === 'object' && thrown !== null && OURS.has(thrown) && thrown instanceof kind;
}

/** A part of an app that cannot be read or has a shape that cannot be run. `place` says where. */
export class SpecError extends EngineError {
  override readonly name = 'SpecError';
}

/**
 * A store cannot do what it was asked: `STORE_CONFLICT` when a unique value is taken, `STORE_BUSY` when other writers
 * did not let it through, `STORE_FAILED` for the rest (no connection, no disk, a missing driver).
 */
export class StoreError extends EngineError {
  override readonly name = 'StoreError';
}

/** Something about a webhook that is no matter of its app: a payload nobody can read, a hook that cannot be changed. */
export class WebhookError extends EngineError {
  override readonly name = 'WebhookError';
}

/** A run that is not written down: it could not be played again, or a secret would stand in it. */
export class RecordingError extends EngineError {
  override readonly name = 'RecordingError';

  constructor(message: string, options: EngineErrorOptions = {}) {
    super('RECORDING_REFUSED', message, options);
  }
}

/** A file of a test case that cannot be run as it is written. `place` says where: file, line, column and JSON pointer. */
export class CaseError extends EngineError {
  override readonly name = 'CaseError';

  constructor(message: string, options: EngineErrorOptions = {}) {
    super('CASE_INVALID', message, options);
  }
}

/** What a failure of the network knows besides code, message, cause and place. */
export interface TransportErrorOptions extends EngineErrorOptions {
  /** The errno name of the system (`ECONNREFUSED`), where there is one. */
  readonly errno?: string | undefined;
  /** Whether the same request may succeed later. Default: true for NETWORK_FAILED and NETWORK_TIMEOUT, else false. */
  readonly retryable?: boolean | undefined;
}

const PASSING: ReadonlySet<ErrorCode> = new Set(['NETWORK_FAILED', 'NETWORK_TIMEOUT']);

/**
 * An HTTP exchange that gave no response: what a `Transport` rejects with.
 *
 * @example
 * throw new TransportError('NETWORK_FAILED', 'The proxy is gone.');
 */
export class TransportError extends EngineError {
  override readonly name = 'TransportError';
  readonly errno: string | undefined;
  readonly retryable: boolean;
  /**
   * Name of the query parameter, header or field of the body that is wrong, where it is one of them. An expression may
   * have given it, so it may be a secret: whoever turns it into a place takes it away.
   */
  member: string | undefined;

  constructor(code: ErrorCode, message: string, options: TransportErrorOptions = {}) {
    super(code, message, options);
    this.errno = options.errno;
    this.retryable = options.retryable ?? PASSING.has(code);
  }
}
