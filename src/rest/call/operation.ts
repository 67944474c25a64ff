import type { Schema, SchemaMap, Static } from '../../schema/build.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { RestServices } from '../services/services.js';
import type { KeyRow, OrganizationRow, TeamRow, UserRow } from '../store/tables.js';
import type { ListPage, Paging } from './paging.js';
import type { Permission } from './roles.js';
import type { ApiScope } from './scopes.js';

export interface Caller {
  readonly user: UserRow;
  /** Those of administration are only there if the user is an administrator of the instance. */
  readonly scopes: ReadonlySet<string>;
  /** What the token was given, with effect or without. */
  readonly granted: ReadonlySet<string>;
  readonly authUsed: 'token' | 'oauth';
}

export interface OrganizationSubject {
  readonly organization: OrganizationRow;
  /** The caller's role in it. */
  readonly roleId: number;
}

export interface TeamSubject extends OrganizationSubject {
  readonly team: TeamRow;
  /** The caller's role in the team, if there is one. */
  readonly teamRoleId: number | undefined;
}

export interface KeySubject extends TeamSubject {
  readonly key: KeyRow;
}

/** What a call is about: found, checked for membership and permission, and counted before the handler runs. */
export interface Subjects {
  readonly none: undefined;
  readonly organization: OrganizationSubject;
  readonly team: TeamSubject;
  readonly key: KeySubject;
}

export type SubjectKind = keyof Subjects;

/** Where a request names its subject. */
export interface SubjectSource<S extends SubjectKind> {
  readonly kind: S;
  readonly in: 'params' | 'query' | 'body';
  readonly name: string;
}

export interface ColumnChoice {
  readonly all: readonly string[];
  readonly default: readonly string[];
}

/** Where the caller of a request reaches the API. */
export interface Addresses {
  /** Without a path: `http://127.0.0.1:8077`. */
  readonly origin: string;
  /** Of the API, with its path. */
  readonly baseUrl: string;
  /** Of the authorization server, with its path; its issuer. */
  readonly authUrl: string;
}

/** One request, checked. */
export interface RestCall<P, Q, B, S> {
  readonly services: RestServices;
  /** What addresses in the answer are made from. */
  readonly addresses: Addresses;
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly subject: S;
  /** The columns to answer with. */
  readonly columns: readonly string[];
  readonly page: ListPage;
  /** The moment of the call; one call sees one moment. */
  readonly nowMs: number;
}

export type Fields<M extends SchemaMap> = { readonly [K in keyof M]: Static<M[K]> };
export type OptionalFields<M extends SchemaMap> = { readonly [K in keyof M]?: Static<M[K]> };

/** `token`: any known token; `none`: for everybody. */
export type Authentication = 'token' | 'none';

interface OperationBase {
  /** Unique, the name of the operation for generated clients. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, parameters as `{organizationId}`. */
  readonly path: string;
  /** Under the authentication server instead of the base address. */
  readonly server?: 'api' | 'auth';
  readonly tag: string;
  readonly summary: string;
  readonly scopes: readonly ApiScope[];
  readonly authentication?: Authentication;
  /** Whether only administrators of the instance may call it. */
  readonly administrators?: boolean;
  readonly columns?: ColumnChoice;
  readonly paging?: Paging;
  /** What the caller's role must allow in the subject. */
  readonly permission?: Permission;
  /** The shape of the answer; `text` answers are plain text. */
  readonly response: Schema<unknown> | 'text';
}

/** An operation as the table holds it. */
export interface RestOperation extends OperationBase {
  readonly params: SchemaMap;
  readonly requiredQuery: SchemaMap;
  readonly optionalQuery: SchemaMap;
  readonly body: Schema<unknown> | undefined;
  readonly subject: SubjectSource<SubjectKind> | undefined;
  handler(call: RestCall<PlainObject, PlainObject, PlainObject, Subjects[SubjectKind]>): Promise<unknown>;
}

export interface OperationOptions<
  P extends SchemaMap,
  R extends SchemaMap,
  O extends SchemaMap,
  B,
  S extends SubjectKind,
> extends OperationBase {
  readonly params?: P;
  readonly requiredQuery?: R;
  readonly optionalQuery?: O;
  readonly body?: Schema<B>;
  readonly subject?: SubjectSource<S>;
  handler(call: RestCall<Fields<P>, Fields<R> & OptionalFields<O>, B, Subjects[S]>): Promise<unknown>;
}

// biome-ignore lint/complexity/noBannedTypes: no members are what an absent map of schemas has.
type None = {};

/** Makes an entry of the table; the handler's types follow from the schemas and the subject. */
export function defineOperation<
  P extends SchemaMap = None,
  R extends SchemaMap = None,
  O extends SchemaMap = None,
  B = None,
  S extends SubjectKind = 'none',
>(options: OperationOptions<P, R, O, B, S>): RestOperation {
  const { params = {}, requiredQuery = {}, optionalQuery = {}, body, subject } = options;
  // `validate.ts` checks a request against these very schemas, and `locate.ts` the subject, before the handler sees either.
  const handler = options.handler as unknown as RestOperation['handler'];
  return { ...options, params, requiredQuery, optionalQuery, body, subject, handler };
}
