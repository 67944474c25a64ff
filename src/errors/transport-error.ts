import type { ErrorCode } from './codes.js';
import { EngineError, type EngineErrorOptions } from './engine-error.js';

export interface TransportErrorOptions extends EngineErrorOptions {
  /** The errno name of the system (`ECONNREFUSED`), where there is one. */
  readonly errno?: string | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

/** An HTTP exchange that gave no response. */
export class TransportError extends EngineError {
  override readonly name = 'TransportError';
  readonly errno: string | undefined;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: TransportErrorOptions) {
    super(code, message, options);
    this.errno = options.errno;
    this.retryable = options.retryable;
  }
}
