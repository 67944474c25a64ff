import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

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

/** Makes a check of what ajv compiled, or wrote down as code. */
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

/** Written once for each list, however many values are none of it. */
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
