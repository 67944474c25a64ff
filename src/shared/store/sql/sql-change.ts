import { type BoundedCache, createBoundedCache } from '../../bounded-cache.js';
import { JsonText } from '../json-text.js';
import type { SqlRunner } from '../sql-runner.js';
import { quoteName } from './quote-name.js';
import type { RowCodec } from './row-codec.js';
import { runText, type SqlRow } from './run-text.js';
import { requireCodec, type SqlSources, SqlValues, writeCondition } from './sql-where.js';

type AnyWhere = Readonly<Record<string, unknown>>;

/** PostgreSQL and SQLite refuse statements with more values. */
const MAX_VALUES = 30_000;

/**
 * Inserts rows with the same columns in order, with as few statements as possible. @returns their ids in that order
 */
export async function insertRows(
  on: SqlRunner,
  sources: SqlSources,
  name: string,
  rows: readonly object[],
): Promise<readonly number[]> {
  const codec = requireCodec(sources, name);
  const { table, apart } = codec;
  const names = Object.keys(rows[0] ?? {});
  const isApart = (name: string): boolean => apart?.sqlColumns.has(codec.column(name)) === true;
  const size = Math.floor(MAX_VALUES / codec.width);
  const added: number[] = [];
  for (const [start, end] of splitRows(rows, apart === undefined ? names : [], size)) {
    const some = rows.slice(start, end);
    const own = writeInsert(codec, sources, { table, names: names.filter((one) => !isApart(one)) }, some);
    const ids = await insertOwn(on, sources, own, some.length);
    added.push(...ids);
    if (apart === undefined) continue;
    const namesApart = names.filter(isApart);
    for (const [from, to] of splitRows(some, namesApart)) {
      const others = { table: apart.table, names: namesApart, ids: ids.slice(from, to) };
      await runText(on, ...writeInsert(codec, sources, others, some.slice(from, to)));
    }
  }
  return added;
}

/** Maximum characters of large values per statement. Sending one blocks others. */
const MAX_LARGE = 1024 * 1024;

/** Splits rows into batches that respect the maximum of large values. */
function splitRows(
  rows: readonly object[],
  names: readonly string[],
  most: number = rows.length,
): readonly (readonly [from: number, to: number])[] {
  const ends: number[] = [];
  let from = 0;
  let length = 0;
  for (const [index, row] of rows.entries()) {
    const own = names.reduce((sum, name) => sum + lengthOfLarge(Reflect.get(row, name)), 0);
    if (index - from === most || (length > 0 && own > 0 && length + own > MAX_LARGE)) {
      ends.push(index);
      from = index;
      length = 0;
    }
    length += own;
  }
  if (rows.length > 0) ends.push(rows.length);
  return ends.map((end, index) => [ends[index - 1] ?? 0, end]);
}

function lengthOfLarge(value: unknown): number {
  return value instanceof JsonText ? value.text.length : 0;
}

/** Target table and columns of an insert. */
interface InsertTarget {
  readonly table: string;
  readonly names: readonly string[];
  /** Absent if the table assigns the ids. */
  readonly ids?: readonly number[];
}

function writeInsert(
  codec: RowCodec,
  { kind }: SqlSources,
  { table, names, ids }: InsertTarget,
  rows: readonly object[],
): readonly [text: string, values: SqlValues] {
  const values = new SqlValues(kind);
  for (const [index, row] of rows.entries()) {
    if (ids !== undefined) values.list.push(ids[index]);
    for (const name of names) values.list.push(codec.encodeValue(name, Reflect.get(row, name)));
  }
  const columns = names.map((name) => codec.quoted(name));
  if (ids !== undefined) columns.unshift('"id"');
  return [writeInsertText(kind, table, columns, rows.length), values];
}

/** Cached texts of small inserts. */
const TEXTS: BoundedCache<string> = createBoundedCache<string>(200);
const FEW_ROWS = 4;

function writeInsertText(
  kind: SqlSources['kind'],
  table: string,
  columns: readonly string[],
  count: number,
): string {
  const key = `${kind} ${count} ${table} ${columns.join()}`;
  const known = count > FEW_ROWS ? undefined : TEXTS.get(key);
  if (known !== undefined) return known;
  const values = new SqlValues(kind);
  const tuples = Array.from({ length: count }, () => `(${columns.map(() => values.mark(null)).join()})`);
  const text = `insert into ${quoteName(table)} (${columns.join()}) values ${tuples.join()}`;
  if (count <= FEW_ROWS) TEXTS.set(key, text);
  return text;
}

