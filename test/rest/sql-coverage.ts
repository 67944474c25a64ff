import { OPERATIONS } from '../../src/rest/operations.js';
import { isPlainObject } from '../plain-object.js';

type RestOperation = (typeof OPERATIONS)[number];

/** A request in the form of fixtures. */
export interface WrittenRequest {
  readonly request?: string;
  readonly body?: unknown;
}

const SQL = /drop table|or '1'='1|union select|delete from|\(select |or 1=1|pg_sleep/i;

/** All text inputs of all operations: `POST /keys body.name`. */
export const ALL_FIELDS: readonly string[] = OPERATIONS.flatMap(fieldsOf);

function fieldsOf(operation: RestOperation): readonly string[] {
  const { method, path, params, requiredQuery, optionalQuery, columns, paging, body } = operation;
  const query = [
    ...Object.keys({ ...requiredQuery, ...optionalQuery }),
    ...(columns ? ['cols[]'] : []),
    ...(paging ? ['pg[sortBy]', 'pg[sortDir]', 'pg[limit]', 'pg[offset]'] : []),
  ];
  const places = [
    ...Object.keys(params).map((name) => `params.${name}`),
    ...query.map((name) => `query.${name}`),
    ...membersOf(body ?? {}, 'body'),
  ];
  return places.map((place) => `${method} ${path} ${place}`);
}

function membersOf(schema: Record<string, unknown>, path: string): readonly string[] {
  const { properties } = schema;
  if (!isPlainObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, member]) => {
    const place = `${path}.${name}`;
    return [place, ...(isPlainObject(member) ? membersOf(member, place) : [])];
  });
}

/** The inputs of operations into which the requests put SQL. */
export function fieldsWithSql(requests: readonly WrittenRequest[]): ReadonlySet<string> {
  return new Set(requests.flatMap((it) => OPERATIONS.flatMap((operation) => placesIn(it, operation))));
}

function placesIn(
  { request = '', body }: WrittenRequest,
  { method, path }: RestOperation,
): readonly string[] {
  const [word = '', target = ''] = request.split(/ (.*)/s);
  const url = new URL(target.startsWith('/') ? target : '/', 'http://localhost');
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const match = new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(url.pathname);
  if (word !== method || !match) return [];
  const values: readonly (readonly [place: string, value: unknown])[] = [
    ...names.map((name, index) => [`params.${name}`, decode(match[index + 1] ?? '')] as const),
    ...[...url.searchParams].map(
      ([name, value]) => [`query.${name.replace(/^(?!cols|pg)(\w+)\[\]$/, '$1')}`, value] as const,
    ),
    ...leavesOf(body, 'body'),
  ];
  const found = values.filter(([, value]) => typeof value === 'string' && SQL.test(value));
  return found.map(([place]) => `${method} ${path} ${place}`);
}

function leavesOf(value: unknown, path: string): readonly (readonly [place: string, value: unknown])[] {
  if (Array.isArray(value)) return value.flatMap((it) => leavesOf(it, path));
  if (!isPlainObject(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, it]) => leavesOf(it, `${path}.${name}`));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
