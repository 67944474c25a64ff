import { SYSTEM_CLOCK } from '../../shared/clock.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import type { SchemaMap } from '../../shared/schema/build.js';
import { badRequest, forbidden, invalidParameter, notFound } from '../problems.js';
import { readToken, unknownToken } from './authenticate.js';
import type { BackendCall, BackendCaller, BackendSubject, RestBackend, SubjectReference } from './backend.js';
import { createResponseCheck } from './check-response.js';
import { chooseColumns } from './columns.js';
import { isStorable, readJsonBody, UNSTORABLE } from './json-body.js';
import type { Addresses, RestOperation, SubjectKind } from './operation.js';
import type { OperationId } from './operation-inputs.js';
import { NO_PAGE, readPage } from './paging.js';
import { coerce, readQuery } from './read-query.js';
import { allows } from './roles.js';
import { isAdminScope } from './scopes.js';
import { createInputCheck } from './validate.js';

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
    const body = operation.body === undefined ? undefined : await readJsonBody(request);
    checkInput({ params, query, page, body });

    const input = { params, query, body: isPlainObject(body) ? body : {} };
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
