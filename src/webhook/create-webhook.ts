import type { Runtime } from '../component/runtime.js';
import type { WebhookComponent } from '../document/app.js';
import { type CompiledWebhook, compileWebhook } from './compile-webhook.js';
import type { IncomingCall } from './incoming-call.js';
import { processWebhook } from './process-webhook.js';
import { type HookInput, type HookReport, type HookStep, runHookRequest } from './run-hook-request.js';
import type { WebhookInput } from './webhook-input.js';
import type { WebhookLimits } from './payload/webhook-limits.js';
import type { WebhookResult } from './webhook-report.js';

/** A webhook of an app, ready to be called, attached and detached any number of times. */
export interface Webhook {
  readonly name: string;
  /** `web`: every hook has an address of its own. `web-shared`: the app has one, and `uid` finds the recipients. */
  readonly type: 'web' | 'web-shared';
  /**
   * Processes a call: a web request, or one that was kept (`result.call`).
   *
   * @throws SpecError (SPEC_INVALID) for a specification that is no object; never for what a call holds
   */
  readonly handle: (request: Request | IncomingCall, input?: WebhookInput) => Promise<WebhookResult>;
  /** Tells the service to send events; the result is what to store with the hook. */
  readonly attach: (input?: HookInput) => Promise<HookReport>;
  /** Tells the service to stop. */
  readonly detach: (input?: HookInput) => Promise<HookReport>;
  /** Tells the service that the hook's parameters have changed; the result is merged into what is stored. */
  readonly update: (input?: HookInput) => Promise<HookReport>;
}

/** Makes a webhook of an app ready. Its specification is compiled at the first call. */
export function createWebhook(component: WebhookComponent, runtime: Runtime, limits: WebhookLimits): Webhook {
  const { name, type, communication } = component;
  const isShared = type === 'web-shared';
  let compiling: Promise<CompiledWebhook> | undefined;
  const compile = (): Promise<CompiledWebhook> => {
    compiling ??= runtime.directives().then((directives) => compileWebhook(communication, directives));
    return compiling;
  };
  const run =
    (step: HookStep) =>
    (input: HookInput = {}): Promise<HookReport> =>
      runHookRequest(step, component[step], input, { component, runtime });
  return {
    name,
    type,
    handle: async (request, input) =>
      processWebhook({ spec: await compile(), isShared, limits, runtime }, request, input),
    attach: run('attach'),
    detach: run('detach'),
    update: run('update'),
  };
}
