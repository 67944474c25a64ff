import type { ErrorCode } from './codes.js';
import { EngineError } from './engine-error.js';
import { codeFrame, type Position, positionAt, type SourceLocation } from './source-location.js';

/** Kind of a language error, as the conformance vectors name it. */
export type ImlErrorKind = 'syntax' | 'unknown-function' | 'function-error' | 'type' | 'limit';

/** Options of `ImlError`. Only `kind` is required. */
export interface ImlErrorOptions {
  readonly kind: ImlErrorKind;
  /** The template that contains the error. */
  readonly source?: string | undefined;
  /** 0-based UTF-16 offset into `source`. */
  readonly offset?: number | undefined;
  readonly cause?: unknown;
  readonly place?: SourceLocation | undefined;
}

/** A language error: a template that does not parse, or an expression whose evaluation failed. */
export class ImlError extends EngineError {
  readonly kind: ImlErrorKind;
  source: string | undefined;
  offset: number | undefined;
  /** A suggested fix, if known. Separate from the message, which repeats the platform's wording. */
  hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: ImlErrorOptions) {
    super(code, message, options);
    this.name = 'ImlError';
    this.kind = options.kind;
    this.source = options.source;
    this.offset = options.offset;
  }

  /** Line and column inside the template, 1-based. */
  get position(): Position | undefined {
    if (this.source === undefined || this.offset === undefined) return undefined;
    return positionAt(this.source, this.offset);
  }

  /** The message, followed by the failing line of the template with a caret. */
  print(): string {
    const text = this.hint === undefined ? this.message : `${this.message} ${this.hint}`;
    if (this.source === undefined || this.offset === undefined) return text;
    return `${text}\n\n${codeFrame(this.source, this.offset)}`;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), kind: this.kind, ...(this.hint && { hint: this.hint }), ...this.position };
  }
}

/**
 * Creates the error of a built-in function that cannot use a value. The caller adds the location and the prefix
 * `Function 'name' finished with error!`.
 */
export function functionError(message: string, cause?: unknown): ImlError {
  return new ImlError('IML_FUNCTION', message, { kind: 'function-error', cause });
}

/** Creates the error of an expression that exceeds its limit of time, memory or depth. */
export function limitError(message: string): ImlError {
  return new ImlError('IML_LIMIT', message, { kind: 'limit' });
}
