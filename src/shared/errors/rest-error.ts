import type { ErrorCode } from './codes.js';
import { EngineError } from './engine-error.js';

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
