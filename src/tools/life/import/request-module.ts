import { isSecretName } from '../../../engine/redaction/secret-names.js';
import { isPlainObject, type PlainObject, readAt, setMember } from '../../../shared/plain-object.js';
import type { CanonicalRequest } from '../../testing/exchanges/canonical-request.js';
import { findSuspects } from '../../testing/recording/find-suspects.js';
import { inferFields } from '../infer/infer-fields.js';
import { restBelow } from '../match-address.js';
import type { Paging } from '../openapi/pagination.js';
import { isUsableName, printPath } from '../openapi/plain-text.js';
import {
  LIMIT_FIELD,
  type ModuleTemplate,
  moduleTemplate,
  moduleTemplateOf,
  type NewComponent,
  type TemplateOptions,
} from '../templates.js';
import { findPagingOf, type ImportedCall } from './imported-call.js';
import { addBody, addMembers, addPath, type RequestFields, readPath } from './request-fields.js';

/** A module that sends a request. */
export interface ImportedModule {
  readonly component: NewComponent;
  /** What the request has and the module does not, and what was guessed. */
  readonly notes: readonly string[];
}

/**
 * Makes a module of a request: its values become fields, and credentials are left out.
 *
 * @param base the base of the app, which the module inherits
 */
export function moduleOfRequest(
  call: ImportedCall,
  options: Omit<TemplateOptions, 'path'>,
  base: unknown,
): ImportedModule {
  const { request, responses } = call;
  const named = moduleTemplateOf(options.name);
  const shape = findShape(responses, named, request.method);
  const template = chooseTemplate(named, shape);
  const start = moduleTemplate(template, { ...options, path: undefined }, '');
  const isSearch = template === 'search';
  const into: RequestFields = {
    fields: [],
    names: new Set(isSearch ? ['limit'] : []),
    notes: [],
  };
  const url = addAddress(into, request.url, base);
  const response = responseOf(start, { shape, isSearch, hasId: into.names.has('id') });
  const list = shape?.list ?? listOfTemplate(response);
  const paging = isSearch ? findPagingOf(call, list) : undefined;
  const communication = {
    url,
    ...(/[{%]/.test(url) && { encodeUrl: false }),
    ...(request.method !== 'GET' && { method: request.method }),
    ...nonEmpty('headers', keepHeaders(into, request, base)),
    ...nonEmpty('qs', { ...paging?.first.qs, ...addQuery(into, request, paging) }),
    ...addBody(into, request),
    response,
    ...(paging !== undefined && {
      pagination: { ...nonEmpty('qs', paging.next.qs ?? {}), ...paging.pagination },
    }),
  };
  for (const name of shape?.secrets ?? []) {
    into.notes.push(`Left out "${name}" of the output, which looks like a secret.`);
  }
  if (paging?.kind === 'unknown') {
    into.notes.push(
      'The request does not show how the list is paged. The module requests further pages only if a response has a Link header with rel="next".',
    );
  }
  const crud = start.row['actionCrud'] === null ? CRUD[request.method] : undefined;
  return {
    component: {
      row: {
        ...start.row,
        ...(isSearch && options.label === undefined && { label: searchLabel(String(start.row['label'])) }),
        ...(crud !== undefined && { actionCrud: crud }),
      },
      files: {
        ...start.files,
        communication,
        mappableParams: isSearch ? [...into.fields, LIMIT_FIELD] : into.fields,
        // A recording fills both.
        ...(shape !== undefined && (shape.isObject ? { interface: [], samples: {} } : plainOutput(response))),
      },
    },
    notes: into.notes,
  };
}

const CRUD: Readonly<Record<string, string>> = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

function nonEmpty(name: string, value: PlainObject): PlainObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

/** Labels of searches start with these words. */
function searchLabel(label: string): string {
  return /^(?:List|Search)\b/.test(label) ? label : label.replace(/^\S+/, 'List');
}

/** Where the records of a response are. */
interface ResponseShape {
  /** Path in an expression: `body`, `body.data`. */
  readonly path: string;
  /** Members that lead to the list; undefined for no list. */
  readonly list: readonly string[] | undefined;
  /** Whether the path leads to objects. */
  readonly isObject: boolean;
  /** Names of members that are dates. */
  readonly dates: readonly string[];
  /** Names of members that look like secrets. */
  readonly secrets: readonly string[];
}

/** Names of members that a record has and a page of records has not. [inf] */
const RECORD_NAME = /(?:^|[_-])(?:id|uuid|name|title|ref)$|I[dD]$/;

/**
 * Undefined without a response. A list is the body, or a list of objects in it, unless the body is a record or the
 * module writes one. [inf]
 */
function findShape(
  responses: readonly unknown[],
  named: ModuleTemplate,
  method: string,
): ResponseShape | undefined {
  const [first] = responses;
  if (responses.length === 0) return undefined;
  if (Array.isArray(first)) return shapeOf([], true, responses.flat(1));
  if (!isPlainObject(first)) return shapeOf([], false, responses);
  const isRead = (named === 'get' || named === 'action') && (method === 'GET' || method === 'POST');
  const isRecord = Object.keys(first).some((name) => RECORD_NAME.test(name));
  const lists = named === 'search' || (isRead && !isRecord) ? listLists(first, []) : [];
  const filled = lists.filter(({ items }) => items.length > 0);
  const candidates = filled.length > 0 ? filled : lists;
  const list =
    candidates.length === 1
      ? candidates[0]
      : candidates.find(({ path }) => LIST_NAME.test(path.at(-1) ?? ''));
  if (list !== undefined) return shapeOf(list.path, true, list.items);
  const members = Object.entries(first);
  const [[name, member] = ['', undefined]] = members;
  if (members.length !== 1 || !isUsableName(name) || !isPlainObject(member))
    return shapeOf([], false, responses);
  return shapeOf(
    [name],
    false,
    responses.map((body) => readAt(body, name)),
  );
}

function shapeOf(path: readonly string[], isList: boolean, records: readonly unknown[]): ResponseShape {
  const fields = inferFields(records);
  return {
    path: printPath('body', path),
    list: isList ? path : undefined,
    isObject: records.length === 0 || records.some(isPlainObject),
    dates: fields.filter(({ type }) => type === 'date').map(({ name }) => name),
    secrets: fields
      .map(({ name }) => name)
      .filter((name) => isSecretName(name, 'body') && /^[\w-]+$/.test(name)),
  };
}

/** Usual names of the list of records. */
const LIST_NAME = /^(?:data|items|results|records|values|entries|hits)$/;

interface FoundList {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
}

/** Lists of objects in a body and in its objects. Empty lists count. */
function listLists(value: PlainObject, path: readonly string[]): readonly FoundList[] {
  return Object.entries(value).flatMap(([name, member]): readonly FoundList[] => {
    if (!isUsableName(name)) return [];
    const at = [...path, name];
    if (Array.isArray(member)) return member.every(isPlainObject) ? [{ path: at, items: member }] : [];
    return isPlainObject(member) && path.length < 1 ? listLists(member, at) : [];
  });
}

/** Members that lead to the list of a template: `{{body.contacts}}`. */
function listOfTemplate(response: PlainObject): readonly string[] {
  const [, path = ''] = /^\{\{body\.(.*)\}\}$/.exec(String(response['iterate'] ?? '')) ?? [];
  return path === '' ? [] : path.split('.');
}

function chooseTemplate(named: ModuleTemplate, shape: ResponseShape | undefined): ModuleTemplate {
  const isReading = named === 'search' || named === 'get' || named === 'action';
  if (shape?.list !== undefined && shape.isObject && isReading) return 'search';
  const isOther = named === 'universal' || named === 'graphql' || named === 'responder';
  return isOther || (named === 'search' && shape !== undefined) ? 'action' : named;
}

interface ResponseOptions {
  readonly shape: ResponseShape | undefined;
  readonly isSearch: boolean;
  /** Whether the form has a field `id`. */
  readonly hasId: boolean;
}

function responseOf(start: NewComponent, { shape, isSearch, hasId }: ResponseOptions): PlainObject {
  const communication = start.files['communication'];
  const written = readAt(communication, 'response');
  if (shape === undefined) {
    const ofTemplate = isPlainObject(written) ? written : {};
    const readsId = JSON.stringify(ofTemplate).includes('parameters.id');
    return readsId && !hasId ? { output: { statusCode: '{{statusCode}}' } } : ofTemplate;
  }
  const { path, isObject, list } = shape;
  if (isSearch) {
    return { iterate: `{{${path}}}`, limit: '{{parameters.limit}}', output: outputOf('item', shape) };
  }
  // The output of an action is an object.
  if (list !== undefined) return { output: { items: `{{${path}}}` } };
  return { output: isObject ? outputOf(path, shape) : { value: `{{${path}}}` } };
}

/** A value without secrets, its dates parsed. */
function outputOf(path: string, { dates, secrets }: ResponseShape): unknown {
  const kept =
    secrets.length === 0 ? path : `omit(${path}, ${secrets.map((name) => `'${name}'`).join(', ')})`;
  const output: PlainObject = { '{{...}}': `{{${kept}}}` };
  for (const name of dates) {
    if (!isUsableName(name)) continue;
    const date = `${path}.${printPath('', [name]).slice(1)}`;
    setMember(output, name, `{{if(${date}, parseDate(${date}), null)}}`);
  }
  return Object.keys(output).length === 1 ? `{{${kept}}}` : output;
}

/** Interface and samples of an output that is no object of the API. */
function plainOutput(response: PlainObject): PlainObject {
  const output = response['output'];
  const names = isPlainObject(output) ? Object.keys(output) : [];
  return {
    interface: inferFields([Object.fromEntries(names.map((name) => [name, null]))]),
    samples: Object.fromEntries(names.map((name) => [name, 'example'])),
  };
}

/** The address below the base, with fields for IDs. */
function addAddress(into: RequestFields, address: string, base: unknown): string {
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    into.notes.push('Left out the credentials of the address.');
  }
  const plain = `${url.origin}${url.pathname}`;
  const baseUrl = readAt(base, 'baseUrl');
  const isNamed = typeof baseUrl === 'string' && baseUrl.trim() !== '';
  // Expressions in a base stand for a part of a host or path.
  const below = isNamed ? restBelow(plain, baseUrl.replace(/\/+$/, '')) : undefined;
  if (below === undefined) {
    into.notes.push(
      `${url.origin} is not below the baseUrl of the app. The module has the whole address, and sends the headers of the base there too.`,
    );
  }
  const path = addPath(into, readPath(below ?? url.pathname));
  return below === undefined ? url.origin + path : path;
}

