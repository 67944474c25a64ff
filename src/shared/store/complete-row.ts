import { IdOf, type Row } from './record-store.js';

/** Returns a new row whose `IdOf` members are replaced by the ids of rows added before it. */
export function completeRow(row: object, findId: (name: string) => number | undefined): object {
  const completed: Record<string, unknown> = { ...row };
  for (const column of Object.keys(completed)) {
    const value = completed[column];
    if (value instanceof IdOf) completed[column] = findId(value.name) ?? null;
  }
  return completed;
}

/**
 * Returns the added row. The id comes first, so that V8 gives all rows one hidden class. Appending it to a copy of a
 * long row would create one hidden class per row.
 */
export function withId(id: number, row: object): Row {
  return { id, ...row };
}
