import { type PlainObject, setMember } from '../../shared/plain-object.js';
import {
  dateTime,
  flag,
  freeForm,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  type Schema,
  type SchemaMap,
  text,
} from '../../shared/schema/build.js';
import {
  type ColumnRow,
  ROWS,
  type RowOf,
  type Sent,
  type Shown,
  type ShownAs,
  type TableName,
  type TableRows,
} from '../store/rows.js';

type ColumnOf<T extends TableName> = keyof RowOf<T> & string;

/** A row of which at least the columns of `Resource.reads` were read. */
type ReadRow<T extends TableName> = Pick<RowOf<T>, 'id'> & Partial<RowOf<T>>;

/** A member of a resource: its schema, and how it derives from a row and from `F`, values of other tables. */
export interface Member<T extends TableName, F, V = unknown> {
  readonly schema: Schema<V>;
  readonly reads: readonly ColumnOf<T>[];
  /** Undefined members are left out. */
  readonly of: (row: RowOf<T>, facts: F) => V | undefined;
}

type MakeMember<T extends TableName, F> = <V, C extends ColumnOf<T> = never>(
  schema: Schema<V>,
  reads: readonly C[],
  of: (row: Pick<RowOf<T>, C | 'id'>, facts: F) => NoInfer<V> | undefined,
) => Member<T, F, V>;

/** The maker of the members of a resource. They see only the columns that they name in `reads`. */
export function memberMaker<T extends TableName, F>(): MakeMember<T, F> {
  return (schema, reads, of) => ({ schema, reads, of });
}

/** A resource of the API, by its members. */
export interface Resource<A, T extends TableName, F> {
  /** All members are optional, as `cols[]` chooses them. */
  readonly schema: Schema<Partial<A>>;
  readonly columns: readonly (keyof A & string)[];
  /** The columns of the table that some members need. */
  readonly reads: (members: readonly string[]) => readonly ColumnOf<T>[];
  /** The named members, in that order, without undefined ones. */
  readonly record: (row: ReadRow<T>, facts: F, members?: readonly string[]) => Partial<A>;
}

/** The members that are no columns of the table, and those that are shown in another way. */
type FurtherMembers<A, T extends TableName, F, Title extends string> = {
  readonly [K in Exclude<keyof A, keyof Shown<T, Title>>]-?: Member<T, F, Exclude<A[K], undefined>>;
};

/**
 * Creates a resource. Its members are the columns of a table that its title shows, and the further ones.
 *
 * @param title name of the schema, and the key in `shown` of the columns
 */
export function createResource<A, T extends TableName, F, Title extends string>(
  title: Title,
  table: T,
  further: FurtherMembers<A, T, F, Title>,
): Resource<A, T, F> {
  const members = new Map<string, Member<T, F>>(Object.entries(further));
  const rows: TableRows['columns'] = ROWS[table].columns;
  for (const [column, row] of Object.entries(rows)) {
    const as = row.shown?.[title];
    if (as !== undefined) members.set(column, columnMember(column as ColumnOf<T>, row, as));
  }
  const all = [...members.keys()];
  const schemas: SchemaMap = Object.fromEntries([...members].map(([name, { schema }]) => [name, schema]));
  return {
    schema: named(title, object({}, schemas)) as Schema<Partial<A>>,
    // The compiler checks `further`, and the columns are those of `Shown`.
    columns: all as (keyof A & string)[],
    reads: (names) => [...new Set(names.flatMap((name) => members.get(name)?.reads ?? []))],
    record: (row, facts, names = all) => {
      const record: PlainObject = {};
      for (const name of names) {
        // `reads` has the columns that the member uses.
        const value = members.get(name)?.of(row as RowOf<T>, facts);
        if (value !== undefined) setMember(record, name, value);
      }
      return record as Partial<A>;
    },
  };
}

/** The schema of a resource that always has some members. */
export function requireMembers<A, K extends keyof A & string>(
  title: string,
  { schema }: Pick<Resource<A, TableName, never>, 'schema'>,
  members: readonly K[],
): Schema<Partial<A> & Required<Pick<A, K>>> {
  const keywords: PlainObject = { ...schema, title, required: members };
  return keywords;
}

function columnMember<T extends TableName, F>(
  column: ColumnOf<T>,
  row: ColumnRow,
  as: ShownAs,
): Member<T, F> {
  const form = as.replace('?', '');
  const of = (it: RowOf<T>): unknown => {
    const value = it[column];
    if (form === 'same' || value === null) return value;
    return form === 'instant' ? new Date(Number(value)).toISOString() : String(value);
  };
  const isNullable = as.endsWith('?') || isNullableColumn(row);
  const schema = form === 'same' ? columnSchema(row) : form === 'instant' ? dateTime() : text();
  return { schema: isNullable ? nullable(schema) : schema, reads: [column], of };
}

function isNullableColumn({ is }: ColumnRow): boolean {
  return typeof is === 'string' ? is.endsWith('?') : is.includes(null);
}

/** The schema of the values of a column, without null. */
function columnSchema({ is }: ColumnRow, limits: PlainObject = {}): Schema<unknown> {
  if (typeof is !== 'string')
    return oneOf(
      is.filter((value) => value !== null),
      limits,
    );
  switch (is.replace('?', '')) {
    case 'whole':
      return integer(limits);
    case 'decimal':
      return number(limits);
    case 'flag':
      return flag(limits);
    case 'json':
      return freeForm(limits);
    default:
      return text(limits);
  }
}

type SchemasOf<M> = { readonly [K in keyof M]-?: Schema<Exclude<M[K], undefined>> };
type RequiredKeys<M> = { [K in keyof M]-?: undefined extends M[K] ? never : K }[keyof M];

/** The schemas of the members that the body of an operation has from the columns of a table. */
export function sentSchemas<T extends TableName, Operation extends string>(
  table: T,
  operation: Operation,
): {
  readonly required: SchemasOf<Pick<Sent<T, Operation>, RequiredKeys<Sent<T, Operation>>>>;
  readonly optional: SchemasOf<Omit<Sent<T, Operation>, RequiredKeys<Sent<T, Operation>>>>;
} {
  const rows: TableRows['columns'] = ROWS[table].columns;
  const schemas = (need: string): PlainObject =>
    Object.fromEntries(
      Object.entries(rows)
        .filter(([, row]) => row.sent?.[operation] === need)
        .map(([column, row]) => [column, columnSchema(row, row.limits)]),
    );
  // The type has the same columns.
  return { required: schemas('required'), optional: schemas('optional') } as ReturnType<
    typeof sentSchemas<T, Operation>
  >;
}
