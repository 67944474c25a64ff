import type { ErrorCode } from './codes.js';
import { EngineError } from './engine-error.js';
import type { SourceLocation } from './source-location.js';

/**
 * The types an error of a module can have; they decide how a scenario reacts.
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
] as const;

/** One of the error types of the platform, as `error.type` names them. */
export type AppErrorType = (typeof APP_ERROR_TYPES)[number];

/** Suspension after a RateLimitError unless the error says otherwise: 20 minutes. */
export const RATE_LIMIT_DELAY_MS: number = 20 * 60 * 1000;

/** The request a run failed at, without secrets. */
export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  /** Undefined without a response. */
  readonly statusCode?: number | undefined;
  /** The first 200 characters of the response body. */
  readonly body?: string | undefined;
  /** Where the component writes the request; the error handler is often in the base. */
  readonly place: SourceLocation | undefined;
}

/** What an error of an app carries besides its type and message. */
export interface AppErrorOptions {
  /** HTTP status that caused the error. */
  readonly statusCode?: number | undefined;
  /** 0-based index of the request in its chain. */
  readonly requestIndex?: number | undefined;
  /** Page number the request asked for, 1 for the first. */
  readonly page?: number | undefined;
  /** The directive that decided the error, or the request that failed. */
  readonly place?: SourceLocation | undefined;
  /** Milliseconds a scenario waits after it; only RateLimitError and IncompleteDataError have one. */
  readonly delay?: number | undefined;
  /** `Retry-After` of the response in milliseconds from its arrival. */
  readonly retryAfterMs?: number | undefined;
  /** One error a field, where several fields are wrong. */
  readonly suberrors?: readonly string[] | undefined;
  /** Default: APP_ERROR. */
  readonly code?: ErrorCode | undefined;
  /** What was sent, and received. */
  readonly request?: FailedRequest | undefined;
  readonly cause?: unknown;
}

const RETRYABLE: ReadonlySet<AppErrorType> = new Set([
  'RateLimitError',
  'ConnectionError',
  'ModuleTimeoutError',
]);

/** An error the platform would show to a user: what an app reports, what a status means, or what a limit ends. */
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

  /** Whether the same run may succeed later without anybody changing anything. */
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
