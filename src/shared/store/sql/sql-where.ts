import { StoreError } from '../../errors/engine-error.js';
import { isBounded, isContaining, isWithin } from '../record-store.js';
import type { SqlDatabase } from '../sql-database.js';
import { quoteName } from './quote-name.js';
import type { RowCodec } from './row-codec.js';

/** Database kind and codecs that a condition needs. */
export interface SqlSources {
  readonly codecs: ReadonlyMap<string, RowCodec>;
  readonly kind: SqlDatabase['kind'];
}

/** @throws StoreError `STORE_FAILED` if the table does not exist */
export function requireCodec(sources: SqlSources, name: string): RowCodec {
  const codec = sources.codecs.get(name);
  if (!codec) throw new StoreError('STORE_FAILED', `Unknown table "${name}".`);
  return codec;
}

/** The values of a statement and their placeholders. No value becomes part of the SQL text. */
export class SqlValues {
  readonly list: unknown[] = [];
  readonly #kind: SqlDatabase['kind'];

  constructor(kind: SqlDatabase['kind']) {
    this.#kind = kind;
  }

  /** Adds a value and returns its placeholder. */
  mark(value: unknown): string {
    this.list.push(value);
    return this.#kind === 'postgres' ? `$${this.list.length}` : '?';
  }

  markAll(values: readonly unknown[]): string {
    return values.map((value) => this.mark(value)).join(', ');
  }
}

/** Writes the conditions of a query for `where`. Column names come from the table definition, never from input. */
export function writeCondition(
  sources: SqlSources,
  table: string,
  where: Readonly<Record<string, unknown>>,
  values: SqlValues,
): string {
  const codec = requireCodec(sources, table);
  let text = '';
  for (const [name, condition] of Object.entries(where)) {
    if (text !== '') text += ' and ';
    text += oneCondition(sources, codec, { name, condition }, values);
  }
  return text === '' ? 'true' : text;
}

/** Uses a position function, because LIKE has wildcards and ignores case in SQLite. */
const POSITION = { sqlite: 'instr', postgres: 'strpos' } as const;

function oneCondition(
  sources: SqlSources,
  codec: RowCodec,
  { name, condition }: { readonly name: string; readonly condition: unknown },
  values: SqlValues,
): string {
  const column = codec.quoted(name);
  if (isWithin(condition)) {
    const inner = requireCodec(sources, condition.within);
    const fitting = writeCondition(sources, condition.within, condition.where, values);
    return `${column} in (select ${inner.quoted(condition.column)} from ${quoteName(inner.table)} where ${fitting})`;
  }
  if (isContaining(condition)) {
    return `${POSITION[sources.kind]}(${column}, ${values.mark(condition.containing)}) > 0`;
  }
  if (isBounded(condition)) {
    const bound =
      'atMost' in condition
        ? `${column} <= ${values.mark(condition.atMost)}`
        : `${column} > ${values.mark(condition.above)}`;
    return condition.orNull === true ? `(${bound} or ${column} is null)` : bound;
  }
  if (Array.isArray(condition)) {
    const some = condition.filter((value) => value !== null).map((value) => codec.encodeValue(name, value));
    // SQL lists never match null.
    const hasNull = some.length < condition.length;
    if (some.length === 0) return hasNull ? `${column} is null` : 'false';
    const listed = `${column} in (${values.markAll(some)})`;
    return hasNull ? `(${listed} or ${column} is null)` : listed;
  }
  if (condition === null) return `${column} is null`;
  return `${column} = ${values.mark(codec.encodeValue(name, condition))}`;
}
