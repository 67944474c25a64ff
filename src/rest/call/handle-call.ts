import { SYSTEM_CLOCK } from '../../shared/clock.js';
import { isPlainObject, type PlainObject, setMember } from '../../shared/plain-object.js';
import type { SchemaMap } from '../../shared/schema/build.js';
import { compileDocument } from '../../shared/schema/compile-schema.js';
import type { SchemaCheck } from '../../shared/schema/schema-check.js';
import {
  badRequest,
  forbidden,
  invalidParameter,
  invalidResponse,
  notFound,
  unauthorized,
} from '../problems.js';
import { allows, isAdminScope } from './access.js';
import type { BackendCall, BackendCaller, BackendSubject, RestBackend, SubjectReference } from './backend.js';
import { createInputCheck, isStorable, pickNamed, readJsonBody, readRawBody, UNSTORABLE } from './input.js';
import { chooseColumns, NO_PAGE, readPage } from './lists.js';
import { createOpenApi, responsePointer } from './openapi.js';
import type { Addresses, RestOperation, SubjectKind } from './operation.js';
import type { OperationId } from './operation-inputs.js';

/** A parsed query, with texts converted to the types of the schemas where possible. */
interface QueryParts {
  readonly values: PlainObject;
  /** The names after `cols`, in order. */
  readonly columns: readonly string[];
  readonly page: PlainObject;
}

const COLUMN = /^cols(?:\[(\d{0,6})\])?$/;
const PAGE = /^pg\[(\w{1,40})\]$/;
const ELEMENT = /^(\w{1,60})\[\d{0,6}\]$/;
const WHOLE_NUMBER = /^-?\d{1,16}$/;
const MAX_PARAMETERS = 500;

/**
 * `cols[]=a&cols[]=b` or `cols[1]=a&cols[2]=b` (the numbers give the order), `pg[limit]=10`, `name=value`,
 * `list[]=1`. Source: https://developers.make.com/api-documentation (pagination and sorting, filtering). [doc][src]
 * @throws RestError 400 for a duplicate single value and for characters that databases cannot store
 */
function readQuery(search: URLSearchParams, schemas: SchemaMap): QueryParts {
  const numbered: { readonly order: number; readonly name: string }[] = [];
  const page: PlainObject = {};
  const values: PlainObject = {};
  const problems: string[] = [];
  if (search.size > MAX_PARAMETERS) problems.push(`A query can have at most ${MAX_PARAMETERS} parameters.`);
  for (const [name, text] of [...search].slice(0, MAX_PARAMETERS)) {
    if (!isStorable(text)) {
      problems.push(invalidParameter(name, UNSTORABLE));
      continue;
    }
    const column = COLUMN.exec(name);
    const paging = PAGE.exec(name)?.[1];
    const list = ELEMENT.exec(name)?.[1];
    if (column) numbered.push({ order: Number(column[1] || 0), name: text });
    else if (paging !== undefined)
      addOnce(page, paging, { value: readPageValue(paging, text), label: name, problems });
    else if (list !== undefined && isList(schemas[list])) addElement(values, list, text);
    else if (Object.hasOwn(schemas, name))
      addOnce(values, name, { value: coerce(text, schemas[name]), label: name, problems });
  }
  if (problems.length > 0) throw badRequest(problems);
  numbered.sort((a, b) => a.order - b.order);
  return { values, page, columns: numbered.map((it) => it.name) };
}

/**
 * Converts a text of a path or query to the type of its schema. Returns the text if that fails, so that validation
 * refuses it.
 */
function coerce(text: string, schema: PlainObject | undefined): unknown {
  const type = schema?.['type'];
  if (type === 'integer' && WHOLE_NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && text === 'true') return true;
  if (type === 'boolean' && text === 'false') return false;
  return text;
}

function readPageValue(name: string, text: string): unknown {
  return name === 'limit' || name === 'offset' ? coerce(text, { type: 'integer' }) : text;
}

function isList(schema: PlainObject | undefined): boolean {
  return schema?.['type'] === 'array';
}

