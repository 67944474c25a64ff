import type { Directive } from '../../document/compile/compile-directive.js';
import type { CompiledResponse } from '../../document/compile/compiled-request.js';
import { decodeBody, type ResponseType, selectResponseType } from '../../http/body/body-decoding.js';
import type { TransportResponse } from '../../http/message/transport.js';
import { createCaseless } from '../../iml/values/collection.js';
import { describeType } from '../../iml/values/value-kind.js';
import { collectNamedSecrets, collectSecrets } from '../../redaction/collect-secrets.js';
import {
  isCaseless,
  isPlainObject,
  ownMember,
  type PlainObject,
  setMember,
} from '../../util/plain-object.js';
import { atDirective, evaluateDirective, runError } from '../scope/evaluate-directive.js';
import { type RunContext, withVariables } from '../scope/run-context.js';

/**
 * Decodes the body of a response as `response.type` says.
 *
 * @returns the context with `statusCode`, `headers` and `body` of the response
 * @throws AppError for a body that is not of that type
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses
 */
export function decodeResponse(
  spec: CompiledResponse,
  response: TransportResponse,
  before: RunContext,
): RunContext {
  const { headers, status: statusCode } = response;
  const head = {
    statusCode,
    headers: isCaseless(headers) ? headers : createCaseless(Object.entries(headers)),
  };
  const type = readResponseType(spec, statusCode, withVariables(before, { ...head, body: undefined }));
  const decoded = decodeBody(response, type);
  if (!decoded.ok) {
    const { type: errorType, message, cause } = decoded.error;
    const place = before.position.document?.locationOf(spec.type?.pointer ?? '/response');
    throw runError(errorType, message, before, { place, cause, statusCode });
  }
  before.run.log.decoded(decoded.value);
  return withVariables(before, { ...head, body: decoded.value });
}

function readResponseType({ type }: CompiledResponse, status: number, context: RunContext): ResponseType {
  if (type === undefined) return 'automatic';
  return atDirective(type, context, () => selectResponseType(evaluateDirective(type, context), status));
}

/**
 * Merges an evaluated `temp` into the one so far: collections by name, lists by index. A value that is undefined leaves the
 * earlier one; null and empty text replace it.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/temp [doc]; the merge
 * is that of lodash `_.merge`: https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf]
 */
export function extendTemp(directive: Directive | undefined, context: RunContext): RunContext {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || value === undefined || value === null) return context;
  if (!isPlainObject(value)) {
    const place = context.position.document?.locationOf(directive.pointer);
    throw runError('RuntimeError', `temp has to be a collection, not ${describeType(value)}.`, context, {
      place,
    });
  }
  const { log, rules } = context.run;
  const earlier = context.scope['temp'];
  const temp = mergeTemp(isPlainObject(earlier) ? earlier : {}, value);
  atDirective(directive, context, () =>
    log.collect(rules.hidesTemp ? collectSecrets(value) : collectNamedSecrets(value)),
  );
  return withVariables(context, { temp });
}

/** Levels that are merged; below, the later value replaces the earlier one. */
const MAX_MERGED_LEVELS = 64;

function mergeTemp(before: unknown, now: unknown, level = 0): unknown {
  if (now === undefined) return before;
  if (level > MAX_MERGED_LEVELS) return now;
  if (Array.isArray(before) && Array.isArray(now)) {
    const length = Math.max(before.length, now.length);
    return Array.from({ length }, (_, index) => mergeTemp(before[index], now[index], level + 1));
  }
  if (!isPlainObject(before) || !isPlainObject(now)) return now;
  const merged: PlainObject = { ...before };
  for (const [name, value] of Object.entries(now)) {
    setMember(merged, name, mergeTemp(ownMember(merged, name), value, level + 1));
  }
  return merged;
}
