import type { Query } from '../../shared/store/record-store.js';
import type { RestReader, RestTables } from './tables.js';

/** Rows read by one statement. SQLite accepts 32,766 ids in the statements that follow. */
const BATCH_SIZE = 10_000;

type Rows<K extends keyof RestTables, C extends keyof RestTables[K]> = readonly Pick<
  RestTables[K],
  C | 'id'
>[];

/**
 * Reads rows of lists without pages in batches. A longer result is read as a list of ids first, so that no row comes twice. Rows deleted
 * meanwhile are left out.
 */
export async function* readRows<K extends keyof RestTables & string, C extends keyof RestTables[K] & string>(
  reader: RestReader,
  table: K,
  query: Omit<Query<RestTables[K], C>, 'limit' | 'offset'>,
): AsyncGenerator<Rows<K, C>, void, undefined> {
  const { columns } = query;
  const first = await reader.find(table, { ...query, limit: BATCH_SIZE + 1 });
  if (first.length <= BATCH_SIZE) {
    yield first;
    return;
  }
  const found = await reader.find(table, { ...query, columns: [] });
  for (let from = 0; from < found.length; from += BATCH_SIZE) {
    const ids = found.slice(from, from + BATCH_SIZE).map((row) => row.id);
    const where: object = { id: ids };
    const rows = await reader.find(table, { columns, where });
    const byId = new Map(rows.map((row) => [row.id, row]));
    yield ids.flatMap((id) => byId.get(id) ?? []);
  }
}

/** Reads all rows of `readRows` into one list. */
export async function readAllRows<
  K extends keyof RestTables & string,
  C extends keyof RestTables[K] & string,
>(
  reader: RestReader,
  table: K,
  query: Omit<Query<RestTables[K], C>, 'limit' | 'offset'>,
): Promise<Rows<K, C>> {
  const all: Pick<RestTables[K], C | 'id'>[] = [];
  for await (const rows of readRows(reader, table, query)) all.push(...rows);
  return all;
}
