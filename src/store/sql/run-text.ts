import type { SqlRunner } from '../sql-runner.js';
import { throwTranslated } from './sql-errors.js';
import type { SqlValues } from './sql-where.js';

export type SqlRow = Record<string, unknown>;

/** A statement as text with its values, run under our error codes. */
export function runText(on: SqlRunner, text: string, { list }: SqlValues): ReturnType<SqlRunner['run']> {
  return on.run(text, list).catch(throwTranslated);
}
