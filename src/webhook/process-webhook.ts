import type { ConnectedInput } from '../component/check-and-connect.js';
import { INPUT_SHAPES } from '../component/input-shapes.js';
import type { Runtime } from '../component/runtime.js';
import { checkGiven, either, FUNCTION, type GivenShapes, LIST } from '../errors/check-given.js';
import { evaluateDirective, evaluateFlag, inTurns } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';
import { traceScope } from '../run/scope/trace-scope.js';
import { answerWith } from './answer.js';
import { type BundleDelivery, createDedicatedDelivery, createSharedDelivery } from './bundle-delivery.js';
import { openCall, startEvent } from './call-variables.js';
import { collectBundles } from './collect-bundles.js';
import type { CompiledWebhook } from './compile-webhook.js';
import { type IncomingCall, readCall } from './incoming-call.js';
import type { WebhookLimits } from './payload/webhook-limits.js';
import type { WebhookInput } from './webhook-input.js';
import { reportEvents, reportFailedCall, type WebhookPhase, type WebhookReport } from './webhook-report.js';

/** What a call may be processed with. Whoever has one input for all that an app does hands in that of runs. */
const CALL_INPUT: GivenShapes<WebhookInput & ConnectedInput> = {
  ...INPUT_SHAPES,
  connections: either(LIST, FUNCTION),
};

/** A webhook ready to be called. */
export interface ReadyWebhook {
  /** Compiled at the first call. Throws SpecError (SPEC_INVALID) for a specification that is no object. */
  readonly compile: () => CompiledWebhook | Promise<CompiledWebhook>;
  /** Whether the app has one address for the events of all users. */
  readonly isShared: boolean;
  readonly limits: WebhookLimits;
  readonly runtime: Runtime;
}

/**
 * Processes one call of a webhook: reads it, answers it, and finds the bundles it stands for. Nothing is sent or stored.
 *
 * Never throws for what a call holds: a payload that cannot be read is answered 400 (413 above the limit, 415 for an
 * unknown encoding), an expression that fails 500; both give no bundle and say why in `error` and `phase`.
 *
 * @param request a web request, or a call that was kept
 * @throws the reason of `input.signal`; EngineError (USAGE) for a request that somebody has read before
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks
 */
export async function processWebhook(
  { compile, isShared, limits, runtime }: ReadyWebhook,
  request: Request | IncomingCall,
  input: WebhookInput = {},
): Promise<WebhookReport> {
  checkGiven(input, CALL_INPUT, 'The input of a webhook');
  // Nobody waits for what is there: an `await` costs objects all the same, and most calls need none.
  const read = readCall(request, limits.maxBodyBytes);
  const { call, error: unreadable } = read instanceof Promise ? await read : read;
  const starting = startEvent(runtime, input);
  const started = starting instanceof Promise ? await starting : starting;
  let { context } = started;
  let phase: WebhookPhase = 'specification';
  try {
    const compiled = compile();
    const spec = compiled instanceof Promise ? await compiled : compiled;
    context = context.at({ document: spec.document });

    phase = 'read';
    if (unreadable !== undefined) throw unreadable;

    phase = 'payload';
    const opened = openCall(call, limits, context);
    context = opened instanceof Promise ? await opened : opened;
    const at = context;
    const isTraced = at.settings.trace !== 'summary';
    if (context.settings.trace === 'deep') await traceScope('response', context);

    phase = 'verification';
    // Without a condition every call is one.
    // Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
    const { verification } = spec;
    const verifying =
      verification !== undefined && inTurns(at, () => evaluateFlag(verification.condition, true, at));
    if (verification !== undefined && (verifying instanceof Promise ? await verifying : verifying)) {
      const answering = answerWith(verification.respond, context);
      const answer = answering instanceof Promise ? await answering : answering;
      if (isTraced) await context.run.log.writeTrace();
      return reportEvents(answer, call, context, { verification: true });
    }

    phase = 'condition';
    const judging = inTurns(at, () => evaluateFlag(spec.condition?.test, true, at));
    const isWanted = judging instanceof Promise ? await judging : judging;

    phase = 'uid';
    const delivery = isShared
      ? await createSharedDelivery(spec, input.connections, context)
      : createDedicatedDelivery();

    phase = 'items';
    if (isWanted) {
      const rest = collectBundles(spec, limits.maxItems, context, delivery.add);
      if (rest !== undefined) await rest;
    } else await inTurns(at, () => addDefault(spec, at, delivery.add));

    phase = 'recipients';
    const delivering = delivery.deliver();
    const delivered = delivering instanceof Promise ? await delivering : delivering;

    phase = 'respond';
    const answering = answerWith(spec.respond, context);
    const answer = answering instanceof Promise ? await answering : answering;
    if (isTraced) await context.run.log.writeTrace();
    return reportEvents(answer, call, context, delivered);
  } catch (error) {
    input.signal?.throwIfAborted();
    await context.run.log.writeTrace();
    return reportFailedCall(error, phase, call, context);
  } finally {
    started.finish();
  }
}

/**
 * What `{condition, default}` gives for a call that is not wanted.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc-old]
 */
function addDefault(spec: CompiledWebhook, context: RunContext, add: BundleDelivery['add']): void {
  const bundle = evaluateDirective(spec.condition?.default, context);
  if (bundle !== undefined && bundle !== null) add(bundle, context);
}
