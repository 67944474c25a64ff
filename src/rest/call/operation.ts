import type { Schema, SchemaMap } from '../../shared/schema/build.js';
import type { ApiScope, Permission } from './access.js';
import type { ColumnChoice, Paging } from './lists.js';
import type { OperationId } from './operation-inputs.js';

/** The kind of resource that an operation is about. */
export type SubjectKind = 'organization' | 'team' | 'key';

/** Where a request names its subject. */
export interface SubjectSource<S extends SubjectKind = SubjectKind> {
  readonly kind: S;
  readonly in: 'params' | 'query' | 'body';
  readonly name: string;
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

/** `token`: any valid token; `none`: no token. */
export type Authentication = 'token' | 'none';

/** Content types of a body that is not JSON. Responses use the first. */
export interface RawContents {
  readonly types: readonly string[];
  /** `base64`: bytes, which operations see in base64. Default: text in UTF-8. */
  readonly encoding: 'utf8' | 'base64';
}

/** An operation of the API: its route, the checks of its requests and the shape of its response. */
export interface RestOperation {
  /** Unique, the name of the operation for generated clients. */
  readonly id: OperationId;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the base address, with parameters such as `{organizationId}`. */
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
  /** The permission that the caller's role needs in the subject. */
  readonly permission?: Permission;
  /** The shape of the response; `text` responses are text. */
  readonly response: Schema<unknown> | 'text';
  /** Of a `text` response. Default: plain text. */
  readonly contents?: RawContents;
  /** For a body that is not JSON. The operation receives it as `{ content }`. */
  readonly bodyContents?: RawContents;
  readonly params: SchemaMap;
  readonly requiredQuery: SchemaMap;
  readonly optionalQuery: SchemaMap;
  readonly body: Schema<unknown> | undefined;
  readonly subject: SubjectSource | undefined;
}
