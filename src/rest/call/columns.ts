import { type PlainObject, setMember } from '../../shared/plain-object.js';
import { badRequest, invalidParameter } from '../problems.js';
import type { ColumnChoice } from './operation.js';

/**
 * The columns that a request names: `*` means all, no column means the default.
 *
 * @throws RestError 400 `SC400` for a column that does not exist Source:
 * https://developers.make.com/api-documentation (pagination and sorting, filtering). [src][inf]
 */
export function chooseColumns(wishes: readonly string[], choice: ColumnChoice): readonly string[] {
  if (wishes.includes('*')) return choice.all;
  const unknown = wishes.filter((wish) => !choice.all.includes(wish));
  if (unknown.length > 0) {
    const expected = `must be one of ${choice.all.join(', ')}`;
    throw badRequest(unknown.map((name) => invalidParameter(`cols[]=${name.slice(0, 100)}`, expected)));
  }
  const columns = [...new Set(wishes)];
  return columns.length > 0 ? columns : choice.default;
}

/** The requested members of a record, in that order, without undefined ones. */
export function pickColumns(record: Readonly<PlainObject>, columns: readonly string[]): PlainObject {
  const picked: PlainObject = {};
  for (const column of columns) {
    const value = record[column];
    if (value !== undefined) setMember(picked, column, value);
  }
  return picked;
}
