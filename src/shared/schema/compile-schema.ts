import { _, Ajv2020, type Options } from 'ajv/dist/2020.js';
import type { PlainObject } from '../plain-object.js';
import { FORMATS } from './formats.js';
import { type SchemaCheck, toCheck } from './schema-check.js';

/**
 * Creating an Ajv instance is slower than compiling a schema. It caches compiled schemas, so schemas have to be few
 * and static.
 */
let strict: Ajv2020 | undefined;
let lenient: Ajv2020 | undefined;

/**
 * Compiles a JSON Schema (draft 2020-12).
 *
 * @throws Error for an invalid schema, which is a defect of the caller
 */
export function compileSchema(schema: PlainObject): SchemaCheck {
  strict ??= createAjv({ strict: true, ...UNCHECKED });
  return toCheck(strict.compile(schema));
}

/** Same as `compileSchema`, for schemas that a test checks in strict mode, which saves a third of the time. */
export function compileTestedSchema(schema: PlainObject): SchemaCheck {
  lenient ??= createAjv(LENIENT);
  return toCheck(lenient.compile(schema));
}

/**
 * Creates an Ajv instance that keeps generated code, with the options of `compileTestedSchema`. The code refers to
 * `FORMATS`.
 */
export function createCodeKeeper(): Ajv2020 {
  return createAjv({ ...LENIENT, code: { source: true, esm: true, formats: _`FORMATS` } });
}

/** A test validates our schemas against the meta-schema; doing so here is slower than compiling them. */
const UNCHECKED = { validateSchema: false, meta: false } as const;
const LENIENT = { strict: false, strictNumbers: true, ...UNCHECKED } as const;

/**
 * Compiles schemas inside of a document, such as OpenAPI 3.1, by pointer: `/components/schemas/Error`.
 *
 * @throws Error for an invalid or missing schema, which is a defect of the caller
 */
export function compileDocument(document: PlainObject): (pointer: string) => SchemaCheck {
  // Other keywords of the document are not JSON Schema.
  const ajv = createAjv({ strict: false, keywords: ['openapi'] });
  ajv.addSchema(document, 'document.json', false, false);
  const checks = new Map<string, SchemaCheck>();
  return (pointer) => {
    const check = checks.get(pointer) ?? toCheck(ajv.compile({ $ref: `document.json#${pointer}` }));
    checks.set(pointer, check);
    return check;
  };
}

type AjvOptions = Pick<Options, 'strict' | 'strictNumbers' | 'keywords' | 'validateSchema' | 'meta' | 'code'>;

function createAjv(options: AjvOptions): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    // Adds the schema to errors: the description of a pattern is its error message.
    verbose: true,
    // Allows type unions; unknown keywords are still errors.
    allowUnionTypes: true,
    ownProperties: true,
    formats: FORMATS,
    // Halves compile time; checks are equally fast.
    code: { optimize: false },
    ...options,
  });
}
