import type { ErrorCode } from './codes.js';
import { EngineError } from './engine-error.js';
import { codeFrame, type Position, positionAt, type SourceLocation } from './source-location.js';

/** What kind of mistake an expression holds, in the words of the conformance vectors. */
export type ImlErrorKind = 'syntax' | 'unknown-function' | 'function-error' | 'type' | 'limit';

/** What an error of the language knows: its kind, and where in which template it stands. Only `kind` is required. */
export interface ImlErrorOptions {
  readonly kind: ImlErrorKind;
  /** The template the error is in. */
  readonly source?: string | undefined;
  /** 0-based UTF-16 offset into `source`. */
  readonly offset?: number | undefined;
  readonly cause?: unknown;
  readonly place?: SourceLocation | undefined;
}

/** An error of the language: a template that does not parse, or one that fails while it is evaluated. */
export class ImlError extends EngineError {
  readonly kind: ImlErrorKind;
  source: string | undefined;
  offset: number | undefined;
  /** What to write instead, where that is clear. Kept apart because the message has the platform's own words. */
  hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: ImlErrorOptions) {
    super(code, message, options);
    this.name = 'ImlError';
    this.kind = options.kind;
    this.source = options.source;
    this.offset = options.offset;
  }

  /** Line and column inside the template, both 1-based. */
  get position(): Position | undefined {
    if (this.source === undefined || this.offset === undefined) return undefined;
    return positionAt(this.source, this.offset);
  }

  /** The message with the failing line of the template and a caret under the place. */
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
 * The error of a built-in function that cannot use a value.
 * The call that runs it adds the place and puts `Function 'name' finished with error!` in front.
 */
export function functionError(message: string, cause?: unknown): ImlError {
  return new ImlError('IML_FUNCTION', message, { kind: 'function-error', cause });
}

/** The error of an expression that would need more time, memory or depth than it may have. */
export function limitError(message: string): ImlError {
  return new ImlError('IML_LIMIT', message, { kind: 'limit' });
}
