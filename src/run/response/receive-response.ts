import type { Directive } from '../../document/compile/compile-directive.js';
import type { CompiledResponse } from '../../document/compile/compiled-request.js';
import { decodeBody } from '../../http/body/body-decoding.js';
import { type ResponseType, selectResponseType } from '../../http/body/select-response-type.js';
import type { TransportResponse } from '../../http/message/transport.js';
import { createCaseless } from '../../iml/values/caseless.js';
import { describeType } from '../../iml/values/value-kind.js';
import { onceInTurn } from '../../iml/values/work.js';
import { collectNamedSecrets, collectSecrets } from '../../redaction/collect-secrets.js';
import { deepMerge } from '../../util/deep-merge.js';
import {
  isCaseless,
  isPlainObject,
  ownMember,
  type PlainObject,
  setMember,
} from '../../util/plain-object.js';
import { atDirective, atOnce, evaluateDirective, inTurns, runError } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';
import type { RunNames } from '../scope/run-scope.js';
import { traceScope } from '../scope/trace-scope.js';
import { checkResponse, failureError, type ResponseFailure } from './check-response.js';

/**
 * Takes a response in and judges it: body by `type`, `temp`, then status and `valid`.
 *
 * @returns the place with the names that the response gives
 * @throws AppError of the type that `valid`, `error` and their defaults give
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses
 */
export async function receiveResponse(
  spec: CompiledResponse,
  response: TransportResponse,
  before: RunContext,
): Promise<RunContext> {
  const { headers } = response;
  const head = {
    statusCode: response.status,
    headers: isCaseless(headers) ? headers : createCaseless(Object.entries(headers)),
  };
  const type =
    spec.type === undefined
      ? 'automatic'
      : await inTurns(before, () => readResponseType(spec, response, head, before));
  const decoded = decodeBody(response, type);
  if (!decoded.ok) {
    const { type: errorType, message, cause } = decoded.error;
    const place = before.document?.placeOf(spec.type?.pointer ?? '/response');
    throw runError(errorType, message, before, { place, cause, statusCode: response.status });
  }
  before.run.log.decoded(decoded.value);
  const context = before.seeing({ ...head, body: decoded.value });
  return judge(spec, response, context);
}

function readResponseType(
  { type }: CompiledResponse,
  { status }: TransportResponse,
  head: RunNames,
  before: RunContext,
): ResponseType {
  if (type === undefined) return 'automatic';
  const context = before.seeing({ ...head, body: undefined });
  return atDirective(type, context, () => selectResponseType(evaluateDirective(type, context), status));
}

/**
 * What `temp`, `valid` and `error` make of a response; of none, for a request without url.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api. [inf]
 */
export function judge(
  spec: CompiledResponse,
  response: TransportResponse | undefined,
  before: RunContext,
): RunContext | Promise<RunContext> {
  if (before.settings.trace === 'deep') return judgeInSteps(spec, response, before);
  const weighed = inTurns(before, () => weigh(spec, response, before));
  return weighed instanceof Promise ? weighed.then(tell) : tell(weighed);
}

/** `judge` for a trace that tells of the names that `temp` has added, which takes turns. */
async function judgeInSteps(
  spec: CompiledResponse,
  response: TransportResponse | undefined,
  before: RunContext,
): Promise<RunContext> {
  const context = await inTurns(before, () => extendTemp(spec.temp, before));
  traceScope('response', context);
  const failure = await inTurns(context, () => checkResponse(spec, response, context));
  return tell({ context, failure });
}

interface Weighed {
  readonly context: RunContext;
  readonly failure: ResponseFailure | undefined;
}

function tell({ context, failure }: Weighed): RunContext {
  if (failure === undefined) return context;
  throw failureError(failure, context);
}

function weigh(spec: CompiledResponse, response: TransportResponse | undefined, before: RunContext): Weighed {
  const context = extendTemp(spec.temp, before);
  return { context, failure: checkResponse(spec, response, context) };
}

/**
 * Sees an evaluated `temp` merged over the one so far: collections member by member, everything else replaced. A name that is
 * written but evaluates to undefined is taken away, nested ones too: a token that is gone must not be sent for ever.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/temp [doc][choice]
 */
export function extendTemp(directive: Directive | undefined, context: RunContext): RunContext {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || value === undefined || value === null) return context;
  if (!isPlainObject(value)) {
    const place = context.document?.placeOf(directive.pointer);
    throw runError('RuntimeError', `temp has to be a collection, not ${describeType(value)}.`, context, {
      place,
    });
  }
  const { log, rules } = context.run;
  const earlier = context.scope['temp'];
  const merge = (): PlainObject => {
    const kept = isPlainObject(earlier) ? withoutUndefined(earlier, directive.raw, value) : {};
    return deepMerge(kept, value);
  };
  const temp = atDirective(directive, context, () => atOnce(context, merge));
  // Where it is much to merge, it is as much to look through.
  onceInTurn(() => log.collect(rules.hidesTemp ? collectSecrets(value) : collectNamedSecrets(value)));
  return context.seeing({ temp });
}

/** The earlier members without those that `raw` writes and that came to nothing. Names that are expressions are not known. */
function withoutUndefined(earlier: PlainObject, raw: unknown, value: PlainObject): PlainObject {
  if (!isPlainObject(raw)) return earlier;
  const kept: PlainObject = {};
  for (const name of Object.keys(earlier)) {
    const before = earlier[name];
    const now = ownMember(value, name);
    if (now === undefined && Object.hasOwn(raw, name)) continue;
    const isNested = isPlainObject(before) && isPlainObject(now);
    setMember(kept, name, isNested ? withoutUndefined(before, ownMember(raw, name), now) : before);
  }
  return kept;
}
