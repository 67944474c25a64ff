import type { ErrorCode } from './codes.js';
import { EngineError } from './engine-error.js';

/** One field of a request that is wrong. */
export interface RestSuberror {
  readonly message: string;
  readonly name: string;
}

export interface RestErrorOptions {
  /** HTTP status of the answer. */
  readonly status: number;
  /** The code the API answers with, such as `SC400` or `IM903`. */
  readonly apiCode: string;
  /** The sentence the API answers with beside the message. */
  readonly detail?: string | undefined;
  readonly suberrors?: readonly RestSuberror[] | undefined;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

/** A request to the REST API that is refused. It becomes the answer as it stands. */
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
