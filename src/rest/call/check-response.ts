import { compileDocument } from '../../shared/schema/compile-schema.js';
import type { SchemaCheck } from '../../shared/schema/schema-check.js';
import { invalidResponse } from '../problems.js';
import { createOpenApi, responsePointer } from './openapi.js';
import type { RestOperation } from './operation.js';

/** Compilation is slow and depends on the operation only, so all instances of the API share the result. */
const COMPILED = new WeakMap<RestOperation, SchemaCheck>();

/**
 * Creates the check of responses of a backend for an operation. Compiled at first use. The check throws a RestError
 * `REST_FAILED` that names the first invalid member, never its value.
 */
export function createResponseCheck(operation: RestOperation): (response: unknown) => void {
  return (response) => {
    const check = COMPILED.get(operation) ?? compileResponse(operation);
    COMPILED.set(operation, check);
    const [problem] = check(response);
    if (problem) throw invalidResponse(operation.id, problem.path.join('.'), problem.message);
  };
}

/** As in the OpenAPI document, where schemas refer to each other. */
function compileResponse(operation: RestOperation): SchemaCheck {
  if (operation.response === 'text') {
    return (value) =>
      typeof value === 'string' ? [] : [{ path: [], keyword: 'type', message: 'must be string' }];
  }
  const document = createOpenApi([operation], { baseUrl: '/', authUrl: '/' });
  return compileDocument(document)(responsePointer(operation, 200));
}
