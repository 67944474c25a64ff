import type { SqlRunner } from '../sql-runner.js';
import { throwTranslated } from './sql-errors.js';
import type { SqlValues } from './sql-where.js';

export type SqlRow = Record<string, unknown>;

/** Runs a statement and translates its errors to codes of this package. */
export function runText(on: SqlRunner, text: string, { list }: SqlValues): ReturnType<SqlRunner['run']> {
  return on.run(text, list).catch(throwTranslated);
}
