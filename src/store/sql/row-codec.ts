import { StoreError } from '../../errors/store-error.js';
import type { Row, TableDefinition } from '../record-store.js';
import { sqlName } from '../sql-database.js';

/** Between rows as the program sees them and rows as SQL keeps them. */
export interface RowCodec {
  readonly table: string;
  /** How many columns the table has. */
  readonly width: number;
  /** The SQL name of a column. @throws StoreError when the table has no such column */
  column(name: string): string;
  encode(row: object): Record<string, unknown>;
  encodeValue(name: string, value: unknown): unknown;
  /** Members are the columns that were read: all of them unless named. */
  decode(row: Readonly<Record<string, unknown>>, columns?: readonly string[]): Row;
}

/** Booleans are kept as 0 and 1, objects and lists as JSON text: both databases treat these the same. */
export function createRowCodec(table: string, definition: TableDefinition<never>): RowCodec {
  const columns: readonly string[] = ['id', ...definition.columns];
  const names = new Map(columns.map((name) => [name, sqlName(name)]));
  const flags: ReadonlySet<string> = new Set(definition.flags);
  const json: ReadonlySet<string> = new Set(definition.json);

  const column = (name: string): string => {
    const found = names.get(name);
    if (found === undefined) throw new StoreError('STORE_FAILED', `${table} has no column "${name}".`);
    return found;
  };
  const encodeValue = (name: string, value: unknown): unknown => {
    if (value === null || value === undefined) return null;
    if (flags.has(name)) return value ? 1 : 0;
    return json.has(name) ? JSON.stringify(value) : value;
  };
  const decodeValue = (name: string, value: unknown): unknown => {
    if (value === null) return null;
    if (flags.has(name)) return value === 1;
    return json.has(name) ? JSON.parse(String(value)) : value;
  };
  return {
    table,
    width: columns.length,
    column,
    encodeValue,
    encode: (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [column(name), encodeValue(name, value)]),
      ),
    decode: (row, wanted = columns) => {
      const decoded: Record<string, unknown> = {};
      for (const name of wanted) decoded[name] = decodeValue(name, row[column(name)]);
      // Every table has the column `id`, a whole number.
      return decoded as unknown as Row;
    },
  };
}
