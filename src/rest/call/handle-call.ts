import type { SchemaMap } from '../../schema/build.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import { authenticate } from '../authenticate.js';
import { chooseColumns } from './columns.js';
import { isStorable, readJsonBody, UNSTORABLE } from './json-body.js';
import { locate } from '../locate.js';
import type { Caller, Operation } from './operation.js';
import { NO_PAGE, readPage } from './paging.js';
import { badRequest, forbidden, invalidParameter } from '../problems.js';
import { countCall } from '../services/rate-limit.js';
import { coerce, readQuery } from './read-query.js';
import type { RestServices } from '../services/services.js';
import { createInputCheck } from './validate.js';

/** What is handed to a handler beside its request. */
export interface CallContext {
  /** The parameters of the path, as texts. */
  readonly params: Readonly<Record<string, string>>;
  /** Gets the headers of the answer, however the call ends. */
  readonly headers: Headers;
}

export type CallHandler = (request: Request, context: CallContext) => Promise<unknown>;

/**
 * The way of every request: who calls, with which scopes, is it valid, what is it about, may it still be called, do it.
 * @throws RestError
 */
export function createCallHandler(services: RestServices, operation: Operation): CallHandler {
  const check = createInputCheck(operation);
  const querySchemas: SchemaMap = { ...operation.requiredQuery, ...operation.optionalQuery };
  return async (request, { params: texts, headers }) => {
    const nowMs = services.clock.now();
    const caller = await identify(services, operation, request.headers.get('authorization'));
    if (caller !== NOBODY) headers.set('authtype', caller.authUsed);
    const { values: query, columns, page } = readQuery(new URL(request.url).searchParams, querySchemas);
    const params = readParams(operation, texts);
    const body = operation.body === undefined ? undefined : await readJsonBody(request);
    check({ params, query, page, body });

    const input = { params, query, body: isPlainObject(body) ? body : {} };
    const subject = await locate(services.store, operation, { caller, input });
    if (subject) {
      const counted = await countCall(services, subject.organization, nowMs);
      for (const [name, value] of Object.entries(counted)) headers.set(name, value);
    }
    return operation.handler({
      ...input,
      services,
      caller,
      subject,
      nowMs,
      columns: operation.columns ? chooseColumns(columns, operation.columns) : [],
      page: operation.paging ? readPage(operation.paging, page) : NO_PAGE,
    });
  };
}

async function identify(
  services: RestServices,
  operation: Operation,
  header: string | null,
): Promise<Caller> {
  if (operation.authentication === 'none') return NOBODY;
  const caller = await authenticate(services, header);
  if (operation.scopes.some((scope) => !caller.scopes.has(scope))) throw forbidden();
  if (operation.administrators && caller.user.usersAdminsRoleId === null) throw forbidden();
  return caller;
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

function readParams(operation: Operation, texts: Readonly<Record<string, string>>): PlainObject {
  const entries = Object.entries(operation.params).map(([name, schema]) => {
    const text = texts[name] ?? '';
    if (!isStorable(text)) throw badRequest([invalidParameter(name, UNSTORABLE)]);
    return [name, coerce(text, schema)];
  });
  return Object.fromEntries(entries);
}
