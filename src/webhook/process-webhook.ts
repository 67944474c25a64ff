import type { Runtime } from '../component/runtime.js';
import { evaluateDirective, evaluateFlag } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/run-context.js';
import { answerWith } from './answer.js';
import { collectBundles } from './collect-bundles.js';
import type { CompiledWebhook } from './compile-webhook.js';
import { type IncomingCall, readCall } from './incoming-call.js';
import { createOwnMailbox, createSharedMailbox } from './bundle-delivery.js';
import { openCall, startEvent } from './start-event.js';
import type { WebhookInput } from './webhook-input.js';
import type { WebhookLimits } from './payload/webhook-limits.js';
import { failedResult, resultOf, type WebhookPhase, type WebhookResult } from './webhook-report.js';

/** A webhook ready to be called. */
export interface ReadyWebhook {
  readonly spec: CompiledWebhook;
  /** Whether the app has one address for the events of all users. */
  readonly isShared: boolean;
  readonly limits: WebhookLimits;
  readonly runtime: Runtime;
}

/**
 * Processes one call of a webhook: reads it, answers it, and finds the bundles it stands for. Nothing is sent or stored.
 *
 * Never throws for what a call holds: a payload that cannot be read is answered 400 (413 above the limit, 415 for an
 * unknown encoding), an expression that fails 500; both give no bundle and say why in `failure`.
 *
 * @param request a web request, or a call that was kept
 * @throws the reason of `input.signal`; EngineError (USAGE) for a request that somebody has read before
 * @see specification/001 (Webhook specification), reference/webhooks.md (Processing of one incoming request)
 */
export async function processWebhook(
  { spec, isShared, limits, runtime }: ReadyWebhook,
  request: Request | IncomingCall,
  input: WebhookInput = {},
): Promise<WebhookResult> {
  const { call, error: unreadable } = await readCall(request, limits.maxBodyBytes);
  const { context, finish } = startEvent(runtime, spec, input);
  let phase: WebhookPhase = 'read';
  try {
    if (unreadable !== undefined) throw unreadable;

    phase = 'payload';
    await openCall(call, limits, context);

    phase = 'verification';
    // Without a condition every call is one. Source: specification/001 (verification). [doc]
    const { verification } = spec;
    if (verification !== undefined && evaluateFlag(verification.condition, true, context)) {
      return resultOf(answerWith(verification.respond, context), call, context, { verification: true });
    }

    phase = 'condition';
    const isWanted = evaluateFlag(spec.condition?.test, true, context);

    phase = 'uid';
    const mailbox = isShared ? createSharedMailbox(spec, input.connections, context) : createOwnMailbox();

    phase = 'items';
    if (isWanted) await collectBundles(spec, limits.maxItems, context, mailbox.add);
    else addDefault(spec, context, mailbox.add);

    phase = 'recipients';
    const mail = await mailbox.deliver();

    phase = 'respond';
    return resultOf(answerWith(spec.respond, context), call, context, mail);
  } catch (error) {
    input.signal?.throwIfAborted();
    return failedResult(error, phase, call, context);
  } finally {
    finish();
  }
}

/** What `{condition, default}` gives for a call that is not wanted. Source: reference/webhooks.md (Processing, step 3). [doc-old] */
function addDefault(spec: CompiledWebhook, context: RunContext, add: (bundle: unknown) => void): void {
  const bundle = evaluateDirective(spec.condition?.default, context);
  if (bundle !== undefined && bundle !== null) add(bundle);
}