function addQuery(
  into: RequestFields,
  { query = {} }: CanonicalRequest,
  paging: Paging | undefined,
): PlainObject {
  const filters = Object.fromEntries(
    Object.entries(query).filter(([name]) => paging?.parameters.some((one) => one.name === name) !== true),
  );
  return addMembers(into, filters, { place: 'query' });
}

/** Headers of browsers and clients. */
const CLIENT_HEADER =
  /^(?:accept-(?:encoding|language)|cache-control|content-type|dnt|origin|pragma|priority|referer|sec-.*|traceparent|tracestate|x-(?:forwarded-.*|requested-with))$/;

/** Headers whose value belongs to one request. */
const REQUEST_HEADER = /^(?:idempotency-key|if-.*|x-(?:request|correlation)-id)$/;

/** A value that is made for each request. */
const UNIQUE = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;

/** The headers that the module sends: none of a client, of the base, or with a credential. */
function keepHeaders(into: RequestFields, request: CanonicalRequest, base: unknown): PlainObject {
  const ofBase = readAt(base, 'headers');
  const inherited = new Set(
    isPlainObject(ofBase) ? Object.keys(ofBase).map((name) => name.toLowerCase()) : [],
  );
  const kept: PlainObject = {};
  const type = request.headers['content-type'];
  const isOwnType = request.bodyText !== undefined || request.bodyBase64 !== undefined;
  if (type !== undefined && !type.includes('{{') && (isOwnType || /\+json\b/i.test(type)))
    kept['content-type'] = type;
  for (const [name, value] of Object.entries(request.headers)) {
    const isPlain = name === 'accept' && /\*\/\*|^application\/json$/.test(value);
    if (isPlain || CLIENT_HEADER.test(name)) continue;
    if (inherited.has(name)) into.notes.push(`Left out the header ${name}, which the base sets.`);
    else if (REQUEST_HEADER.test(name))
      into.notes.push(`Left out the header ${name}, whose value belongs to one request.`);
    else if (name === 'cookie') into.notes.push('Left out the header cookie.');
    else if (isSecretName(name, 'header') || findSuspects(value, () => false).length > 0) {
      into.notes.push(`Left out the header ${name}, which looks like a credential. Set it in the base.`);
    } else if (value.includes('{{') || UNIQUE.test(value)) into.notes.push(`Left out the header ${name}.`);
    else setMember(kept, name, value);
  }
  return kept;
}
