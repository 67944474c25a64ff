import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

/** A violated rule of a schema. */
export interface SchemaProblem {
  /** Path from the root of the value; includes the name of a missing member. */
  readonly path: readonly string[];
  /** The violated keyword, such as `required` or `maximum`. */
  readonly keyword: string;
  /** Expectation as the end of a sentence: `must be integer`. */
  readonly message: string;
  /** The unknown member and the known ones. Only for the keyword `additionalProperties`. */
  readonly unknown?: { readonly name: string; readonly known: readonly string[] };
}

/** Checks a value. Returns an empty list for a valid value. Never changes the value, never throws. */
export type SchemaCheck = (value: unknown) => readonly SchemaProblem[];

/** Creates a check from a function compiled by Ajv. */
export function toCheck(validate: ValidateFunction): SchemaCheck {
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
  if (Array.isArray(allowed)) return describeAllowed(allowed);
  const extra: unknown =
    error.keyword === 'additionalProperties' ? error.params['additionalProperty'] : undefined;
  if (typeof extra === 'string') return `must not have a member ${JSON.stringify(extra)}`;
  const rule: unknown = error.keyword === 'pattern' ? error.parentSchema?.['description'] : undefined;
  return typeof rule === 'string' ? rule : (error.message ?? 'is not valid');
}

/** Cached per list of allowed values. */
const ALLOWED = new WeakMap<readonly unknown[], string>();

function describeAllowed(allowed: readonly unknown[]): string {
  const known = ALLOWED.get(allowed);
  if (known !== undefined) return known;
  const written = `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  ALLOWED.set(allowed, written);
  return written;
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
