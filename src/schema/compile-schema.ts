import { _, Ajv2020, type Options } from 'ajv/dist/2020.js';
import type { PlainObject } from '../util/plain-object.js';
import { FORMATS } from './formats.js';
import { type SchemaCheck, toCheck } from './schema-check.js';

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
  lenient ??= createAjv(LENIENT);
  return toCheck(lenient.compile(schema));
}

/** Makes an ajv that keeps the code it compiles to, with the options of `compileTestedSchema`; the code reads `FORMATS`. */
export function createCodeKeeper(): Ajv2020 {
  return createAjv({ ...LENIENT, code: { source: true, esm: true, formats: _`FORMATS` } });
}

/** Our own schemas are held against the schema of schemas by a test: doing it here takes longer than compiling them. */
const UNCHECKED = { validateSchema: false, meta: false } as const;
const LENIENT = { strict: false, strictNumbers: true, ...UNCHECKED } as const;

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

type AjvOptions = Pick<Options, 'strict' | 'strictNumbers' | 'keywords' | 'validateSchema' | 'meta' | 'code'>;

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