/** Inserts rows and lets the table assign ids. @returns the ids in the order of the rows */
async function insertOwn(
  on: SqlRunner,
  sources: SqlSources,
  [text, values]: ReturnType<typeof writeInsert>,
  count: number,
): Promise<readonly number[]> {
  if (sources.kind === 'sqlite') {
    // With one writer, ids are consecutive. Reading them row by row from `returning` takes as long as the insert.
    const last = Number((await runText(on, text, values)).insertId ?? 0);
    return Array.from({ length: count }, (_, index) => last - count + 1 + index);
  }
  const { rows } = await runText(on, `${text} returning "id"`, values);
  // Ids are assigned in the order of the values. SQL does not define the order of returned rows.
  return rows.map((row) => Number(row['id'])).sort((a, b) => a - b);
}

/** Updates all matching rows. @returns their number and the returned columns */
export async function updateRows(
  on: SqlRunner,
  sources: SqlSources,
  name: string,
  { where, change, returning = '' }: RowChange,
): Promise<{ readonly count: number; readonly rows: readonly SqlRow[] }> {
  const codec = requireCodec(sources, name);
  const { table, apart } = codec;
  const names = Object.keys(change);
  const others = apart === undefined ? [] : names.filter((it) => apart.sqlColumns.has(codec.column(it)));
  const own = others.length === 0 ? names : names.filter((it) => !others.includes(it));
  const setTo = (columns: readonly string[], values: SqlValues): string =>
    columns
      .map((it) => `${codec.quoted(it)} = ${values.mark(codec.encodeValue(it, Reflect.get(change, it)))}`)
      .join(', ');
  let elsewhere: ReturnType<typeof runText> | undefined;
  if (apart !== undefined && others.length > 0) {
    const values = new SqlValues(sources.kind);
    const set = setTo(others, values);
    const fitting = writeCondition(sources, name, where, values);
    // Must precede the main update, after which rows may no longer match.
    const ids = `select "id" from ${quoteName(table)} where ${fitting}`;
    const text = `update ${quoteName(apart.table)} set ${set} where "id" in (${ids})`;
    elsewhere = runText(on, text, values);
  }
  const isOwn = own.length > 0 || returning !== '';
  const values = new SqlValues(sources.kind);
  const set = setTo(own, values);
  const fitting = writeCondition(sources, name, where, values);
  const text = `update ${quoteName(table)} set ${set} where ${fitting}${returning}`;
  const [first, second] = await Promise.all([elsewhere, isOwn ? runText(on, text, values) : undefined]);
  const { numAffectedRows, rows } = second ?? { ...first, rows: [] };
  return { count: Number(numAffectedRows ?? 0), rows };
}

interface RowChange {
  readonly where: AnyWhere;
  readonly change: object;
  readonly returning?: string | undefined;
}

/** Writes the returning clause with the id and the columns, `apart` ones included. Default: all. */
export function writeReturning(codec: RowCodec, requested: readonly string[] = codec.allNames): string {
  const { table, apart } = codec;
  const texts = [...new Set(['id', ...requested])].map((name) => {
    const column = codec.quoted(name);
    if (apart?.sqlColumns.has(codec.column(name)) !== true) return column;
    return `(select ${column} from ${quoteName(apart.table)} where "id" = ${quoteName(table)}."id") as ${column}`;
  });
  return ` returning ${texts.join(', ')}`;
}

/** Removes all matching rows. @returns their number */
export async function removeRows(
  on: SqlRunner,
  sources: SqlSources,
  name: string,
  where: AnyWhere,
): Promise<number> {
  const { table, apart } = requireCodec(sources, name);
  const values = new SqlValues(sources.kind);
  const fitting = writeCondition(sources, name, where, values);
  const from = `from ${quoteName(table)} where ${fitting}`;
  const others = apart && `delete from ${quoteName(apart.table)} where "id" in (select "id" ${from})`;
  const [, { numAffectedRows }] = await Promise.all([
    others === undefined ? undefined : runText(on, others, values),
    runText(on, `delete ${from}`, values),
  ]);
  return Number(numAffectedRows ?? 0);
}
