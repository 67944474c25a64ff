import { createHash } from 'node:crypto';
import { createBoundedCache } from '../../util/bounded-cache.js';

/** Names for statements that a PostgreSQL server keeps prepared on each connection. */
export interface StatementNames {
  /** The name of a statement; undefined for one that comes too seldom. */
  find(text: string): string | undefined;
  /** From now on a statement has no name: what the server kept of it is no longer good. */
  forget(text: string): void;
}

/** The server keeps them on each connection, and never lets go of one. */
const MAX_NAMED = 200;
const MAX_LENGTH = 20_000;

/** Statements with lists come in any number of lengths, most of them once. */
const FIRST_NAMED_USE = 3;
const MAX_COUNTED = 1000;

/** Names statements that are run again and again, so that the server reads and plans them once for a connection. */
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
 * Made of the text alone: behind a pooler that knows nothing of names, a connection may have been given one by another process, and
 * what it stands for must not be another statement.
 */
function deriveName(text: string): string {
  return `iml_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/**
 * `feature_not_supported`: a table has changed under a kept plan; `invalid_sql_statement_name`: the connection is to another server;
 * `duplicate_prepared_statement`: it was somebody else's before.
 */
const STALE: ReadonlySet<unknown> = new Set(['0A000', '26000', '42P05']);

/** Whether a statement failed by its name alone, and would not without. */
export function isStale(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && STALE.has(error.code);
}
