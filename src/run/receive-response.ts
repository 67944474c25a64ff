import { decodeBody } from '../http/body/body-decoding.js';
import { collectNamedSecrets } from '../redaction/collect-secrets.js';
import { selectResponseType } from '../http/body/response-type.js';
import type { TransportResponse } from '../http/message/transport.js';
import { createCaseless } from '../iml/values/caseless.js';
import type { Directive } from '../document/compile/compile-directive.js';
import type { CompiledResponse } from '../document/compile/compiled-request.js';
import { deepMerge } from '../util/deep-merge.js';
import { isPlainObject } from '../util/plain-object.js';
import { checkResponse } from './check-response.js';
import { atDirective, describe, evaluateDirective, runError } from './scope/evaluate-directive.js';
import type { RunContext } from './run-context.js';

/**
 * Puts a response into the scope and judges it: body by `type`, `temp`, then status and `valid`.
 *
 * @throws AppError of the type that `valid`, `error` and their defaults give
 * @see reference/response-spec.md section 2
 */
export function receiveResponse(
  spec: CompiledResponse,
  response: TransportResponse,
  context: RunContext,
): void {
  const { scope } = context;
  scope['statusCode'] = response.status;
  scope['headers'] = createCaseless(Object.entries(response.headers));
  scope['body'] = undefined;
  const type = atDirective(spec.type, context, () =>
    selectResponseType(evaluateDirective(spec.type, context), response.status),
  );
  const decoded = decodeBody(response, type);
  if (!decoded.ok) {
    const { type: errorType, message, cause } = decoded.error;
    const place = context.document?.placeOf(spec.type?.pointer ?? '/response');
    throw runError(errorType, message, context, { place, cause, statusCode: response.status });
  }
  scope['body'] = decoded.value;
  judge(spec, response, context);
}

/** A request without url: nothing is received, but `temp`, `valid` and `error` count. Source: reference/request-spec.md section 8. [inf] */
export function judge(
  spec: CompiledResponse,
  response: TransportResponse | undefined,
  context: RunContext,
): void {
  extendTemp(spec.temp, context);
  const error = checkResponse(spec, response, context);
  if (error !== undefined) throw error;
}

/**
 * Merges an evaluated `temp` over the one so far: collections member by member, everything else replaced.
 * Source: reference/request-spec.md section 9, reference/open-questions.md no. 3. [doc][choice]
 */
export function extendTemp(directive: Directive | undefined, context: RunContext): void {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || value === undefined || value === null) return;
  if (!isPlainObject(value)) {
    const place = context.document?.placeOf(directive.pointer);
    throw runError('RuntimeError', `temp has to be a collection, not ${describe(value)}.`, context, {
      place,
    });
  }
  context.redactor.learn(collectNamedSecrets(value));
  const earlier = context.scope['temp'];
  context.scope['temp'] = deepMerge(isPlainObject(earlier) ? earlier : {}, value);
}
