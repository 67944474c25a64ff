import { isPlainObject, type PlainObject, readAt, setMember } from '../../../shared/plain-object.js';
import type { CanonicalRequest } from '../../testing/exchanges/canonical-request.js';
import { findPaging, type Paging } from '../openapi/pagination.js';
import { createReferences } from '../openapi/references.js';
import { viewSchema } from '../openapi/schemas.js';

/** A request of a curl command or a HAR, and what the API returned. */
export interface ImportedCall {
  readonly request: CanonicalRequest;
  /** JSON bodies of successful responses; empty without a recording. */
  readonly responses: readonly unknown[];
  /** Names of their headers in lower case. */
  readonly headers: ReadonlySet<string>;
}

/**
 * How a list is paged, as far as a call shows: the call as an operation of an OpenAPI document.
 *
 * @param list members that lead to the list in the body
 */
export function findPagingOf({ request, responses, headers }: ImportedCall, list: readonly string[]): Paging {
  const references = createReferences({});
  const body = responses.length === 0 ? schemaOfPath(list) : schemaOf(responses);
  const parameters = Object.entries(request.query ?? {}).map(([name, value]) => ({
    name,
    in: 'query',
    schema: parameterSchema(value),
  }));
  return findPaging(
    { key: '', method: request.method, path: '/', spec: {}, parameters, servers: undefined },
    {
      kind: 'list',
      body: viewSchema(body, references),
      container: list,
      item: viewSchema(schemaOf(responses.flatMap((one) => readAt(one, ...list))), references),
      ...{ example: undefined, accept: undefined, headers, isCreated: false },
    },
    references,
  );
}

/** A number in a query is the usual one, such as the size of a page. */
function parameterSchema(value: unknown): PlainObject {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  return number === undefined ? { type: 'string' } : { type: 'integer', default: number };
}

/** Deepest nesting of members about pages. */
const MAX_DEPTH = 4;

/** The JSON Schema of values. */
function schemaOf(values: readonly unknown[], depth = 0): PlainObject {
  const known = values.filter((value) => value !== null && value !== undefined);
  const [first] = known;
  if (depth > MAX_DEPTH || first === undefined) return {};
  if (known.every((value) => Array.isArray(value))) {
    return { type: 'array', items: schemaOf(known.flat(1), depth + 1) };
  }
  if (!known.every(isPlainObject)) return { type: typeof first, example: first };
  const properties: PlainObject = {};
  for (const name of new Set(known.flatMap(Object.keys))) {
    const members = known.map((value) => (Object.hasOwn(value, name) ? value[name] : undefined));
    setMember(properties, name, schemaOf(members, depth + 1));
  }
  return { type: 'object', properties };
}

/** A body of which only the list is known. */
function schemaOfPath([name, ...rest]: readonly string[]): PlainObject {
  if (name === undefined) return { type: 'array', items: {} };
  return { type: 'object', properties: { [name]: schemaOfPath(rest) } };
}
