import { type PlainObject, setMember } from '../../util/plain-object.js';
import type { ColumnChoice } from './operation.js';

/**
 * The columns a list of wishes stands for: `*` is all of them, unknown ones are ignored, none at all is the default.
 * Source: https://developers.make.com/api-documentation (pagination and sorting, filtering). [src][inf]
 */
export function chooseColumns(wishes: readonly string[], choice: ColumnChoice): readonly string[] {
  if (wishes.includes('*')) return choice.all;
  const known = [...new Set(wishes)].filter((wish) => choice.all.includes(wish));
  return known.length > 0 ? known : choice.default;
}

/** The members of a record that are asked for, in that order; undefined ones are left out. */
export function pickColumns(record: Readonly<PlainObject>, columns: readonly string[]): PlainObject {
  const picked: PlainObject = {};
  for (const column of columns) {
    const value = record[column];
    if (value !== undefined) setMember(picked, column, value);
  }
  return picked;
}
