import { createBoundedCache } from '../../bounded-cache.js';
import { StoreError } from '../../errors/engine-error.js';
import { seal } from '../../seal.js';
import { type ColumnSeal, isSealed, openSealed, refuseSealed } from '../column-seal.js';
import { JsonText, MAX_PARSED_LENGTH } from '../json-text.js';
import type { Row, TableDefinition } from '../record-store.js';
import { sqlName } from '../sql-database.js';
import { quoteName } from './quote-name.js';

/** Converts between rows of the program and rows of SQL. */
export interface RowCodec {
  readonly table: string;
  /** Number of columns. */
  readonly width: number;
  /** SQL names of all columns. */
  readonly sqlColumns: readonly string[];
  /** The table of the `apart` columns and their SQL names. Its rows share the ids of the main table. */
  readonly apart: { readonly table: string; readonly sqlColumns: ReadonlySet<string> } | undefined;
  /** The SQL name of a column. @throws StoreError if the table has no such column */
  column(name: string): string;
  /** The quoted SQL name of a column. */
  quoted(name: string): string;
  encode(row: object): Record<string, unknown>;
  encodeValue(name: string, value: unknown): unknown;
  /** Decodes a value that a statement returned. */
  decodeValue(name: string, value: unknown): unknown;
  /** Names of all columns including `id`. */
  readonly allNames: readonly string[];
  /** Names of the columns of the main table, in the order of `sqlColumns`. */
  readonly names: readonly string[];
  /** Whether the values of a column need no decoding except null. */
  isPlain(name: string): boolean;
  isDecimal(name: string): boolean;
  /** Decodes a row with its id and the read columns. Default: all columns. */
  decode(row: Readonly<Record<string, unknown>>, columns?: readonly string[]): Row;
}

/** Decodes one column of a result. */
interface ColumnReader {
  readonly name: string;
  readonly column: string;
  readonly isPlain: boolean;
}

/** Maximum number of cached values of `shared` columns, and maximum length of their texts. [choice] */
const MAX_SHARED = 1000;
const MAX_SHARED_LENGTH = 64 * 1024 * 1024;

/**
 * Creates the codec of a table. Booleans are stored as 0 and 1, objects and arrays as JSON text, on both databases.
 *
 * @param options.prefix prefix of table names
 * @param options.sealKey encrypts the sealed columns; without it, they are stored in plain text
 */
export function createRowCodec(
  name: string,
  definition: TableDefinition<never>,
  { prefix, sealKey }: { readonly prefix: string; readonly sealKey?: Uint8Array | undefined },
): RowCodec {
  const table = prefix + sqlName(name);
  const columns: readonly string[] = ['id', ...definition.columns];
  const names = new Map(columns.map((name) => [name, sqlName(name)]));
  const quotes = new Map(columns.map((name) => [name, quoteName(sqlName(name))]));
  const flags: ReadonlySet<string> = new Set(definition.flags);
  const json: ReadonlySet<string> = new Set(definition.json);
  const sealed: ReadonlySet<string> = new Set(definition.sealed);
  const seals: ReadonlyMap<string, ColumnSeal> = new Map(
    sealKey === undefined
      ? []
      : [...sealed].map((name) => [name, { key: sealKey, purpose: `${table}.${name}` }]),
  );
  const large: ReadonlySet<string> = new Set(definition.large);
  const shared: ReadonlySet<string> = new Set(definition.shared);
  const decimals: ReadonlySet<string> = new Set(definition.decimals);
  const parsed = createBoundedCache<{ readonly value: unknown }>(MAX_SHARED, MAX_SHARED_LENGTH);

  const find = (texts: ReadonlyMap<string, string>, name: string): string => {
    const found = texts.get(name);
    if (found === undefined) throw new StoreError('STORE_FAILED', `${table} has no column "${name}".`);
    return found;
  };
  const column = (name: string): string => find(names, name);
  const encodeValue = (name: string, value: unknown): unknown => {
    if (value === null || value === undefined) return null;
    if (flags.has(name)) return value ? 1 : 0;
    if (!json.has(name)) return value;
    const by = seals.get(name);
    if (value instanceof JsonText) return by === undefined ? value.text : value.sealedText(by);
    const text = JSON.stringify(value);
    return by === undefined ? text : seal(text, by.key, by.purpose);
  };
  const decodeValue = (name: string, value: unknown): unknown => {
    if (value === null || value === undefined) return null;
    if (flags.has(name)) return value === 1;
    if (decimals.has(name)) return Number(value);
    if (!json.has(name)) return value;
    const text = String(value);
    const parse = (): unknown => {
      const isLarge = large.has(name) && text.length > MAX_PARSED_LENGTH;
      if (!sealed.has(name) || !isSealed(text)) return isLarge ? new JsonText(text) : JSON.parse(text);
      const by = seals.get(name) ?? refuseSealed({ purpose: `${table}.${name}` }, false);
      return isLarge ? new JsonText({ text, by }) : JSON.parse(openSealed(text, by));
    };
    if (!shared.has(name)) return parse();
    const known = parsed.get(text);
    if (known !== undefined) return known.value;
    const made = { value: parse() };
    parsed.set(text, made);
    return made.value;
  };
  const isPlain = (name: string): boolean => !flags.has(name) && !json.has(name) && !decimals.has(name);
  /** Readers by list of columns, as all rows of a result are decoded the same way. */
  const readers = new WeakMap<readonly string[], readonly ColumnReader[]>();
  const findReaders = (requested: readonly string[]): readonly ColumnReader[] => {
    const known = readers.get(requested);
    if (known !== undefined) return known;
    const made = [...new Set(['id', ...requested])].map((name) => ({
      name,
      column: column(name),
      isPlain: isPlain(name),
    }));
    readers.set(requested, made);
    return made;
  };
  const apartColumns = new Set<string>(definition.apart?.columns.map((name) => sqlName(name)));
  const own = columns.filter((name) => !apartColumns.has(column(name)));
  return {
    table,
    width: columns.length,
    allNames: columns,
    names: own,
    sqlColumns: own.map(column),
    apart: definition.apart && { table: prefix + sqlName(definition.apart.table), sqlColumns: apartColumns },
    column,
    quoted: (name) => find(quotes, name),
    encodeValue,
    decodeValue,
    isPlain,
    isDecimal: (name) => decimals.has(name),
    encode: (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [column(name), encodeValue(name, value)]),
      ),
    decode: (row, requested = columns) => {
      // Every table has the column `id`, an integer.
      const decoded = {} as Row & Record<string, unknown>;
      for (const reader of findReaders(requested)) {
        const value = row[reader.column] ?? null;
        decoded[reader.name] = reader.isPlain ? value : decodeValue(reader.name, value);
      }
      return decoded;
    },
  };
}
