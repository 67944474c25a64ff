/** Tables by name; what their rows hold is known to the table definitions, not to the query builder. */
export type SqlTables = Record<string, Record<string, unknown>>;
