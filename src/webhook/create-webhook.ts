import { type Reporting, reporting } from '../component/report.js';
import type { Runtime } from '../component/runtime.js';
import type { WebhookComponent } from '../document/app.js';
import { type CompiledWebhook, compileWebhook } from './compile-webhook.js';
import type { IncomingCall } from './incoming-call.js';
import type { WebhookLimits } from './payload/webhook-limits.js';
import { processWebhook, type ReadyWebhook } from './process-webhook.js';
import { type HookInput, type HookReport, type HookStep, runHookRequest } from './run-hook-request.js';
import type { WebhookInput } from './webhook-input.js';
import type { WebhookReport } from './webhook-report.js';

/** A webhook of an app, ready to be called, attached and detached any number of times. */
export interface Webhook {
  readonly name: string;
  /** `web`: every hook has an address of its own. `web-shared`: the app has one, and `uid` finds the recipients. */
  readonly type: 'web' | 'web-shared';
  /**
   * Processes a call: a web request, or one that was kept (`call` of a report). The report always has an answer for the
   * sender; what the call or the app did wrong is its `error`.
   *
   * @throws EngineError (USAGE) for a request whose body somebody else has read
   */
  readonly handle: (request: Request | IncomingCall, input?: WebhookInput) => Reporting<WebhookReport>;
  /** Tells the service to send events; the result is what to store with the hook. */
  readonly attach: (input?: HookInput) => Reporting<HookReport>;
  /** Tells the service to stop. */
  readonly detach: (input?: HookInput) => Reporting<HookReport>;
  /** Tells the service that the hook's parameters have changed; the result is merged into what is stored. */
  readonly update: (input?: HookInput) => Reporting<HookReport>;
}

/** Makes a webhook of an app ready. Its specification is compiled at the first call. */
export function createWebhook(component: WebhookComponent, runtime: Runtime, limits: WebhookLimits): Webhook {
  const { name, type, communication } = component;
  const isShared = type === 'web-shared';
  let compiled: CompiledWebhook | undefined;
  const compile = async (): Promise<CompiledWebhook> => {
    compiled = compileWebhook(communication, await runtime.directives(communication?.value));
    return compiled;
  };
  const ready: ReadyWebhook = { compile: () => compiled ?? compile(), isShared, limits, runtime };
  const run =
    (step: HookStep) =>
    (input: HookInput = {}): Reporting<HookReport> =>
      reporting(runHookRequest(step, component[step], input, { component, runtime }));
  return {
    name,
    type,
    handle: (request, input) => reporting(processWebhook(ready, request, input)),
    attach: run('attach'),
    detach: run('detach'),
    update: run('update'),
  };
}
