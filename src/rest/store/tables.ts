import type { SqlReader, SqlStore, SqlWriter } from '../../shared/store/record-store.js';
import type { TableDefinitions, TableShape } from '../../shared/store/table.js';
import {
  columnType,
  type Initial,
  ROWS,
  type RowOf,
  type Sent,
  type TableName,
  type TableRows,
} from './rows.js';

export type UserRow = RowOf<'users'>;
export type TokenRow = RowOf<'tokens'>;
export type OrganizationRow = RowOf<'organizations'>;
export type MembershipRow = RowOf<'memberships'>;
export type InvitationRow = RowOf<'invitations'>;
export type TeamRow = RowOf<'teams'>;
export type TeamMemberRow = RowOf<'teamMembers'>;
export type PaymentRow = RowOf<'payments'>;
export type KeyRow = RowOf<'keys'>;
export type SdkAppRow = RowOf<'sdkApps'>;
export type SdkPartRow = RowOf<'sdkParts'>;
export type RestSubscriptionRow = RowOf<'subscriptions'>;

/** The rows of each table, by the name of the table. */
export type RestTables = { readonly [T in TableName]: RowOf<T> };

/** The store of `createStoreBackend`. */
export type RestStore = SqlStore<RestTables>;

export type RestReader = SqlReader<RestTables>;

export type RestWriter = SqlWriter<RestTables>;

/** Definitions of the tables. */
export const REST_TABLES: TableDefinitions<RestTables> = defineTables(ROWS) as TableDefinitions<RestTables>;

/** The shape of each table in the database. */
export function defineTables(
  tables: Readonly<Record<string, TableRows>>,
): Readonly<Record<string, TableShape>> {
  const shapes = Object.entries(tables).map(([name, { columns, ...rest }]) => {
    const types = Object.entries(columns).map(([column, row]) => [column, columnType(row)]);
    return [name, { ...rest, columns: Object.fromEntries(types) }];
  });
  return Object.fromEntries(shapes);
}

/** The initial values of the columns of a table that have one. */
export function initialColumns<T extends TableName>(table: T): Initial<T> {
  const columns: TableRows['columns'] = ROWS[table].columns;
  const values = Object.entries(columns).filter(([, row]) => row.starts !== undefined);
  // The type has the same columns.
  return Object.fromEntries(values.map(([name, { starts }]) => [name, starts])) as Initial<T>;
}

/** The columns of a table that the body of an operation has. */
export function sentColumns<T extends TableName, Operation extends string>(
  table: T,
  operation: Operation,
  body: Sent<T, Operation>,
): Partial<Sent<T, Operation>> {
  const columns: TableRows['columns'] = ROWS[table].columns;
  const sent = Object.entries(body).filter(
    ([name, value]) => value !== undefined && columns[name]?.sent?.[operation] !== undefined,
  );
  // Only members of the body remain.
  return Object.fromEntries(sent) as Partial<Sent<T, Operation>>;
}

/** The key for sorting and search of names: ignores case and compatible forms of a letter. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
