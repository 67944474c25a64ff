import { createCaseless } from '../../language/values/value.js';
import {
  ANY_FUNCTION,
  ANY_LIST,
  checkMembers,
  either,
  type OptionShapes,
} from '../../shared/errors/check-options.js';
import type { RunInput } from '../component/check-and-connect.js';
import { INPUT_SHAPES } from '../component/input-shapes.js';
import type { Runtime } from '../component/runtime.js';
import { findRunSecrets, type StartedRun, startRun } from '../component/start-run.js';
import type { CompiledRespond } from '../document/compile-request.js';
import { parseForm } from '../http/body/decode-body.js';
import { findHeader } from '../http/headers.js';
import { type BuiltResponse, buildAnswer, textAnswer } from '../run/build-answer.js';
import { evaluateDirective, evaluateFlag, runError, traceScope } from '../run/evaluate-directive.js';
import { type RunContext, withPosition, withVariables } from '../run/run-context.js';
import type { CompiledWebhook } from './compile-webhook.js';
import {
  decompressPayload,
  type IncomingCall,
  parsePayload,
  readCall,
  readCallQuery,
  type WebhookLimits,
} from './incoming-call.js';
import {
  type CollectedBundles,
  collectBundles,
  evaluateUid,
  explainNoBundles,
  findReason,
  type Recipients,
  reportEvents,
  reportFailedCall,
  routeBundles,
  selectDelivered,
  type WebhookPhase,
  type WebhookReport,
} from './webhook-report.js';

