import type { PlainObject } from '../util/plain-object.js';

/** How a list is cut into pages. Source: reference/rest-api.md section 1.3. [src][inf] */
export interface Paging {
  /** Columns a caller may sort by. */
  readonly sortBy: readonly string[];
  readonly defaultSortBy: string;
  readonly defaultSortDir: SortDirection;
  readonly defaultLimit: number;
}

export type SortDirection = 'asc' | 'desc';

export interface Page {
  readonly sortBy: string;
  readonly sortDir: SortDirection;
  readonly limit: number;
  readonly offset: number;
}

/** A page never holds more; a larger `pg[limit]` means this. */
const MAX_PAGE: number = 10_000;

export const NO_PAGE: Page = { sortBy: 'id', sortDir: 'asc', limit: MAX_PAGE, offset: 0 };

/** The page a checked `pg` asks for. */
export function readPage(paging: Paging, pg: PlainObject): Page {
  const { sortBy = paging.defaultSortBy, limit = paging.defaultLimit, offset = 0 } = pg;
  return {
    sortBy: String(sortBy),
    sortDir: (pg['sortDir'] ?? paging.defaultSortDir) === 'desc' ? 'desc' : 'asc',
    limit: Math.min(Number(limit), MAX_PAGE),
    offset: Number(offset),
  };
}

/** The part of a page a store understands; names are sorted by their key. */
export function pageQuery<C extends string>(
  page: Page,
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
