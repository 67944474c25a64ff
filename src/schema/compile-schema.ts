import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
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
  /** The member that may not be there, and those that may. Of the keyword `additionalProperties` only. */
  readonly unknown?: { readonly name: string; readonly known: readonly string[] };
}

/** Says what is wrong with a value: nothing, if the list is empty. Never changes the value, never throws. */
export type SchemaCheck = (value: unknown) => readonly SchemaProblem[];

/** Making one costs more than compiling a schema; it keeps what it compiled, so schemas have to be few and made once. */
let strict: Ajv2020 | undefined;
let lenient: Ajv2020 | undefined;

/**
 * Compiles a JSON Schema of draft 2020-12.
 * @throws Error when the schema itself is wrong, which is a defect of the caller.
 */
export function compileSchema(schema: PlainObject): SchemaCheck {
  strict ??= createAjv({ strict: true, ...UNCHECKED });
  return toCheck(strict.compile(schema));
}

/** The same for a schema that a test holds against ajv's strict mode: looking again takes a third of the time of compiling it. */
export function compileTestedSchema(schema: PlainObject): SchemaCheck {
  lenient ??= createAjv({ strict: false, strictNumbers: true, ...UNCHECKED });
  return toCheck(lenient.compile(schema));
}

/** Our own schemas are held against the schema of schemas by a test: doing it here takes longer than compiling them. */
const UNCHECKED = { validateSchema: false, meta: false } as const;

/**
 * Takes a document that holds schemas, such as one of OpenAPI 3.1, and compiles those its pointers lead to: `/components/schemas/Error`.
 * @throws Error when a schema is wrong or there is none, which is a defect of the caller.
 */
export function compileDocument(document: PlainObject): (pointer: string) => SchemaCheck {
  // The words around the schemas are none of JSON Schema.
  const ajv = createAjv({ strict: false, keywords: ['openapi'] });
  ajv.addSchema(document, 'document.json', false, false);
  const checks = new Map<string, SchemaCheck>();
  return (pointer) => {
    const check = checks.get(pointer) ?? toCheck(ajv.compile({ $ref: `document.json#${pointer}` }));
    checks.set(pointer, check);
    return check;
  };
}

type AjvOptions = Pick<Options, 'strict' | 'strictNumbers' | 'keywords' | 'validateSchema' | 'meta'>;

function createAjv(options: AjvOptions): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    // Gives errors the schema they come from: a pattern is explained by its description.
    verbose: true,
    // Keywords of OpenAPI and unions of types are in use; a misspelt keyword is still found.
    allowUnionTypes: true,
    ownProperties: true,
    formats: FORMATS,
    // Half of the time of compiling, for checks that are no faster.
    code: { optimize: false },
    ...options,
  });
}

function toCheck(validate: ValidateFunction): SchemaCheck {
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(toProblem));
}

function toProblem(error: ErrorObject): SchemaProblem {
  const path = error.instancePath.split('/').slice(1).map(unescapeStep);
  const missing: unknown = error.keyword === 'required' ? error.params['missingProperty'] : undefined;
  if (typeof missing === 'string') path.push(missing);
  const extra: unknown =
    error.keyword === 'additionalProperties' ? error.params['additionalProperty'] : undefined;
  return {
    path,
    keyword: error.keyword,
    message: describe(error),
    ...(typeof extra === 'string' && { unknown: { name: extra, known: knownMembers(error) } }),
  };
}

function knownMembers({ parentSchema }: ErrorObject): readonly string[] {
  const properties: unknown = parentSchema?.['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function describe(error: ErrorObject): string {
  const allowed: unknown = error.keyword === 'enum' ? error.params['allowedValues'] : undefined;
  if (Array.isArray(allowed))
    return `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  const extra: unknown =
    error.keyword === 'additionalProperties' ? error.params['additionalProperty'] : undefined;
  if (typeof extra === 'string') return `must not have a member ${JSON.stringify(extra)}`;
  const rule: unknown = error.keyword === 'pattern' ? error.parentSchema?.['description'] : undefined;
  return typeof rule === 'string' ? rule : (error.message ?? 'is not valid');
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
