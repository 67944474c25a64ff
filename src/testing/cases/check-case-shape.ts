import { compileTestedSchema } from '../../schema/compile-schema.js';
import type { SchemaCheck } from '../../schema/schema-check.js';
import type { PlainObject } from '../../util/plain-object.js';
import { CASE_SCHEMA } from './case-shape.js';

let check: SchemaCheck | undefined;

/** Problems of the structure of a case. The schema is compiled on first use. */
export function checkCaseShape(value: PlainObject): ReturnType<SchemaCheck> {
  check ??= compileTestedSchema(CASE_SCHEMA);
  return check(value);
}
