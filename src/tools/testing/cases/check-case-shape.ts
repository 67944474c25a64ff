import type { PlainObject } from '../../../shared/plain-object.js';
import { compileTestedSchema } from '../../../shared/schema/compile-schema.js';
import type { SchemaCheck } from '../../../shared/schema/schema-check.js';
import { CASE_SCHEMA } from './case-shape.js';

let check: SchemaCheck | undefined;

/** Problems of the structure of a case. The bundle of the command replaces this file by a compiled schema. */
export function checkCaseShape(value: PlainObject): ReturnType<SchemaCheck> {
  check ??= compileTestedSchema(CASE_SCHEMA);
  return check(value);
}
