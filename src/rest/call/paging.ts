import { ownMember, type PlainObject } from '../../shared/plain-object.js';

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