/** Input of a call of a webhook. */
export interface WebhookInput {
  /** Values of the hook's parameters, which expressions read as `parameters` and `data`. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Another name of `parameters`, as in expressions. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** The stored result of attach, with `id` and `url`. */
  readonly webhook?: Readonly<Record<string, unknown>> | undefined;
  /** Of a shared hook: where `uid` finds the recipients. Without it the caller finds them, by the uids of `deliveries`. */
  readonly connections?: Recipients | undefined;
  /** Ends the work; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Accepts the input of runs as well: a caller may have one input for all components of an app. */
const CALL_INPUT: OptionShapes<WebhookInput & RunInput> = {
  ...INPUT_SHAPES,
  connections: either(ANY_LIST, ANY_FUNCTION),
};

/** A webhook ready to be called. */
export interface ReadyWebhook {
  readonly name: string;
  /** Compiled at the first call. Rejects with SpecError (SPEC_INVALID) if the specification is not an object. */
  readonly compile: () => CompiledWebhook | Promise<CompiledWebhook>;
  /** Whether the app has one address for the events of all users. */
  readonly isShared: boolean;
  readonly limits: WebhookLimits;
  readonly runtime: Runtime;
}

/**
 * Processes one call of a webhook: reads it, builds the response, and collects its bundles. Sends and stores nothing.
 *
 * Never throws for the content of a call: a payload that cannot be read gets 400 (413 above the limit, 415 for an
 * unknown encoding), an expression that fails 500; both give no bundle, and `error` and `phase` say why.
 *
 * @param request a web request, or a stored call
 * @throws the reason of `input.signal`; EngineError (USAGE) for a request whose body was read before
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks
 */
export async function processWebhook(
  { name, compile, isShared, limits, runtime }: ReadyWebhook,
  request: Request | IncomingCall,
  input: WebhookInput = {},
): Promise<WebhookReport> {
  checkMembers(input, CALL_INPUT, 'The input of a webhook');
  const { call, error: unreadable } = await readCall(request, limits.maxBodyBytes);
  const started = startEvent(name, runtime, input);
  let failure: unknown;
  let { context } = started;
  let phase: WebhookPhase = 'specification';
  try {
    const spec = await compile();
    context = withPosition(context, { document: spec.document });

    phase = 'read';
    if (unreadable !== undefined) throw unreadable;

    phase = 'payload';
    context = await openCall(call, limits, context);
    if (context.run.settings.trace === 'deep') traceScope('response', context);

    phase = 'verification';
    // Without a condition, every call is a verification request.
    // Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
    const { verification } = spec;
    if (verification !== undefined && evaluateFlag(verification.condition, true, context)) {
      const answer = buildFinalAnswer(verification.respond, context);
      const noBundles = explainNoBundles('verification', spec, context);
      return reportEvents(answer, call, context, { verification: true, noBundles });
    }

    phase = 'condition';
    const isAccepted = evaluateFlag(spec.condition?.test, true, context);

    phase = 'uid';
    // Without iterate, `item` is the body. Source: docs/differences.md. [rt]
    const items =
      spec.iterate === undefined ? withVariables(context, { item: context.scope['body'] }) : context;
    const uid = isShared ? evaluateUid(spec, items) : undefined;

    phase = 'items';
    const collected = isAccepted
      ? collectBundles(spec, { isShared, uid, limits }, items)
      : collectDefault(spec, uid, context);

    phase = 'recipients';
    const deliveries = isShared ? await routeBundles(collected.bundles, input.connections) : undefined;
    const bundles = selectDelivered(collected.bundles, deliveries);

    phase = 'respond';
    const answer = buildFinalAnswer(spec.respond, context);
    if (bundles.length > 0) return reportEvents(answer, call, context, { bundles, deliveries });
    const noBundles = explainNoBundles(findReason(isAccepted, collected, deliveries), spec, context);
    return reportEvents(answer, call, context, { deliveries, noBundles });
  } catch (error) {
    failure = error;
    input.signal?.throwIfAborted();
    return reportFailedCall(error, phase, call, context);
  } finally {
    started.finish(failure);
  }
}

/**
 * The `default` of a condition that is false.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc-old]
 */
function collectDefault(
  spec: CompiledWebhook,
  uid: string | undefined,
  context: RunContext,
): CollectedBundles {
  const bundle = evaluateDirective(spec.condition?.default, context) ?? undefined;
  return { bundles: bundle === undefined ? [] : [{ bundle, uid }], items: undefined, accepted: 1 };
}

/** Starts the run of one call with the names that do not depend on it: `parameters`, `data`, `webhook`, `environment`. */
function startEvent(name: string, runtime: Runtime, input: WebhookInput): StartedRun {
  const { webhook, signal } = input;
  const parameters = input.parameters ?? input.data;
  const names = { parameters, data: parameters ?? {}, webhook, signal };
  // The parameters of a hook can contain the key that signs its events.
  return startRun(runtime, names, findRunSecrets(runtime, names, parameters), {
    component: `webhook:${name}`,
  });
}

/**
 * Reads a call: `method`, `query`, `headers`, `body`, and `rawBody`, the bytes that a signature covers (not a name of the
 * platform, where an app can only sign a body that comes as text [choice]). Common data is hidden from here on: the
 * platform shows neither it nor the connection to a webhook.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
 *
 * @throws WebhookError for a payload that does not match its headers
 */
async function openCall(
  { method, url, headers, body: sent }: IncomingCall,
  limits: WebhookLimits,
  context: RunContext,
): Promise<RunContext> {
  const encoding = findHeader(headers, 'content-encoding');
  const rawBody =
    encoding === undefined ? sent : await decompressPayload(sent, encoding, limits.maxBodyBytes);
  // Source: https://help.make.com/webhooks: such a call has no body. [inf]
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return withVariables(context, {
    common: undefined,
    method,
    query: parseForm(readCallQuery(url)),
    headers: createCaseless(headers),
    rawBody,
    body: hasBody ? parsePayload(rawBody, findHeader(headers, 'content-type'), limits) : undefined,
  });
}

/**
 * Default response if the app defines no `respond`.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [inf]
 */
const ACCEPTED: BuiltResponse = textAnswer(200, 'Accepted');

/**
 * Evaluates `respond`.
 *
 * @throws AppError of type RuntimeError for an invalid response: the status has to be 200 to 599 [choice]
 */
function buildFinalAnswer(respond: CompiledRespond | undefined, context: RunContext): BuiltResponse {
  if (respond === undefined) return ACCEPTED;
  const answer = buildAnswer(respond, context);
  if (answer.status >= 200 && answer.status <= 599) return answer;
  const place = respond.document.locationOf(respond.status?.pointer ?? '');
  const message = `A webhook can respond with a status of 200 to 599, not ${answer.status}.`;
  throw runError('RuntimeError', message, context, { place });
}