function addElement(values: PlainObject, name: string, text: string): void {
  const before = values[name];
  const value = coerce(text, { type: 'integer' });
  setMember(values, name, Array.isArray(before) ? [...before, value] : [value]);
}

interface Addition {
  readonly value: unknown;
  /** The parameter as the caller sent it. */
  readonly label: string;
  readonly problems: string[];
}

function addOnce(target: PlainObject, name: string, { value, label, problems }: Addition): void {
  if (Object.hasOwn(target, name)) problems.push(invalidParameter(label, 'must not be sent twice'));
  else setMember(target, name, value);
}

/** Compilation is slow and depends on the operation only, so all instances of the API share the result. */
const COMPILED = new WeakMap<RestOperation, SchemaCheck>();

/**
 * Creates the check of responses of a backend for an operation. Compiled at first use. The check throws a RestError
 * `REST_FAILED` that names the first invalid member, never its value.
 */
function createResponseCheck(operation: RestOperation): (response: unknown) => void {
  return (response) => {
    const check = COMPILED.get(operation) ?? compileResponse(operation);
    COMPILED.set(operation, check);
    const [problem] = check(response);
    if (problem) throw invalidResponse(operation.id, problem.path.join('.'), problem.message);
  };
}

/** As in the OpenAPI document, where schemas refer to each other. */
function compileResponse(operation: RestOperation): SchemaCheck {
  if (operation.response === 'text') {
    return (value) =>
      typeof value === 'string' ? [] : [{ path: [], keyword: 'type', message: 'must be string' }];
  }
  const document = createOpenApi([operation], { baseUrl: '/', authUrl: '/' });
  return compileDocument(document)(responsePointer(operation, 200));
}

const HEADER = /^(?:token|bearer) +([\x21-\x7e]{1,4096})$/i;

/**
 * Reads the token of the header `Authorization`. Both words are accepted for both kinds of token, in any letter case.
 * Source: https://developers.make.com/api-documentation (authentication) [doc]; the word and its case [inf]
 * @throws RestError 401 `SC401`
 */
function readToken(header: string | null): string {
  if (header === null) throw unauthorized('The header Authorization is missing.', 'Bearer');
  const token = HEADER.exec(header)?.[1];
  if (token === undefined)
    throw unauthorized('The header Authorization must be "Token <API token>".', 'Bearer');
  return token;
}

/** The refusal of a token that the backend does not know. */
function unknownToken(): Error {
  return unauthorized('The token is not known or no longer good.', 'Bearer error="invalid_token"');
}

/** Input of an operation besides its request. */
export interface CallContext {
  /** The parameters of the path, as texts. */
  readonly params: Readonly<Record<string, string>>;
  /** Headers of the response, whatever the result of the call. Names are in lower case. */
  readonly headers: Record<string, string>;
  /** Where the caller reaches the API. */
  readonly addresses: Addresses;
}

export type CallHandler = (request: Request, context: CallContext) => Promise<unknown>;

/** Performs any operation; the schemas of the operation validate its input. */
type Perform<C, S> = (call: BackendCall<OperationId, C, S>) => Promise<unknown>;

/**
 * The steps of every request: identify the caller, check the scopes, validate the input, find the subject and check the role in it,
 * count the request, perform it, and validate the response.
 * @throws RestError
 */
