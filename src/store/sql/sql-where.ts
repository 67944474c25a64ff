import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { StoreError } from '../../errors/store-error.js';
import { isBounded, isContaining, isWithin } from '../record-store.js';
import type { SqlDatabase } from '../sql-database.js';
import type { SqlTables } from '../sql-tables.js';
import type { RowCodec } from './row-codec.js';

type Builder = ExpressionBuilder<SqlTables, string>;

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

/** The conditions of a query as SQL, for `where(...)`. */
export function writeCondition(
  sources: SqlSources,
  table: string,
  where: Readonly<Record<string, unknown>>,
): (it: Builder) => Expression<SqlBool> {
  const codec = requireCodec(sources, table);
  return (it) =>
    it.and(
      Object.entries(where).map(([name, condition]) => oneCondition(it, { sources, codec, name, condition })),
    );
}

interface ColumnCondition {
  readonly sources: SqlSources;
  readonly codec: RowCodec;
  readonly name: string;
  readonly condition: unknown;
}

/** A search by position, as LIKE gives some characters a meaning and, in SQLite, ignores case. */
const POSITION = { sqlite: 'instr', postgres: 'strpos' } as const;

function oneCondition(
  it: Builder,
  { sources, codec, name, condition }: ColumnCondition,
): Expression<SqlBool> {
  const column = codec.column(name);
  if (isWithin(condition)) {
    const inner = requireCodec(sources, condition.within);
    const values = it
      .selectFrom(inner.table)
      .select(inner.column(condition.column))
      .where(writeCondition(sources, condition.within, condition.where));
    return it(column, 'in', values);
  }
  if (isContaining(condition)) {
    return it(it.fn(POSITION[sources.kind], [it.ref(column), it.val(condition.containing)]), '>', 0);
  }
  if (isBounded(condition)) {
    const bound =
      'atMost' in condition ? it(column, '<=', condition.atMost) : it(column, '>', condition.above);
    return condition.orNull === true ? it.or([bound, it(column, 'is', null)]) : bound;
  }
  if (Array.isArray(condition)) {
    const values = condition.filter((value) => value !== null).map((value) => codec.encodeValue(name, value));
    // Null is in no list of SQL.
    return it.or([
      ...(values.length > 0 ? [it(column, 'in', values)] : []),
      ...(values.length < condition.length ? [it(column, 'is', null)] : []),
    ]);
  }
  return condition === null ? it(column, 'is', null) : it(column, '=', codec.encodeValue(name, condition));
}
