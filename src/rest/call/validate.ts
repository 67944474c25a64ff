import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { integer, object, oneOf, type Schema, type SchemaMap } from '../../shared/schema/build.js';
import { compileSchema } from '../../shared/schema/compile-schema.js';
import type { SchemaCheck, SchemaProblem } from '../../shared/schema/schema-check.js';
import { badRequest, invalidParameter, missingParameter } from '../problems.js';
import type { RestOperation } from './operation.js';
import type { Paging } from './paging.js';

/** The parsed, unvalidated parts of a request. */
export interface RawInput {
  readonly params: PlainObject;
  readonly query: PlainObject;
  readonly page: PlainObject;
  readonly body: unknown;
}

type Parts = readonly (readonly [part: keyof RawInput, check: SchemaCheck])[];

/** Compilation is slow and depends on the operation only, so all instances of the API share the result. */
const COMPILED = new WeakMap<RestOperation, Parts>();

/** Maximum number of problems of one part that become messages. */
const MAX_SAID = 1000;

export type InputCheck = (input: RawInput) => void;

/** The trust boundary: handlers can rely on the types of their schemas. Compiled at first use. */
export function createInputCheck(operation: RestOperation): InputCheck {
  return (input) => {
    const parts = COMPILED.get(operation) ?? compileParts(operation);
    COMPILED.set(operation, parts);
    const problems = parts.flatMap(([part, check]) =>
      check(input[part])
        .slice(0, MAX_SAID)
        .map((problem) => say(part, problem)),
    );
    if (problems.length > 0) throw badRequest([...new Set(problems)]);
  };
}

/** The schema of `pg[...]` of an operation. */
export function pageSchemas(paging: Paging): SchemaMap {
  return {
    sortBy: oneOf(paging.sortBy),
    sortDir: oneOf(['asc', 'desc']),
    limit: integer({ minimum: 0 }),
    offset: integer({ minimum: 0 }),
  };
}

function compileParts(operation: RestOperation): Parts {
  const { params, requiredQuery, optionalQuery, paging, body } = operation;
  const page: Schema<unknown> = paging ? object({}, pageSchemas(paging)) : {};
  return [
    ['params', compileSchema(object(params))],
    ['query', compileSchema(object(requiredQuery, optionalQuery))],
    ['page', compileSchema(page)],
    ['body', body === undefined ? () => [] : checkBody(compileSchema(body))],
  ];
}

/** Without this check, a body that is not an object would be a problem of every member. */
function checkBody(check: SchemaCheck): SchemaCheck {
  return (value) =>
    isPlainObject(value) ? check(value) : [{ path: [], keyword: 'type', message: 'must be a JSON object' }];
}

function say(part: keyof RawInput, problem: SchemaProblem): string {
  const path = problem.path.join('.');
  const name = part === 'page' ? `pg[${path}]` : path || part;
  return problem.keyword === 'required' ? missingParameter(name) : invalidParameter(name, problem.message);
}
