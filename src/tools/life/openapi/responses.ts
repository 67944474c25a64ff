import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import { toPlural } from '../names.js';
import { isJsonType, type Operation, readContent, SEARCH_PATH } from './operations.js';
import { isPagedByBody } from './paging-parameters.js';
import { isUsableName, wordsOf } from './plain-text.js';
import type { References } from './references.js';
import { exampleOf, type SchemaView, viewSchema } from './schemas.js';

/** The successful response of an operation. */
export interface ResponseShape {
  /** `list`: a module outputs a bundle per item. */
  readonly kind: 'list' | 'object' | 'value' | 'text' | 'file' | 'none';
  /** Schema of the body; undefined if the document has none. */
  readonly body: SchemaView | undefined;
  /** Path of the list in the body; empty for the body itself. */
  readonly container: readonly string[];
  readonly item: SchemaView | undefined;
  /** Example of the item of a list, else of the body. */
  readonly example: unknown;
  /** `accept`, if it is no plain JSON. */
  readonly accept: string | undefined;
  /** Names of response headers in lower case. */
  readonly headers: ReadonlySet<string>;
  readonly isCreated: boolean;
}

/** @returns a text with the reason if no module can read the response */
export function readResponse(operation: Operation, references: References): ResponseShape | string {
  const [status, response] = successOf(operation, references);
  const headers = new Set(membersOf(response, 'headers').map((name) => name.toLowerCase()));
  const shape = {
    body: undefined,
    container: [],
    item: undefined,
    example: undefined,
    accept: undefined,
    headers,
    isCreated: status === '201',
  } as const;
  const contents = readContent(response && ownMember(response, 'content'), references);
  const json =
    contents.find(({ type }) => type === 'application/json') ?? contents.find(({ type }) => isJsonType(type));
  const [first] = contents;
  if (json === undefined) {
    if (first === undefined || status === '204') return { ...shape, kind: 'none' };
    if (first.type === '*/*' && ownMember(first.media, 'schema') !== undefined) {
      return readJson(operation, first.media, references, shape);
    }
    const isText = contents.some(({ type }) => type.startsWith('text/') && !type.endsWith('/xml'));
    if (isText) return { ...shape, kind: 'text' };
    const file = contents.find(({ type }) => !type.endsWith('xml'));
    if (file === undefined) return `Its response is ${first.type}; expected JSON, text or a file.`;
    return { ...shape, kind: 'file' };
  }
  const accept = json.type === 'application/json' ? undefined : json.type;
  return readJson(operation, json.media, references, { ...shape, accept });
}

/** The response of the first success status, or the default one. */
function successOf(
  { spec }: Operation,
  references: References,
): readonly [status: string, response: PlainObject | undefined] {
  const responses = ownMember(spec, 'responses');
  const all = isPlainObject(responses) ? responses : {};
  const successes = Object.keys(all)
    .filter((status) => /^2(?:\d\d|XX)$/i.test(status))
    .sort();
  // A response with content says more than one without.
  const described = successes.find((status) => {
    const response = references.follow(all[status]);
    return response !== undefined && membersOf(response, 'content').length > 0;
  });
  const status = described ?? successes[0] ?? (Object.hasOwn(all, 'default') ? 'default' : '');
  return [status, references.follow(ownMember(all, status))];
}

function membersOf(owner: PlainObject | undefined, name: string): readonly string[] {
  const value = owner && ownMember(owner, name);
  return isPlainObject(value) ? Object.keys(value) : [];
}

type Shape = Omit<ResponseShape, 'kind'>;

function readJson(
  operation: Operation,
  media: PlainObject,
  references: References,
  shape: Shape,
): ResponseShape {
  const body = viewSchema(ownMember(media, 'schema'), references);
  const example = mediaExample(media, references) ?? (body && exampleOf(body));
  if (body === undefined) return { ...shape, kind: 'object', example };
  const list = findList(operation, body, shape, references);
  if (list !== undefined) {
    const listed = readAt(example, ...list.container);
    const item: unknown = Array.isArray(listed) ? listed[0] : undefined;
    return { ...shape, kind: 'list', body, ...list, example: item };
  }
  const isObject = body.kind === 'object' || body.kind === 'any';
  return { ...shape, kind: isObject ? 'object' : 'value', body, example };
}

/** The example of a body, or the first of several. */
export function mediaExample(media: PlainObject, references: References): unknown {
  const examples = ownMember(media, 'examples');
  const [first] = isPlainObject(examples) ? Object.values(examples) : [];
  const named = references.follow(first);
  return ownMember(media, 'example') ?? (named && ownMember(named, 'value'));
}

/** Usual names of the list in a response. */
const LIST_NAMES =
  /^(?:data|items?|results?|records?|entries|elements|list|rows|values?|content|contents|objects|documents|hits|collection|members|resources|nodes|edges|_?embedded)$/i;

type List = Pick<ResponseShape, 'container' | 'item'>;

/**
 * The list that a response is about: the body itself, or a list of objects in it. A response about one object
 * has no such list, even if the object contains lists. [inf]
 */
function findList(
  operation: Operation,
  body: SchemaView,
  { isCreated }: Shape,
  references: References,
): List | undefined {
  const isSearch =
    operation.method === 'GET' ||
    SEARCH_PATH.test(operation.path) ||
    (!isCreated && isPagedByBody(operation, references));
  if (!isSearch) return undefined;
  if (body.kind === 'array') {
    return { container: [], item: viewSchema(body.items, references, body.path) };
  }
  return findListIn(operation, body, references, []);
}

function findListIn(
  operation: Operation,
  body: SchemaView,
  references: References,
  container: readonly string[],
): List | undefined {
  if (body.kind !== 'object') return undefined;
  const inner = body.properties.flatMap(({ name, schema }) => {
    const view = isUsableName(name) ? viewSchema(schema, references, body.path) : undefined;
    return view === undefined ? [] : [{ name, view }];
  });
  const lists = inner.filter(({ view }) => view.kind === 'array');
  const endsInParameter = operation.path.endsWith('}');
  const parts = operation.path.replace(SEARCH_PATH, '').split('/');
  const subject = parts.findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
  const isNamed = (name: string): boolean =>
    LIST_NAMES.test(name) || (!endsInParameter && isAbout(name, subject));
  const isRecord = inner.some(({ name }) => /^(?:id|_id|uuid)$/i.test(name));
  const [only] = lists;
  const found =
    lists.find(({ name }) => isNamed(name) && !(isRecord && endsInParameter)) ??
    (lists.length === 1 && !isRecord && !endsInParameter && isListOfObjects(only?.view, references)
      ? only
      : undefined);
  if (found !== undefined) {
    return {
      container: [...container, found.name],
      item: viewSchema(found.view.items, references, found.view.path),
    };
  }
  if (container.length > 0) return undefined;
  const wrapped = inner.filter(({ name, view }) => view.kind === 'object' && isNamed(name));
  for (const { name, view } of isRecord ? [] : wrapped) {
    const list = findListIn(operation, view, references, [name]);
    if (list !== undefined) return list;
  }
  return undefined;
}

function isListOfObjects(view: SchemaView | undefined, references: References): boolean {
  return view !== undefined && viewSchema(view.items, references, view.path)?.kind === 'object';
}

/** Whether a list is named after the last part of the path: `contacts`, or `open_orders` of `/open-orders`. */
function isAbout(name: string, subject: string): boolean {
  const plural = (text: string): string => wordsOf(text).map(toPlural).join('');
  return plural(name) === plural(subject);
}
