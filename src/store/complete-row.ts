import { IdOf, type Row } from './record-store.js';

/** A new row with the ids of the rows it stands behind, which are added by now. */
export function completeRow(row: object, findId: (name: string) => number | undefined): object {
  const completed: Record<string, unknown> = { ...row };
  for (const column of Object.keys(completed)) {
    const value = completed[column];
    if (value instanceof IdOf) completed[column] = findId(value.name) ?? null;
  }
  return completed;
}

/**
 * A row that was added. The id comes first: V8 gives each copy of a long row that gets another member behind the others a shape of its
 * own, and reads rows of one shape ten times as fast.
 */
export function withId(id: number, row: object): Row {
  return { id, ...row };
}