export function createCallHandler<C, S>(backend: RestBackend<C, S>, operation: RestOperation): CallHandler {
  const { clock = SYSTEM_CLOCK } = backend;
  const checkInput = createInputCheck(operation);
  const checkResponse = createResponseCheck(operation);
  const querySchemas: SchemaMap = { ...operation.requiredQuery, ...operation.optionalQuery };
  const perform = backend.operations[operation.id] as Perform<C, S>;
  return async (request, { params: texts, headers, addresses }) => {
    const nowMs = clock.now();
    const search = new URL(request.url).searchParams;
    const early = findReference(operation, texts, search);
    const caller = await identify(backend, operation, {
      header: request.headers.get('authorization'),
      subject: early,
    });
    if (caller) headers['authtype'] = caller.authUsed;
    const { values: query, columns, page } = readQuery(search, querySchemas);
    const params = readParams(operation, texts);
    const body = await readBody(operation, request);
    checkInput({ params, query, page, body });

    const named = pickNamed(operation.body, body);
    const input = { params, query, body: isPlainObject(named) ? named : {} };
    const reference = early ?? readReference(operation, input);
    const subject = caller && reference && (await findSubject(backend, operation, { ...reference, caller }));
    if (subject && backend.countCall) Object.assign(headers, await backend.countCall(subject, nowMs));
    const response = await perform.call(backend.operations, {
      ...input,
      addresses,
      // Undefined only for operations that need no token.
      caller: caller as BackendCaller<C> & undefined,
      subject,
      nowMs,
      headers,
      columns: operation.columns ? chooseColumns(columns, operation.columns) : [],
      page: operation.paging ? readPage(operation.paging, page) : NO_PAGE,
    });
    checkResponse(response);
    return response;
  };
}

async function readBody({ body, bodyContents }: RestOperation, request: Request): Promise<unknown> {
  if (body === undefined) return undefined;
  return bodyContents === undefined
    ? readJsonBody(request)
    : { content: await readRawBody(request, bodyContents) };
}

/** Canonical ids only. Other spellings are looked up after validation, which refuses most of them. */
const PLAIN_ID = /^[1-9]\d{0,14}$/;

/** The subject, if the path or the query names it: a backend can read it together with the caller. */
function findReference(
  { subject }: RestOperation,
  texts: Readonly<Record<string, string>>,
  search: URLSearchParams,
): SubjectReference | undefined {
  if (subject === undefined || subject.in === 'body') return undefined;
  const text = subject.in === 'params' ? texts[subject.name] : search.get(subject.name);
  return PLAIN_ID.test(text ?? '') ? { kind: subject.kind, id: Number(text) } : undefined;
}

function readReference(
  { subject }: RestOperation,
  input: Readonly<Record<'params' | 'query' | 'body', PlainObject>>,
): SubjectReference | undefined {
  return subject && { kind: subject.kind, id: Number(input[subject.in][subject.name]) };
}

interface Identification {
  readonly header: string | null;
  readonly subject: SubjectReference | undefined;
}

async function identify<C, S>(
  backend: RestBackend<C, S>,
  operation: RestOperation,
  { header, subject }: Identification,
): Promise<BackendCaller<C> | undefined> {
  if (operation.authentication === 'none') return undefined;
  const caller = await backend.identify({ token: readToken(header), operation: operation.id, subject });
  if (!caller) throw unknownToken();
  const scopes = new Set(caller.scopes);
  const hasScope = (scope: string): boolean =>
    scopes.has(scope) && (caller.isAdministrator || !isAdminScope(scope));
  if (!operation.scopes.every(hasScope)) throw forbidden();
  if (operation.administrators && !caller.isAdministrator) throw forbidden();
  return caller;
}

const TITLES: Readonly<Record<SubjectKind, string>> = {
  organization: 'Organization',
  team: 'Team',
  key: 'Key',
};

async function findSubject<C, S>(
  backend: RestBackend<C, S>,
  { permission }: RestOperation,
  request: SubjectReference & { readonly caller: BackendCaller<C> },
): Promise<BackendSubject<S> | undefined> {
  if (!backend.findSubject) return undefined;
  const subject = await backend.findSubject(request);
  if (!subject) throw notFound(TITLES[request.kind]);
  const { roleIds } = subject;
  const isAllowed = permission ? roleIds.some((roleId) => allows(roleId, permission)) : roleIds.length > 0;
  if (!isAllowed) throw forbidden();
  return subject;
}

function readParams(operation: RestOperation, texts: Readonly<Record<string, string>>): PlainObject {
  const entries = Object.entries(operation.params).map(([name, schema]) => {
    const text = texts[name] ?? '';
    if (!isStorable(text)) throw badRequest([invalidParameter(name, UNSTORABLE)]);
    return [name, coerce(text, schema)];
  });
  return Object.fromEntries(entries);
}
