import { completeRow, withId } from '../complete-row.js';
import { IdOf } from '../record-store.js';
import type { SqlRunner } from '../sql-runner.js';
import { quoteName } from './quote-name.js';
import type { SqlRow } from './run-text.js';
import { insertRows } from './sql-change.js';
import { requireCodec, type SqlSources, SqlValues } from './sql-where.js';

/** Linked rows to add. See `NewRows` of the port. */
export type AnyNewRows = Readonly<
  Record<string, { readonly table: string; readonly row: object } | undefined>
>;

type Entry = readonly [name: string, added: { readonly table: string; readonly row: object }];

/** Lists the rows to add with their names. */
function listNewRows(rows: AnyNewRows): readonly Entry[] {
  return Object.entries(rows).flatMap(([name, it]) => (it ? [[name, it] as const] : []));
}

/** Inserts rows with as few statements as tables and ids allow. @returns the added rows by name */
export async function insertInOrder(
  on: SqlRunner,
  sources: SqlSources,
  rows: AnyNewRows,
): Promise<Record<string, object>> {
  const ids = new Map<string, number>();
  const added: Record<string, object> = {};
  let left = listNewRows(rows);
  for (let [first] = left; first; [first] = left) {
    const { table } = first[1];
    const ready = left.filter(([, it]) => it.table === table && isReady(it.row, ids));
    // Each row comes after the rows whose ids it contains, so the first one is always ready.
    const batch = ready.length > 0 ? ready : [first];
    const completed = batch.map(([, { row }]) => completeRow(row, (it) => ids.get(it)));
    const insertedIds = await insertRows(on, sources, table, completed);
    for (const [index, [name]] of batch.entries()) {
      const id = insertedIds[index] ?? 0;
      ids.set(name, id);
      added[name] = withId(id, completed[index] ?? {});
    }
    left = left.filter((it) => !batch.includes(it));
  }
  return added;
}

function isReady(row: object, ids: ReadonlyMap<string, number>): boolean {
  return Object.values(row).every((value) => !(value instanceof IdOf) || ids.has(value.name));
}

/** Writes one PostgreSQL statement that adds linked rows; undefined if a table has `apart` columns. */
export function writeLinkedInsert(
  sources: SqlSources,
  rows: AnyNewRows,
): { readonly text: string; readonly values: SqlValues } | undefined {
  const values = new SqlValues(sources.kind);
  const entries = listNewRows(rows);
  const aliases = new Map(entries.map(([name], index) => [name, `r${index}`] as const));
  /** The last row per table. The next one depends on it, so that ids follow the order of the rows. */
  const lastOf = new Map<string, string>();
  const parts: string[] = [];
  for (const [name, { table, row }] of entries) {
    const codec = requireCodec(sources, table);
    if (codec.apart !== undefined) return undefined;
    const last = lastOf.get(table);
    const before = new Set(last === undefined ? [] : [last]);
    const selected = Object.entries(row).map(([column, value]) => {
      if (!(value instanceof IdOf)) return values.mark(codec.encodeValue(column, value));
      const alias = aliases.get(value.name) ?? '';
      before.add(alias);
      return `"${alias}"."id"`;
    });
    const columns = Object.keys(row).map((column) => codec.quoted(column));
    const from = before.size === 0 ? '' : ` from ${[...before].map(quoteName).join(', ')}`;
    const alias = aliases.get(name) ?? '';
    parts.push(
      `"${alias}" as (insert into ${quoteName(codec.table)} (${columns.join()}) select ${selected.join()}${from} returning "id")`,
    );
    lastOf.set(table, alias);
  }
  const all = [...aliases.values()];
  const ids = all.map((alias) => `"${alias}"."id" as "${alias}"`).join(', ');
  return { text: `with ${parts.join(', ')} select ${ids} from ${all.map(quoteName).join(', ')}`, values };
}

/** Reads the added rows by name from the result. */
export function readLinkedInsert(rows: AnyNewRows, found: SqlRow = {}): Record<string, object> {
  const entries = listNewRows(rows);
  const ids = new Map(entries.map(([name], index) => [name, Number(found[`r${index}`])] as const));
  return Object.fromEntries(
    entries.map(([name, { row }]) => {
      const completed = completeRow(row, (it) => ids.get(it));
      return [name, withId(ids.get(name) ?? 0, completed)];
    }),
  );
}
