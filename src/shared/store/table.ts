import { createBoundedCache } from '../bounded-cache.js';
import { StoreError } from '../errors/engine-error.js';
import { seal, unseal } from '../seal.js';
import type { Row, Tables } from './record-store.js';

/** `text`, `whole` (64 bit), `flag` (0 or 1), `decimal`, `json` (text). `?` marks nullable columns. */
type ColumnKind = 'text' | 'whole' | 'flag' | 'decimal' | 'json';
export type ColumnType = ColumnKind | `${ColumnKind}?`;

/** The part of a table definition that determines its schema. */
export interface TableShape {
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly apart?: { readonly table: string; readonly columns: readonly string[] };
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly (readonly string[])[];
}

/** Definition of a table: its columns in SQL, and how the store handles their values. */
export interface TableDefinition<R extends Row = Row> {
  /** All columns except `id`. */
  readonly columns: { readonly [C in Exclude<keyof R & string, 'id'>]-?: ColumnType };
  /** JSON columns whose large values are passed as `JsonText`. */
  readonly large?: readonly (keyof R & string)[];
  /** JSON columns that are read far more often than they change. The store caches their parsed values by text. */
  readonly shared?: readonly (keyof R & string)[];
  /**
   * Large columns that rarely change. The store keeps them in a separate table, so that updates of other columns do
   * not rewrite them. Conditions cannot use them.
   */
  readonly apart?: { readonly table: string; readonly columns: readonly (keyof R & string)[] };
  /** JSON columns that a store with a key encrypts, bound to their row. They cannot be used in conditions. */
  readonly sealed?: readonly (keyof R & string)[];
  /** Unique constraints: sets of columns. */
  readonly unique?: readonly (readonly (keyof R & string)[])[];
  /** Indexes: lists of columns. */
  readonly indexes?: readonly (readonly (keyof R & string)[])[];
}

export type TableDefinitions<T extends Tables> = { readonly [K in keyof T & string]: TableDefinition<T[K]> };

/** Converts a name to SQL style: `createdAt` becomes `created_at`. */
export function sqlName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A column and the conversion of its values. */
export interface Column {
  readonly name: string;
  readonly sql: string;
  /** Whether it belongs to the table of the `apart` columns. */
  readonly isApart: boolean;
  readonly isSealed: boolean;
  /** @param id the row of a sealed value */
  readonly encode: (value: unknown, id?: number) => unknown;
  /** Absent if values need no conversion. Never called with null. */
  readonly decode?: ((value: unknown, id: number) => unknown) | undefined;
}

/** A table of a store. Booleans are stored as 0 and 1, objects and arrays as JSON text, on both databases. */
export interface Table {
  /** SQL names of the table and of the one with the `apart` columns, whose rows share its ids. */
  readonly sql: string;
  readonly apart: string | undefined;
  /** Names of all columns including `id`. */
  readonly names: readonly string[];
  /** @throws StoreError `STORE_FAILED` for an unknown column */
  readonly column: (name: string) => Column;
}

export interface TableOptions {
  /** Prefix of table names: `rest_`. */
  readonly prefix: string;
  /** Encrypts the sealed columns. Length: `SEAL_KEY_BYTES`. Without it, they are stored in plain text. */
  readonly sealKey?: Uint8Array | undefined;
}

/** @returns a function that finds a table by name and throws StoreError `STORE_FAILED` for an unknown one */
export function createTables(
  definitions: Readonly<Record<string, object>>,
  options: TableOptions,
): (name: string) => Table {
  const tables = new Map(
    Object.entries(definitions).map(([name, it]) => [
      name,
      createTable(name, it as TableDefinition, options),
    ]),
  );
  return (name) => {
    const table = tables.get(name);
    if (table === undefined) throw new StoreError('STORE_FAILED', `Unknown table "${name}".`);
    return table;
  };
}

function createTable(name: string, definition: TableDefinition, { prefix, sealKey }: TableOptions): Table {
  const sql = prefix + sqlName(name);
  const apart = definition.apart && prefix + sqlName(definition.apart.table);
  const types: [name: string, type: ColumnType][] = [
    ['id', 'whole'],
    ...Object.entries<ColumnType>(definition.columns),
  ];
  const columns = new Map(
    types.map(([column, type]) => {
      const has = (names: readonly string[] | undefined): boolean => names?.includes(column) === true;
      const json: JsonOptions = {
        sealKey: has(definition.sealed) ? (sealKey ?? 'missing') : undefined,
        isLarge: has(definition.large),
        isShared: has(definition.shared),
      };
      const made: Column = {
        name: column,
        sql: sqlName(column),
        isApart: has(definition.apart?.columns),
        isSealed: json.sealKey instanceof Uint8Array,
        ...createCodec(type.replace('?', '') as ColumnKind, `${sql}.${column}`, json),
      };
      return [column, made];
    }),
  );
  return {
    sql,
    apart,
    names: [...columns.keys()],
    column: (name) => {
      const column = columns.get(name);
      if (column === undefined) throw new StoreError('STORE_FAILED', `${sql} has no column "${name}".`);
      return column;
    },
  };
}

