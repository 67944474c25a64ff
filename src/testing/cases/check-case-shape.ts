import { compileTestedSchema } from '../../schema/compile-schema.js';
import type { SchemaCheck } from '../../schema/schema-check.js';
import type { PlainObject } from '../../util/plain-object.js';
import { CASE_SCHEMA } from './case-shape.js';

let check: SchemaCheck | undefined;

/** What is wrong with the form of a case. The schema is compiled when it is first asked for; the command has it compiled. */
export function checkCaseShape(value: PlainObject): ReturnType<SchemaCheck> {
  check ??= compileTestedSchema(CASE_SCHEMA);
  return check(value);
}
