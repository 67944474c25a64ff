import type { Queries, Query, Row } from '../../shared/store/record-store.js';
import type { RestReader, RestTables } from './tables.js';

/** Rows read by one statement. It bounds the memory of a statement and the number of ids in the ones that follow. */
const BATCH_SIZE = 250;

/** A query that names the columns it needs. */
type ColumnQuery<K extends keyof RestTables, C extends keyof RestTables[K] & string> = Query<
  RestTables[K],
  C
> & { readonly columns: readonly C[] };

/**
 * Reads rows in batches. A longer result is read as a list of ids first, so that no row comes twice. Rows deleted
 * meanwhile are left out.
 */
export async function* readRows<K extends keyof RestTables & string, C extends keyof RestTables[K] & string>(
  reader: RestReader,
  table: K,
  query: ColumnQuery<K, C>,
): AsyncGenerator<readonly Pick<RestTables[K], C | 'id'>[], void, undefined> {
  const { limit = Number.POSITIVE_INFINITY } = query;
  const first = await queryRows(reader, table, { ...query, limit: Math.min(limit, BATCH_SIZE + 1) });
  if (first.length <= BATCH_SIZE) {
    yield first;
    return;
  }
  const found = await queryRows(reader, table, { ...query, columns: [] });
  for (let from = 0; from < found.length; from += BATCH_SIZE) {
    const ids = found.slice(from, from + BATCH_SIZE).map((row) => row.id);
    const where: Readonly<Record<string, unknown>> = { id: ids };
    const rows = await queryRows(reader, table, { columns: query.columns, where });
    const byId = new Map(rows.map((row) => [row.id, row] as const));
    yield ids.flatMap((id) => byId.get(id) ?? []);
  }
}

/** Reads all rows of `readRows` into one list. */
export async function readAllRows<
  K extends keyof RestTables & string,
  C extends keyof RestTables[K] & string,
>(reader: RestReader, table: K, query: ColumnQuery<K, C>): Promise<readonly Pick<RestTables[K], C | 'id'>[]> {
  const all: Pick<RestTables[K], C | 'id'>[] = [];
  for await (const rows of readRows(reader, table, query)) all.push(...rows);
  return all;
}

/** Columns and conditions of a query; every table has the column `id`. */
interface Asked<C extends string> extends Omit<Query<Row, never>, 'columns' | 'where' | 'sortBy'> {
  readonly columns: readonly C[];
  readonly where?: Readonly<Record<string, unknown>> | undefined;
  readonly sortBy?: string | undefined;
}

async function queryRows<K extends keyof RestTables & string, C extends keyof RestTables[K] & string>(
  reader: RestReader,
  table: K,
  { limit, ...query }: Asked<C>,
): Promise<readonly Pick<RestTables[K], C | 'id'>[]> {
  const isLimited = limit !== undefined && limit !== Number.POSITIVE_INFINITY;
  const question: object = { find: table, ...query, ...(isLimited && { limit }) };
  // The query is valid for the table `table`, so its rows belong to that table.
  const { rows } = await reader.queryAll({ rows: question } as Queries<RestTables>);
  const found: unknown = rows;
  return found as readonly Pick<RestTables[K], C | 'id'>[];
}
