/** Tables by name. The table definitions, not the query builder, know the types of rows. */
export type SqlTables = Record<string, Record<string, unknown>>;
