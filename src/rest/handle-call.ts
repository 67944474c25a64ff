import type { SchemaMap } from '../schema/build.js';
import { isPlainObject, type PlainObject } from '../util/plain-object.js';
import { authenticate } from './authenticate.js';
import { chooseColumns } from './columns.js';
import { isStorable, readJsonBody, UNSTORABLE } from './json-body.js';
import { locate } from './locate.js';
import type { Caller, Operation } from './operation.js';
import { NO_PAGE, readPage } from './paging.js';
import { badRequest, forbidden, invalidParameter } from './problems.js';
import { countCall } from './rate-limit.js';
import { coerce, readQuery } from './read-query.js';
import type { RestServices } from './services.js';
import { createInputCheck } from './validate.js';

/** What a call ends in. */
export interface CallResult {
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export type CallHandler = (request: Request, params: Readonly<Record<string, string>>) => Promise<CallResult>;

/**
 * The way of every request: who calls, with which scopes, is it valid, what is it about, may it still be called, do it.
 * @throws RestError
 */
export function createCallHandler(services: RestServices, operation: Operation): CallHandler {
  const check = createInputCheck(operation);
  const querySchemas: SchemaMap = { ...operation.requiredQuery, ...operation.optionalQuery };
  return async (request, texts) => {
    const nowMs = services.clock.now();
    const caller = await identify(services, operation, request.headers.get('authorization'));
    const { values: query, columns, page } = readQuery(new URL(request.url).searchParams, querySchemas);
    const params = readParams(operation, texts);
    const body = operation.body === undefined ? undefined : await readJsonBody(request);
    check({ params, query, page, body });

    const input = { params, query, body: isPlainObject(body) ? body : {} };
    const subject = await locate(services.store, operation, { caller, input });
    const headers = subject ? await countCall(services, subject.organization, nowMs) : {};
    const value = await operation.handler({
      ...input,
      services,
      caller,
      subject,
      nowMs,
      columns: operation.columns ? chooseColumns(columns, operation.columns) : [],
      page: operation.paging ? readPage(operation.paging, page) : NO_PAGE,
    });
    return { value, headers: { ...headers, ...(caller !== NOBODY && { authtype: caller.authUsed }) } };
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
