import { ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import { badRequest, invalidParameter } from '../problems.js';

/**
 * How a list is divided into pages. Source: https://developers.make.com/api-documentation (pagination and sorting,
 * filtering). [src][inf]
 */
export interface Paging {
  /** Columns a caller may sort by. */
  readonly sortBy: readonly string[];
  readonly defaultSortBy: string;
  readonly defaultSortDir: SortDirection;
  readonly defaultLimit: number;
}

export type SortDirection = 'asc' | 'desc';

export interface ListPage {
  readonly sortBy: string;
  readonly sortDir: SortDirection;
  readonly limit: number;
  readonly offset: number;
}

/** Maximum page size; a larger `pg[limit]` is reduced to it. */
const MAX_PAGE: number = 10_000;

export const NO_PAGE: ListPage = { sortBy: 'id', sortDir: 'asc', limit: MAX_PAGE, offset: 0 };

/** The page of a validated `pg`. */
export function readPage(paging: Paging, pg: PlainObject): ListPage {
  const { sortBy = paging.defaultSortBy, limit = paging.defaultLimit, offset = 0 } = pg;
  return {
    sortBy: String(sortBy),
    sortDir: (pg['sortDir'] ?? paging.defaultSortDir) === 'desc' ? 'desc' : 'asc',
    limit: Math.min(Number(limit), MAX_PAGE),
    offset: Number(offset),
  };
}

/** The member `pg` of a list. Source: https://developers.make.com/api-documentation (Pagination object). [seed] */
export interface PageRecord extends ListPage {
  readonly last: string;
  readonly showLast: boolean;
}

/**
 * The member `pg` of a response. `last` is the sort value of the last entry. `showLast` is false, as pages continue
 * by `offset` and repeat no entry. Source: the parameters `pg[last]` and `pg[showLast]` of the calls that take them,
 * https://developers.make.com/api-documentation/api-reference/scenarios/logs [doc]; for these lists [inf].
 */
export function pageRecord(page: ListPage, lastEntry: object | undefined): PageRecord {
  const value = lastEntry && ownMember(lastEntry, page.sortBy);
  return { last: value === undefined || value === null ? '' : String(value), showLast: false, ...page };
}

/** The page as a query of the store; names are sorted by their key. */
export function pageQuery<C extends string>(
  page: ListPage,
  columns: Readonly<Record<string, C>>,
): {
  readonly sortBy: C | undefined;
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
} {
  const { sortBy, sortDir, limit, offset } = page;
  return { sortBy: columns[sortBy], descending: sortDir === 'desc', limit, offset };
}

/** The columns that records of a list have. */
export interface ColumnChoice {
  readonly all: readonly string[];
  readonly default: readonly string[];
}

/**
 * The columns that a request names: `*` means all, no column means the default.
 *
 * @throws RestError 400 `SC400` for a column that does not exist Source:
 * https://developers.make.com/api-documentation (pagination and sorting, filtering). [src][inf]
 */
export function chooseColumns(wishes: readonly string[], choice: ColumnChoice): readonly string[] {
  if (wishes.includes('*')) return choice.all;
  const unknown = wishes.filter((wish) => !choice.all.includes(wish));
  if (unknown.length > 0) {
    const expected = `must be one of ${choice.all.join(', ')}`;
    throw badRequest(unknown.map((name) => invalidParameter(`cols[]=${name.slice(0, 100)}`, expected)));
  }
  const columns = [...new Set(wishes)];
  return columns.length > 0 ? columns : choice.default;
}

/** The requested members of a record, in that order, without undefined ones. */
export function pickColumns(record: Readonly<PlainObject>, columns: readonly string[]): PlainObject {
  const picked: PlainObject = {};
  for (const column of columns) {
    const value = record[column];
    if (value !== undefined) setMember(picked, column, value);
  }
  return picked;
}
