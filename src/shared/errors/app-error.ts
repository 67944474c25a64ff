import type { ErrorCode } from './codes.js';
import { EngineError } from './engine-error.js';
import type { SourceLocation } from './source-location.js';

/**
 * Error types of a module. A scenario reacts according to the type.
 * Source: https://help.make.com/types-of-errors, https://github.com/integromat/imt-proto.
 */
export const APP_ERROR_TYPES = [
  'RuntimeError',
  'UnknownError',
  'DataError',
  'DuplicateDataError',
  'InconsistencyError',
  'RateLimitError',
  'OutOfSpaceError',
  'ConnectionError',
  'InvalidConfigurationError',
  'InvalidAccessTokenError',
  'UnexpectedError',
  'MaxResultsExceededError',
  'MaxFileSizeExceededError',
  'IncompleteDataError',
  'ModuleTimeoutError',
  'ScenarioTimeoutError',
  'OperationsLimitExceededError',
  'DataSizeLimitExceededError',
  'ExecutionInterruptedError',
  'AccountValidationError',
  'BundleValidationError',
  'Warning',
] as const;

/** An error type of the platform, as written in `error.type`. */
export type AppErrorType = (typeof APP_ERROR_TYPES)[number];

/** How long a scenario pauses after a RateLimitError without a delay of its own: 20 minutes. */
export const RATE_LIMIT_DELAY_MS: number = 20 * 60 * 1000;

/** The failed request of a run, with secrets redacted. */
export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  /** Undefined if no response arrived. */
  readonly statusCode?: number | undefined;
  /** The first 200 characters of the response body. */
  readonly body?: string | undefined;
  /** Location of the request in the component. The error handler is often in the base. */
  readonly place: SourceLocation | undefined;
}

/** Options of `AppError`. */
export interface AppErrorOptions {
  /** HTTP status that caused the error. */
  readonly statusCode?: number | undefined;
  /** Index of the request in its chain: 0 for the first request. */
  readonly requestIndex?: number | undefined;
  /** Number of the page, counted like `pagination.page`: 1 for the first page. */
  readonly page?: number | undefined;
  /** Location of the directive that caused the error, or of the failed request. */
  readonly place?: SourceLocation | undefined;
  /** Milliseconds a scenario waits after the error. Set for RateLimitError and IncompleteDataError only. */
  readonly delay?: number | undefined;
  /** `Retry-After` of the response in milliseconds, counted from its arrival. */
  readonly retryAfterMs?: number | undefined;
  /** One message per invalid field. */
  readonly suberrors?: readonly string[] | undefined;
  /** Default: APP_ERROR. */
  readonly code?: ErrorCode | undefined;
  /** The failed request and the start of its response. */
  readonly request?: FailedRequest | undefined;
  readonly cause?: unknown;
}

const RETRYABLE: ReadonlySet<AppErrorType> = new Set([
  'RateLimitError',
  'ConnectionError',
  'ModuleTimeoutError',
]);

/**
 * An error that the platform shows to a user: reported by the app, derived from an HTTP status, or raised by a limit.
 */
export class AppError extends EngineError {
  readonly type: AppErrorType;
  readonly statusCode: number | undefined;
  readonly requestIndex: number | undefined;
  readonly page: number | undefined;
  readonly delay: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly suberrors: readonly string[] | undefined;
  readonly request: FailedRequest | undefined;

  constructor(type: AppErrorType, message: string, options: AppErrorOptions = {}) {
    super(options.code ?? 'APP_ERROR', message, options);
    this.name = type;
    this.type = type;
    this.statusCode = options.statusCode;
    this.requestIndex = options.requestIndex;
    this.page = options.page;
    this.delay = options.delay ?? (type === 'RateLimitError' ? RATE_LIMIT_DELAY_MS : undefined);
    this.retryAfterMs = options.retryAfterMs;
    this.suberrors = options.suberrors;
    this.request = options.request;
  }

  /** Whether the same run may succeed later without a change. */
  get retryable(): boolean {
    return RETRYABLE.has(this.type);
  }

  override toJSON(): Record<string, unknown> {
    const { type, statusCode, requestIndex, page, delay, retryAfterMs, suberrors, request, retryable } = this;
    const known = {
      type,
      statusCode,
      requestIndex,
      page,
      delay,
      retryAfterMs,
      suberrors,
      request,
      retryable,
    };
    const present = Object.entries(known).filter(([, value]) => value !== undefined);
    return { ...super.toJSON(), ...Object.fromEntries(present) };
  }
}
