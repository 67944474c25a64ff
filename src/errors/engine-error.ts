import type { ErrorCode } from './codes.js';
import type { Place } from './place.js';

/** What an error knows besides its code and message: the first cause, and the place in the app. Default: neither. */
export interface EngineErrorOptions {
  /** What went wrong first, kept for whoever debugs; never printed. */
  readonly cause?: unknown;
  readonly place?: Place | undefined;
}

/** Errors this package has made: to look one up runs nothing of what was thrown. */
const OURS = new WeakSet<object>();

/** The root of every error this package throws on purpose. */
export class EngineError extends Error {
  readonly code: ErrorCode;
  /** Where in the app the failing piece is written, as far as it is known. */
  place: Place | undefined;

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
export function isOurs(thrown: unknown): thrown is EngineError;
export function isOurs<E extends EngineError>(thrown: unknown, kind: ErrorClass<E>): thrown is E;
export function isOurs(thrown: unknown, kind: ErrorClass<EngineError> = EngineError): boolean {
  return typeof thrown === 'object' && thrown !== null && OURS.has(thrown) && thrown instanceof kind;
}
