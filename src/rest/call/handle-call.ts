import type { SchemaMap } from '../../schema/build.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import { badRequest, forbidden, invalidParameter } from '../problems.js';
import { countCall } from '../services/rate-limit.js';
import type { RestServices } from '../services/services.js';
import { identifyCaller, readCredential } from './authenticate.js';
import { type CallRows, readCallRows } from './call-rows.js';
import { chooseColumns } from './columns.js';
import { isStorable, readJsonBody, UNSTORABLE } from './json-body.js';
import { locate } from './locate.js';
import type { Addresses, Caller, RestOperation, SubjectKind, SubjectSource } from './operation.js';
import { NO_PAGE, readPage } from './paging.js';
import { coerce, readQuery } from './read-query.js';
import { createInputCheck } from './validate.js';

/** What is handed to a handler beside its request. */
export interface CallContext {
  /** The parameters of the path, as texts. */
  readonly params: Readonly<Record<string, string>>;
  /** Gets the headers of the answer, however the call ends. Names are in lower case. */
  readonly headers: Record<string, string>;
  /** Where the caller reaches the API. */
  readonly addresses: Addresses;
}

export type CallHandler = (request: Request, context: CallContext) => Promise<unknown>;

/**
 * The way of every request: who calls, with which scopes, is it valid, what is it about, may it still be called, do it.
 * @throws RestError
 */
export function createCallHandler(services: RestServices, operation: RestOperation): CallHandler {
  const check = createInputCheck(operation);
  const querySchemas: SchemaMap = { ...operation.requiredQuery, ...operation.optionalQuery };
  return async (request, { params: texts, headers, addresses }) => {
    const nowMs = services.clock.now();
    const search = new URL(request.url).searchParams;
    const early = findSubjectId(operation, texts, search);
    const { caller, rows } = await identify(services, operation, {
      header: request.headers.get('authorization'),
      subjectId: early,
    });
    if (caller !== NOBODY) headers['authtype'] = caller.authUsed;
    const { values: query, columns, page } = readQuery(search, querySchemas);
    const params = readParams(operation, texts);
    const body = operation.body === undefined ? undefined : await readJsonBody(request);
    check({ params, query, page, body });

    const input = { params, query, body: isPlainObject(body) ? body : {} };
    const complete =
      operation.subject === undefined || early !== undefined
        ? rows
        : await readSubject(services, operation.subject, { caller, input });
    const subject = locate(operation, complete);
    if (subject) {
      Object.assign(headers, await countCall(services, subject.organization, nowMs));
    }
    return operation.handler({
      ...input,
      services,
      addresses,
      caller,
      subject,
      nowMs,
      columns: operation.columns ? chooseColumns(columns, operation.columns) : [],
      page: operation.paging ? readPage(operation.paging, page) : NO_PAGE,
    });
  };
}

/** As ids are written; what is written otherwise is found, and mostly refused, once the call is checked. */
const PLAIN_ID = /^[1-9]\d{0,14}$/;

/** The id of the subject, where path or query have it: then it is read together with the caller. */
function findSubjectId(
  { subject }: RestOperation,
  texts: Readonly<Record<string, string>>,
  search: URLSearchParams,
): number | undefined {
  if (subject === undefined || subject.in === 'body') return undefined;
  const text = subject.in === 'params' ? texts[subject.name] : search.get(subject.name);
  return PLAIN_ID.test(text ?? '') ? Number(text) : undefined;
}

/** Of a caller that is known already. */
function readSubject(
  { store }: RestServices,
  { kind, in: part, name }: SubjectSource<SubjectKind>,
  { caller, input }: { readonly caller: Caller; readonly input: Readonly<Record<typeof part, PlainObject>> },
): Promise<CallRows> {
  return readCallRows(store, { caller: { userId: caller.user.id }, kind, id: Number(input[part][name]) });
}

interface Identification {
  readonly header: string | null;
  /** What the call is about, if that is known by now. */
  readonly subjectId: number | undefined;
}

async function identify(
  services: RestServices,
  operation: RestOperation,
  { header, subjectId }: Identification,
): Promise<{ readonly caller: Caller; readonly rows: CallRows }> {
  if (operation.authentication === 'none') return { caller: NOBODY, rows: {} };
  const credential = await readCredential(services, header);
  const kind = subjectId === undefined ? 'none' : (operation.subject?.kind ?? 'none');
  const rows = await readCallRows(services.store, { caller: credential, kind, id: subjectId ?? 0 });
  const caller = identifyCaller(credential, rows);
  if (operation.scopes.some((scope) => !caller.scopes.has(scope))) throw forbidden();
  if (operation.administrators && caller.user.usersAdminsRoleId === null) throw forbidden();
  return { caller, rows };
}

/** Stands in for the caller where anybody may call. */
const NOBODY: Caller = {
  scopes: new Set(),
  granted: new Set(),
  authUsed: 'token',
  user: {
    id: 0,
    name: '',
    nameKey: '',
    email: '',
    language: 'en',
    timezoneId: 0,
    localeId: 0,
    countryId: 0,
    features: {},
    avatar: '',
    lastLogin: null,
    tfaStatus: null,
    usersAdminsRoleId: null,
    createdAt: 0,
    deleted: false,
  },
};

function readParams(operation: RestOperation, texts: Readonly<Record<string, string>>): PlainObject {
  const entries = Object.entries(operation.params).map(([name, schema]) => {
    const text = texts[name] ?? '';
    if (!isStorable(text)) throw badRequest([invalidParameter(name, UNSTORABLE)]);
    return [name, coerce(text, schema)];
  });
  return Object.fromEntries(entries);
}
