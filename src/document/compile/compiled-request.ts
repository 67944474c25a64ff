import type { FunctionTable } from '../../iml/environment/environment.js';
import type { Document } from '../reading/document.js';
import type { Directive } from './compile-directive.js';

/** One request of a communication, merged with the base and ready to run. Field names are the directives'. */
export interface CompiledRequest {
  /** The merged spec; directives' pointers lead into it. */
  readonly document: Document;
  /** What its expressions can call. */
  readonly functions: FunctionTable;
  /** No `url`: nothing is sent. */
  readonly isStatic: boolean;
  readonly temp: Directive | undefined;
  readonly condition: CompiledCondition | undefined;
  readonly url: Directive | undefined;
  readonly baseUrl: Directive | undefined;
  readonly method: Directive | undefined;
  readonly encodeUrl: Directive | undefined;
  /** Weakest first: what is inherited from the base, then the request's own. */
  readonly headers: readonly Directive[];
  readonly inheritedQs: Directive | undefined;
  readonly qs: Directive | undefined;
  readonly body: Directive | undefined;
  readonly type: Directive | undefined;
  readonly ca: Directive | undefined;
  readonly gzip: Directive | undefined;
  readonly followRedirects: Directive | undefined;
  readonly followAllRedirects: Directive | undefined;
  readonly aws: Directive | undefined;
  readonly oauth: Directive | undefined;
  readonly endpoint: CompiledEndpointCall | undefined;
  /** Why the request cannot be sent here; undefined if it can. */
  readonly refusal: RequestRefusal | undefined;
  readonly repeat: CompiledRepeat | undefined;
  readonly sanitize: readonly CompiledSanitize[];
  readonly response: CompiledResponse;
  readonly pagination: CompiledPagination | undefined;
}

/** Why a request cannot be sent, as it is written. */
export interface RequestRefusal {
  readonly message: string;
  readonly pointer: string;
}

/** One path of `log.sanitize`. */
export interface CompiledSanitize {
  /** Without the expression in angle brackets. */
  readonly path: string;
  /** Of `request.body<expression>`: its value is what is hidden. */
  readonly expression: Directive | undefined;
}

/** `condition`, or `{condition, default}`. */
export interface CompiledCondition {
  readonly test: Directive | undefined;
  readonly default: Directive | undefined;
}

/** A call of a sibling endpoint instead of HTTP. */
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
  readonly error: CompiledError | undefined;
  /** `error` beside `url`; that of the response comes first. */
  readonly outerError: CompiledError | undefined;
  /** Of an endpoint: false keeps a list of one as a list. */
  readonly unwrap: Directive | undefined;
  readonly iterate: CompiledIterate | undefined;
  readonly output: Directive | undefined;
  readonly wrapper: Directive | undefined;
  readonly limit: Directive | undefined;
  readonly trigger: CompiledTrigger | undefined;
  /** Of connections, attach and update. */
  readonly data: Directive | undefined;
  readonly metadata: Directive | undefined;
  readonly uid: Directive | undefined;
  readonly expires: Directive | undefined;
}

export interface CompiledValid {
  readonly condition: Directive | undefined;
  readonly message: Directive | undefined;
  readonly type: Directive | undefined;
  readonly pointer: string;
}

export interface CompiledError extends ErrorEntry {
  /** Entries by status text, `404`. */
  readonly entries: ReadonlyMap<string, ErrorEntry>;
}

export interface ErrorEntry {
  /** An entry written as text is its message. */
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
