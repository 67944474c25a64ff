import type { Runtime } from '../component/runtime.js';
import { evaluateDirective, evaluateFlag } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';
import { traceScope } from '../run/scope/trace-scope.js';
import { answerWith } from './answer.js';
import { type BundleDelivery, createDedicatedDelivery, createSharedDelivery } from './bundle-delivery.js';
import { collectBundles } from './collect-bundles.js';
import type { CompiledWebhook } from './compile-webhook.js';
import { type IncomingCall, readCall } from './incoming-call.js';
import type { WebhookLimits } from './payload/webhook-limits.js';
import { openCall, startEvent } from './start-event.js';
import type { WebhookInput } from './webhook-input.js';
import { reportEvents, reportFailedCall, type WebhookPhase, type WebhookReport } from './webhook-report.js';

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
  const { call, error: unreadable } = await readCall(request, limits.maxBodyBytes);
  const started = startEvent(runtime, input);
  let { context } = started;
  let phase: WebhookPhase = 'specification';
  try {
    const spec = await compile();
    context = context.at({ document: spec.document });

    phase = 'read';
    if (unreadable !== undefined) throw unreadable;

    phase = 'payload';
    context = await openCall(call, limits, context);
    if (context.settings.trace === 'deep') traceScope('response', context);

    phase = 'verification';
    // Without a condition every call is one.
    // Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
    const { verification } = spec;
    if (verification !== undefined && evaluateFlag(verification.condition, true, context)) {
      return reportEvents(answerWith(verification.respond, context), call, context, { verification: true });
    }

    phase = 'condition';
    const isWanted = evaluateFlag(spec.condition?.test, true, context);

    phase = 'uid';
    const delivery = isShared
      ? createSharedDelivery(spec, input.connections, context)
      : createDedicatedDelivery();

    phase = 'items';
    if (isWanted) await collectBundles(spec, limits.maxItems, context, delivery.add);
    else addDefault(spec, context, delivery.add);

    phase = 'recipients';
    const delivered = await delivery.deliver();

    phase = 'respond';
    return reportEvents(answerWith(spec.respond, context), call, context, delivered);
  } catch (error) {
    input.signal?.throwIfAborted();
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
