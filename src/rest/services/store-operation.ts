import type { Schema, SchemaMap, Static } from '../../shared/schema/build.js';
import type { OperationAnswer } from '../call/answers.js';
import type { BackendCall } from '../call/backend.js';
import type { ListPage } from '../call/lists.js';
import type { Addresses, RestOperation, SubjectKind, SubjectSource } from '../call/operation.js';
import type { None, OperationId, OperationInputs } from '../call/operation-inputs.js';
import type { Caller, Subjects } from './identify-call.js';
import type { RestServices } from './services.js';

/** A validated and authorized request, with the rows of its caller and its subject. */
interface StoreCall<P, Q, B, S> {
  readonly services: RestServices;
  /** The base of addresses in the response. */
  readonly addresses: Addresses;
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly subject: S;
  /** The columns of the response. */
  readonly columns: readonly string[];
  readonly page: ListPage;
  /** Time of the request; one request sees one time. */
  readonly nowMs: number;
}

type Fields<M extends SchemaMap> = { readonly [K in keyof M]: Static<M[K]> };
type OptionalFields<M extends SchemaMap> = { readonly [K in keyof M]?: Static<M[K]> };

/** An operation with its implementation in the store backend. */
export interface StoreOperation extends RestOperation {
  handle(services: RestServices, call: StoreBackendCall): Promise<unknown>;
}

/** Context of a call of any operation in the store backend. */
export type StoreBackendCall = Pick<
  BackendCall<OperationId>,
  'params' | 'query' | 'body' | 'columns' | 'page' | 'nowMs' | 'addresses'
> & { readonly caller: Caller; readonly subject: Subjects[SubjectKind] | undefined };

interface OperationOptions<
  K extends OperationId,
  P extends SchemaMap,
  R extends SchemaMap,
  O extends SchemaMap,
  B,
  S extends SubjectKind | 'none',
> extends Omit<
    RestOperation,
    'params' | 'requiredQuery' | 'optionalQuery' | 'body' | 'subject' | 'response'
  > {
  readonly id: K;
  /** Accepts only the type that `OperationAnswer` documents. */
  readonly response: Schema<OperationAnswer<K>> | 'text';
  readonly params?: P;
  readonly requiredQuery?: R;
  readonly optionalQuery?: O;
  readonly body?: Schema<B>;
  readonly subject?: SubjectSource<Exclude<S, 'none'>>;
  handler(
    call: StoreCall<
      Fields<P>,
      Fields<R> & OptionalFields<O>,
      B,
      S extends SubjectKind ? Subjects[S] : undefined
    >,
  ): Promise<unknown>;
}

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** Whether two types have the same members, of types that are assignable to each other, and the same optional ones. */
type IsSame<A, B> = [A, B, keyof A, OptionalKeys<A>] extends [B, A, keyof B, OptionalKeys<B>]
  ? [keyof B, OptionalKeys<B>] extends [keyof A, OptionalKeys<A>]
    ? true
    : false
  : false;

/** Unknown if the schemas of an operation accept exactly its documented input, else a type that no options have. */
type Fits<K extends OperationId, P extends SchemaMap, R extends SchemaMap, O extends SchemaMap, B> = [
  IsSame<Fields<P>, OperationInputs[K]['params']>,
  IsSame<Fields<R> & OptionalFields<O>, OperationInputs[K]['query']>,
  IsSame<B, OperationInputs[K]['body']>,
] extends [true, true, true]
  ? unknown
  : { readonly error: 'OperationInputs differs from the schemas of this operation.' };

/** Defines an operation and how the store backend performs it; the types of the handler follow from the schemas and the subject. */
export function defineOperation<
  K extends OperationId,
  P extends SchemaMap = None,
  R extends SchemaMap = None,
  O extends SchemaMap = None,
  B = None,
  S extends SubjectKind | 'none' = 'none',
>(options: OperationOptions<K, P, R, O, B, S> & Fits<K, P, R, O, B>): StoreOperation {
  const {
    handler,
    params = {},
    requiredQuery = {},
    optionalQuery = {},
    body,
    subject,
    ...description
  } = options as OperationOptions<K, P, R, O, B, S>;
  // `input.ts` checks a request against these schemas, and `identify-call.ts` finds the subject, before the handler runs.
  const handle = handler as unknown as (
    call: StoreBackendCall & { readonly services: RestServices },
  ) => Promise<unknown>;
  return {
    ...description,
    params,
    requiredQuery,
    optionalQuery,
    body,
    subject,
    handle: (services, call) => handle({ ...call, services }),
  };
}
