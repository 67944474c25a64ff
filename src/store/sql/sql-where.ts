import { StoreError } from '../../errors/engine-error.js';
import { isBounded, isContaining, isWithin } from '../record-store.js';
import type { SqlDatabase } from '../sql-database.js';
import { quoteName } from './quote-name.js';
import type { RowCodec } from './row-codec.js';

/** What a condition needs to know about the database it is for. */
export interface SqlSources {
  readonly codecs: ReadonlyMap<string, RowCodec>;
  readonly kind: SqlDatabase['kind'];
}

/** @throws StoreError `STORE_FAILED` when there is no such table */
export function requireCodec(sources: SqlSources, name: string): RowCodec {
  const codec = sources.codecs.get(name);
  if (!codec) throw new StoreError('STORE_FAILED', `There is no table "${name}".`);
  return codec;
}

/** The values of a statement, each behind its mark: nothing that is looked up becomes part of a text. */
export class SqlValues {
  readonly list: unknown[] = [];
  readonly #kind: SqlDatabase['kind'];

  constructor(kind: SqlDatabase['kind']) {
    this.#kind = kind;
  }

  /** Takes a value, and gives the mark that stands for it. */
  mark(value: unknown): string {
    this.list.push(value);
    return this.#kind === 'postgres' ? `$${this.list.length}` : '?';
  }

  markAll(values: readonly unknown[]): string {
    return values.map((value) => this.mark(value)).join(', ');
  }
}

/** The conditions of a query as text, for `where`. Names of columns are those of the table, never what a caller gives. */
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

/** A search by position, as LIKE gives some characters a meaning and, in SQLite, ignores case. */
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
    // Null is in no list of SQL.
    const hasNull = some.length < condition.length;
    if (some.length === 0) return hasNull ? `${column} is null` : 'false';
    const listed = `${column} in (${values.markAll(some)})`;
    return hasNull ? `(${listed} or ${column} is null)` : listed;
  }
  if (condition === null) return `${column} is null`;
  return `${column} = ${values.mark(codec.encodeValue(name, condition))}`;
}
