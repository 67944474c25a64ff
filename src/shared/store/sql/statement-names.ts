import { createHash } from 'node:crypto';
import { createBoundedCache } from '../../bounded-cache.js';

/** Names of prepared statements on PostgreSQL connections. */
export interface StatementNames {
  /** The name of a statement; undefined if it is used too rarely. */
  find(text: string): string | undefined;
  /** Removes the name of a statement whose prepared plan is stale. */
  forget(text: string): void;
}

/** The server keeps named statements per connection and never removes them. */
const MAX_NAMED = 200;
const MAX_LENGTH = 20_000;

/** Statements with lists vary in length. Most lengths occur once. */
const FIRST_NAMED_USE = 3;
const MAX_COUNTED = 1000;

/** Names frequent statements, so that the server parses and plans them once per connection. */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string | undefined>();
  const uses = createBoundedCache<number>(MAX_COUNTED);
  return {
    find: (text) => {
      const known = names.get(text);
      if (known !== undefined || names.has(text)) return known;
      if (names.size >= MAX_NAMED || text.length > MAX_LENGTH) return undefined;
      const count = (uses.get(text) ?? 0) + 1;
      if (count < FIRST_NAMED_USE) {
        uses.set(text, count);
        return undefined;
      }
      const name = deriveName(text);
      names.set(text, name);
      return name;
    },
    forget: (text) => {
      names.set(text, undefined);
    },
  };
}

/**
 * Derived from the text alone. A pooler may hand over a connection on which another process prepared statements, and
 * the same name must mean the same text.
 */
function deriveName(text: string): string {
  return `iml_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/**
 * `feature_not_supported`: a table changed after the statement was prepared; `invalid_sql_statement_name`: the
 * connection reached another server; `duplicate_prepared_statement`: another client used the connection before.
 */
const STALE: ReadonlySet<unknown> = new Set(['0A000', '26000', '42P05']);

/** Whether a statement failed because of its name and would succeed without it. */
export function isStale(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && STALE.has(error.code);
}
