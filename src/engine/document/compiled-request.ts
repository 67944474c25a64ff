import type { FunctionTable } from '../../language/environment.js';
import type { ErrorCode } from '../../shared/errors/codes.js';
import type { Directive } from './compile-directive.js';
import type { Document } from './document.js';

/** A request of a communication, merged with the base and compiled. Fields are named after their directives. */
export interface CompiledRequest {
  /** The merged spec. Directive pointers refer to it. */
  readonly document: Document;
  /** Functions its expressions can call. */
  readonly functions: FunctionTable;
  /** True without `url`: the request is not sent. */
  readonly isStatic: boolean;
  readonly temp: Directive | undefined;
  readonly condition: CompiledCondition | undefined;
  readonly url: Directive | undefined;
  readonly baseUrl: Directive | undefined;
  readonly method: Directive | undefined;
  readonly encodeUrl: Directive | undefined;
  /** Lowest precedence first: headers of the base, then of the request. */
  readonly headers: readonly Directive[];
  readonly inheritedQs: Directive | undefined;
  readonly qs: Directive | undefined;
  readonly body: Directive | undefined;
  readonly type: Directive | undefined;
  readonly ca: Directive | undefined;
  readonly gzip: Directive | undefined;
  readonly followRedirects: Directive | undefined;
  readonly followAllRedirects: Directive | undefined;
  /** The time limit of the run, that of the base included. */
  readonly timeout: Directive | undefined;
  readonly aws: Directive | undefined;
  readonly oauth: Directive | undefined;
  readonly endpoint: CompiledEndpointCall | undefined;
  /** Why the request cannot be sent; undefined if it can. */
  readonly refusal: RequestRefusal | undefined;
  readonly repeat: CompiledRepeat | undefined;
  readonly sanitize: readonly CompiledSanitize[];
  readonly response: CompiledResponse;
  readonly pagination: CompiledPagination | undefined;
}

/** A reason why a request cannot be sent. */
export interface RequestRefusal {
  readonly message: string;
  readonly pointer: string;
}

/** One entry of `log.sanitize`. */
export interface CompiledSanitize {
  /** The path without the expression in angle brackets. */
  readonly path: string;
  /** The expression of `request.body<expression>`; its value is redacted. */
  readonly expression: Directive | undefined;
}

/** `condition`, or `{condition, default}`. */
export interface CompiledCondition {
  readonly test: Directive | undefined;
  readonly default: Directive | undefined;
}

/** A call of an endpoint of the same app instead of HTTP. */
export interface CompiledEndpointCall {
  readonly name: Directive;
  readonly connection: Directive | undefined;
  readonly input: Directive | undefined;
}

export interface CompiledRepeat {
  readonly condition: Directive | undefined;
  readonly delay: Directive | undefined;
  readonly limit: Directive | undefined;
  /** Whether `limit` counts the first request. */
  readonly countsFirst: boolean;
  readonly pointer: string;
}

export interface CompiledResponse {
  readonly type: Directive | undefined;
  readonly temp: Directive | undefined;
  readonly valid: CompiledValid | undefined;
  /** Code of the error if the response is refused, except by the statuses 429 and 5xx. Default: HTTP_STATUS or APP_ERROR. */
  readonly refusalCode?: ErrorCode | undefined;
  readonly error: CompiledError | undefined;
  /** `error` beside `url`. `response.error` has precedence. */
  readonly outerError: CompiledError | undefined;
  /** Endpoints only: false keeps a list with one item as a list. */
  readonly unwrap: Directive | undefined;
  readonly iterate: CompiledIterate | undefined;
  readonly output: Directive | undefined;
  readonly wrapper: Directive | undefined;
  readonly limit: Directive | undefined;
  readonly trigger: CompiledTrigger | undefined;
  /** Connections, attach and update only. */
  readonly data: Directive | undefined;
  readonly metadata: Directive | undefined;
  readonly uid: Directive | undefined;
  readonly expires: Directive | undefined;
  /** Of `token`: the scopes that the API has granted. */
  readonly scope: Directive | undefined;
}

export interface CompiledValid {
  readonly condition: Directive | undefined;
  readonly message: Directive | undefined;
  readonly type: Directive | undefined;
  readonly pointer: string;
}

export interface CompiledError extends ErrorEntry {
  /** Entries by status, such as `404`. */
  readonly entries: ReadonlyMap<string, ErrorEntry>;
}

export interface ErrorEntry {
  /** An entry that is text is its message. */
  readonly message: Directive | undefined;
  readonly type: Directive | undefined;
  readonly pointer: string;
}

export interface CompiledIterate {
  readonly container: Directive;
  readonly condition: Directive | undefined;
}

export interface CompiledTrigger {
  readonly type: Directive | undefined;
  readonly order: Directive | undefined;
  readonly id: Directive | undefined;
  readonly date: Directive | undefined;
}

export interface CompiledPagination {
  readonly mergeWithParent: Directive | undefined;
  readonly url: Directive | undefined;
  readonly method: Directive | undefined;
  readonly headers: Directive | undefined;
  readonly qs: Directive | undefined;
  readonly body: Directive | undefined;
  readonly condition: Directive | undefined;
  readonly endpoint: Directive | undefined;
  readonly input: Directive | undefined;
  readonly pointer: string;
}
