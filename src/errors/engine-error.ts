import type { ErrorCode } from './codes.js';
import type { Place } from './place.js';

/** What an error knows besides its code and message: the first cause, and the place in the app. Default: neither. */
export interface EngineErrorOptions {
  /** What went wrong first, kept for whoever debugs; never printed. */
  readonly cause?: unknown;
  readonly place?: Place | undefined;
}

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
