import { IdOf } from './record-store.js';

/** A new row with the ids of the rows it stands behind, which are added by now. */
export function completeRow(row: object, findId: (name: string) => number | undefined): object {
  const completed: Record<string, unknown> = { ...row };
  for (const [column, value] of Object.entries(completed)) {
    if (value instanceof IdOf) completed[column] = findId(value.name) ?? null;
  }
  return completed;
}
