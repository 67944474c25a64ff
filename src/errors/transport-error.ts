import type { ErrorCode } from './codes.js';
import { EngineError, type EngineErrorOptions } from './engine-error.js';

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
