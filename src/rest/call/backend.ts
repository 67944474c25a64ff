import type { Clock } from '../../shared/clock.js';
import type { OperationAnswer } from './answers.js';
import type { ListPage } from './lists.js';
import type { Addresses, SubjectKind } from './operation.js';
import type { OpenOperationId, OperationId, OperationInputs } from './operation-inputs.js';

/** Names the organization, team or key that a request is about. */
export interface SubjectReference {
  readonly kind: SubjectKind;
  readonly id: number;
}

/** Credentials by which a backend identifies a caller. */
export interface IdentifyRequest {
  /** The token of the header `Authorization`. */
  readonly token: string;
  readonly operation: OperationId;
  /** The subject, if the path or the query names it: a backend can read it together with the caller. */
  readonly subject: SubjectReference | undefined;
}

/** The caller of a request. */
export interface BackendCaller<C = undefined> {
  readonly userId: number;
  /** Scopes that start with `admin:` have no effect unless the caller is an administrator. */
  readonly scopes: Iterable<string>;
  readonly isAdministrator: boolean;
  readonly authUsed: 'token' | 'oauth';
  /** Data of the backend for later calls. */
  readonly data: C;
}

/** The subject of a request, as the caller may see it. */
export interface BackendSubject<S = undefined> {
  /** The caller's roles in it, of those in `ROLES`. The request is refused if none of them has the permission it needs. */
  readonly roleIds: readonly number[];
  /** Data of the backend for the operation. */
  readonly data: S;
}

/** A validated and authorized request. */
export type BackendCall<K extends OperationId, C = undefined, S = undefined> = OperationInputs[K] & {
  /** Undefined for operations that need no token. */
  readonly caller: K extends OpenOperationId ? undefined : BackendCaller<C>;
  /** Undefined for operations without a subject, and for backends without `findSubject`. */
  readonly subject: BackendSubject<S> | undefined;
  /** The columns the response has. Empty for operations whose requests have no `cols[]`, such as creations. */
  readonly columns: readonly string[];
  readonly page: ListPage;
  /** Time of the request, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Where the caller reaches the API. */
  readonly addresses: Addresses;
  /** Headers of the response, with names in lower case. The operation may add to them. */
  readonly headers: Record<string, string>;
};

/** The operations of a backend, by id. Each returns the response body or throws a `RestError`. */
export type BackendOperations<C = undefined, S = undefined> = {
  readonly [K in OperationId]?: (call: BackendCall<K, C, S>) => Promise<OperationAnswer<K>>;
};

/**
 * What is behind the API. `createRest` routes, validates and authorizes requests, calls the backend, and validates its responses.
 * `C` and `S` are data of the backend about callers and subjects.
 */
export interface RestBackend<C = undefined, S = undefined> {
  /** Requests for other operations get a 404, and the OpenAPI document leaves them out. */
  readonly operations: BackendOperations<C, S>;
  /** Finds the caller; undefined for an unknown token, which is a 401. */
  identify(request: IdentifyRequest): Promise<BackendCaller<C> | undefined>;
  /**
   * Finds the subject of a request and the caller's roles in it; undefined for one that does not exist, which is a 404. Without this
   * function, the operations themselves have to check what the caller may do in an organization, a team or with a key.
   */
  findSubject?(
    request: SubjectReference & { readonly caller: BackendCaller<C> },
  ): Promise<BackendSubject<S> | undefined>;
  /** Counts a request about a subject. Returns headers of the response, or throws a `RestError` with the status 429. */
  countCall?(subject: BackendSubject<S>, nowMs: number): Promise<Readonly<Record<string, string>>>;
  /** A page in plain text at a path without an operation, such as a checkout. Needs no token. */
  showPage?(path: string): string | undefined;
  /** Time of requests. Default: the clock of the system. */
  readonly clock?: Clock;
  close?(): Promise<void>;
}
