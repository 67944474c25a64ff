import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { PlainObject } from '../util/plain-object.js';
import { FORMATS } from './formats.js';

/** One thing that is wrong with a value. */
export interface SchemaProblem {
  /** Member names and indices from the root of the value to the place; a missing member is part of it. */
  readonly path: readonly string[];
  /** The keyword of the schema that failed, such as `required` or `maximum`. */
  readonly keyword: string;
  /** What was expected, as the rest of a sentence: `must be integer`. */
  readonly message: string;
}

/** Says what is wrong with a value: nothing, if the list is empty. Never changes the value, never throws. */
export type SchemaCheck = (value: unknown) => readonly SchemaProblem[];

/**
 * Compiles a JSON Schema of draft 2020-12.
 * With `document`, `$ref` may point into it as `document.json#/path`.
 * @throws Error when the schema itself is wrong, which is a defect of the caller.
 */
export function compileSchema(schema: PlainObject, document?: PlainObject): SchemaCheck {
  const ajv = new Ajv2020({
    allErrors: true,
    // Gives errors the schema they come from: a pattern is explained by its description.
    verbose: true,
    // Keywords of OpenAPI and unions of types are in use; a misspelt keyword is still found.
    strict: document === undefined,
    allowUnionTypes: true,
    ownProperties: true,
    formats: FORMATS,
    keywords: document === undefined ? [] : ['openapi'],
  });
  if (document !== undefined) ajv.addSchema(document, 'document.json', false, false);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(toProblem));
}

function toProblem(error: ErrorObject): SchemaProblem {
  const path = error.instancePath.split('/').slice(1).map(unescapeStep);
  const missing: unknown = error.keyword === 'required' ? error.params['missingProperty'] : undefined;
  if (typeof missing === 'string') path.push(missing);
  return { path, keyword: error.keyword, message: describe(error) };
}

function describe(error: ErrorObject): string {
  const allowed: unknown = error.keyword === 'enum' ? error.params['allowedValues'] : undefined;
  if (Array.isArray(allowed))
    return `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  const rule: unknown = error.keyword === 'pattern' ? error.parentSchema?.['description'] : undefined;
  return typeof rule === 'string' ? rule : (error.message ?? 'is not valid');
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
