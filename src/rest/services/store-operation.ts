import type { Schema, SchemaMap, Static } from '../../shared/schema/build.js';
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
> extends Omit<RestOperation, 'params' | 'requiredQuery' | 'optionalQuery' | 'body' | 'subject'> {
  readonly id: K;
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

/** Unknown if the schemas of an operation accept only its documented input, else a type that no options have. */
type Fits<K extends OperationId, P extends SchemaMap, R extends SchemaMap, O extends SchemaMap, B> = {
  readonly params: Fields<P>;
  readonly query: Fields<R> & OptionalFields<O>;
  readonly body: B;
} extends OperationInputs[K]
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