function createCodec(kind: ColumnKind, name: string, json: JsonOptions): Pick<Column, 'encode' | 'decode'> {
  switch (kind) {
    case 'flag':
      return {
        encode: (value) => (value == null ? null : Number(value === true)),
        decode: (value) => value === 1,
      };
    case 'decimal':
      return { encode: nullable, decode: Number };
    case 'json':
      return createJsonCodec(name, json);
    default:
      return { encode: nullable };
  }
}

function nullable(value: unknown): unknown {
  return value ?? null;
}

interface JsonOptions {
  /** Undefined if the column is not sealed. */
  readonly sealKey: Uint8Array | 'missing' | undefined;
  readonly isLarge: boolean;
  readonly isShared: boolean;
}

/** JSON never starts like this, so the prefix tells sealed texts from values stored before a key was set. */
const SEALED = /^v\d+\./;

/** Maximum number of cached values of `shared` columns, and maximum length of their texts. [choice] */
const MAX_SHARED = 1000;
const MAX_SHARED_LENGTH = 64 * 1024 * 1024;

/** @param name of the column with its table. A sealed text opens only with the same name and row. */
function createJsonCodec(
  name: string,
  { sealKey, isLarge, isShared }: JsonOptions,
): Pick<Column, 'encode' | 'decode'> {
  const open = (text: string, id: number): string => {
    const fail = (why: string): never => {
      const message = `Cannot open the sealed value of ${name} in the row ${id}: ${why}.`;
      throw new StoreError('STORE_FAILED', message);
    };
    if (!(sealKey instanceof Uint8Array)) return fail('no key is set');
    return unseal(text, sealKey, `${name}#${id}`) ?? fail('the key is wrong or the value was changed');
  };
  const parse = (text: string, id: number): unknown => {
    const isKept = isLarge && text.length > MAX_PARSED_LENGTH;
    if (sealKey === undefined || !SEALED.test(text)) {
      return isKept ? new JsonText(text) : parseOr(text, () => unreadable(name, id));
    }
    const sealed = new JsonText(() => open(text, id));
    if (isKept) return sealed;
    return parseOr(
      text,
      () => sealed,
      () => sealed.text,
    );
  };
  const parsed = createBoundedCache<{ readonly value: unknown }>(MAX_SHARED, MAX_SHARED_LENGTH);
  return {
    encode: (value, id) => {
      if (value === null || value === undefined) return null;
      const text = value instanceof JsonText ? value.text : JSON.stringify(value);
      return sealKey instanceof Uint8Array ? seal(text, sealKey, `${name}#${id}`) : text;
    },
    decode: (value, id) => {
      const text = String(value);
      if (!isShared) return parse(text, id);
      const key = `${id} ${text}`;
      const known = parsed.get(key) ?? { value: parse(text, id) };
      parsed.set(key, known);
      return known.value;
    },
  };
}

/** Parses JSON. @param instead the result for a text that is not readable */
function parseOr(text: string, instead: () => JsonText, open: () => string = () => text): unknown {
  try {
    return JSON.parse(open());
  } catch {
    return instead();
  }
}

/** A value whose text is not JSON. */
function unreadable(name: string, id: number): JsonText {
  return new JsonText(() => {
    throw new StoreError(
      'STORE_FAILED',
      `Cannot read the value of ${name} in the row ${id}: it is not JSON.`,
    );
  });
}

/** Decodes the read columns of a row in place. */
export function decodeRow(table: Table, row: Record<string, unknown>, names: readonly string[]): Row {
  const id = Number(row['id']);
  for (const name of names) {
    const value = row[name] ?? null;
    const { decode } = table.column(name);
    row[name] = value === null || decode === undefined ? value : decode(value, id);
  }
  // Every table has the column `id`, an integer.
  return row as Record<string, unknown> & Row;
}
/** Minimum length of JSON from which values of a `large` column stay unparsed text. [choice] */
export const MAX_PARSED_LENGTH: number = 64 * 1024;

/**
 * A JSON value as text. A store returns large values without parsing them, so passing them on costs nothing. Sealed
 * ones are opened on the first read. A value that does not open, or is no JSON, is also returned as `JsonText`,
 * whatever its length, so that only reading the value fails, not reading its row or other rows.
 */
export class JsonText {
  /** Undefined if unknown. */
  readonly bytes: number | undefined;
  #text: string | (() => string);

  /** @param text the JSON, or a function that opens it */
  constructor(text: string | (() => string), bytes?: number) {
    this.#text = text;
    this.bytes = bytes;
  }

  /** @throws StoreError `STORE_FAILED` if a sealed text does not open */
  get text(): string {
    if (typeof this.#text !== 'string') this.#text = this.#text();
    return this.#text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
