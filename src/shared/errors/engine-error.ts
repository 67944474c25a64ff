import type { ErrorCode } from './codes.js';
import { formatLocation, type SourceLocation } from './source-location.js';

/** Options of `EngineError`. */
export interface EngineErrorOptions {
  /** The first cause, for debugging; never printed. */
  readonly cause?: unknown;
  readonly place?: SourceLocation | undefined;
}

/** All errors created by this package. A lookup runs no code of the thrown value. */
const ENGINE_ERRORS = new WeakSet<object>();

/** Base class of all errors this package throws on purpose. */
export class EngineError extends Error {
  readonly code: ErrorCode;
  /** Location in the app, as far as known. */
  place: SourceLocation | undefined;

  constructor(code: ErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngineError';
    this.code = code;
    this.place = options.place;
    ENGINE_ERRORS.add(this);
  }

  /** Fields that are safe to log, without cause and stack. */
  toJSON(): Record<string, unknown> {
    return {
      name: this.name,
      code: this.code,
      message: this.message,
      ...(this.place && { place: this.place }),
    };
  }
}

type ErrorClass<E extends EngineError> = abstract new (...args: never[]) => E;

/**
 * Whether a thrown value is an error of this package, optionally of one class. An embedder may throw a proxy with
 * throwing traps; `instanceof` alone would run them.
 */
export function isEngineError(thrown: unknown): thrown is EngineError;
export function isEngineError<E extends EngineError>(thrown: unknown, kind: ErrorClass<E>): thrown is E;
export function isEngineError(thrown: unknown, kind: ErrorClass<EngineError> = EngineError): boolean {
  return typeof thrown === 'object' && thrown !== null && ENGINE_ERRORS.has(thrown) && thrown instanceof kind;
}

/** The message without the location at its start, for a report that has the location of its own. */
export function messageWithoutPlace({ message, place }: EngineError): string {
  const written = [`${place?.file}:${place?.line}:${place?.column}`, formatLocation(place ?? {})];
  const prefix = written.map((text) => `${text}: `).find((text) => message.startsWith(text));
  if (prefix === undefined) return message;
  const [first = '', ...rest] = message.slice(prefix.length);
  return first.toUpperCase() + rest.join('');
}

/** A part of an app that cannot be read or has an invalid shape. `place` holds the location. */
export class SpecError extends EngineError {
  override readonly name = 'SpecError';
}

/**
 * A store failed: `STORE_CONFLICT` if a unique value exists already, `STORE_BUSY` if concurrent writers blocked the
 * transaction, `STORE_FAILED` otherwise (no connection, no disk, a missing driver).
 */
export class StoreError extends EngineError {
  override readonly name = 'StoreError';
}

/** A webhook failure that the app did not cause: an unreadable payload, or a hook that cannot be changed. */
export class WebhookError extends EngineError {
  override readonly name = 'WebhookError';
}

/** A run that cannot be recorded: a replay would differ, or the file would contain a secret. */
export class RecordingError extends EngineError {
  override readonly name = 'RecordingError';

  constructor(message: string, options: EngineErrorOptions = {}) {
    super('RECORDING_REFUSED', message, options);
  }
}

/** A test case file that cannot be run. `place` holds file, line, column and JSON pointer. */
export class CaseError extends EngineError {
  override readonly name = 'CaseError';

  constructor(message: string, options: EngineErrorOptions = {}) {
    super('CASE_INVALID', message, options);
  }
}

/** Options of `TransportError`. */
export interface TransportErrorOptions extends EngineErrorOptions {
  /** System error name (`ECONNREFUSED`), if any. */
  readonly errno?: string | undefined;
  /** Whether the same request may succeed later. Default: true for NETWORK_FAILED and NETWORK_TIMEOUT, else false. */
  readonly retryable?: boolean | undefined;
}

const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['NETWORK_FAILED', 'NETWORK_TIMEOUT']);

/**
 * An HTTP exchange without a response. A `Transport` rejects with this error.
 *
 * @example
 * throw new TransportError('NETWORK_FAILED', 'The proxy does not respond.');
 */
export class TransportError extends EngineError {
  override readonly name = 'TransportError';
  readonly errno: string | undefined;
  readonly retryable: boolean;
  /**
   * Name of the invalid query parameter, header or body field, if any. An expression may have produced the name, so it
   * may be a secret: code that converts it to a location has to clear it.
   */
  member: string | undefined;

  constructor(code: ErrorCode, message: string, options: TransportErrorOptions = {}) {
    super(code, message, options);
    this.errno = options.errno;
    this.retryable = options.retryable ?? TRANSIENT.has(code);
  }
}

/** Error of a request that cannot be built. A retry does not help. */
export function requestInvalid(message: string, cause?: unknown): TransportError {
  return new TransportError('REQUEST_INVALID', message, { retryable: false, cause });
}

/** One invalid field of a request. */
export interface RestSuberror {
  readonly message: string;
  readonly name: string;
}

export interface RestErrorOptions {
  /** HTTP status of the response. */
  readonly status: number;
  /** Error code of the REST API, such as `SC400` or `IM903`. */
  readonly apiCode: string;
  /** Second sentence of the error response. */
  readonly detail?: string | undefined;
  readonly suberrors?: readonly RestSuberror[] | undefined;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

/** A rejected request to the REST API. The server sends it as the response. */
export class RestError extends EngineError {
  override readonly name = 'RestError';
  readonly status: number;
  readonly apiCode: string;
  readonly detail: string | undefined;
  readonly suberrors: readonly RestSuberror[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: RestErrorOptions) {
    super(code, message, options);
    this.status = options.status;
    this.apiCode = options.apiCode;
    this.detail = options.detail;
    this.suberrors = options.suberrors;
    this.headers = options.headers ?? {};
  }

  override toJSON(): Record<string, unknown> {
    const { status, apiCode, detail, suberrors } = this;
    return { ...super.toJSON(), status, apiCode, ...(detail && { detail }), ...(suberrors && { suberrors }) };
  }
}
