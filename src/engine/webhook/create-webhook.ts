import { checkInput } from '../component/input-shapes.js';
import { type Reporting, reporting } from '../component/report.js';
import type { Runtime } from '../component/runtime.js';
import type { WebhookComponent } from '../document/app.js';
import { type CompiledWebhook, compileWebhook } from './compile-webhook.js';
import type { IncomingCall, WebhookLimits } from './incoming-call.js';
import { processWebhook, type WebhookInput } from './process-webhook.js';
import { type HookInput, type HookReport, type HookStep, runHookRequest } from './run-hook-request.js';
import type { WebhookReport } from './webhook-report.js';

/** A webhook of an app, ready to be called, attached and detached any number of times. */
export interface Webhook {
  readonly name: string;
  /**
   * Processes a call: a web request, or a stored one (`call` of a report). The report always has a response for the
   * sender. Errors of the call or the app are its `error`.
   *
   * @throws EngineError (USAGE) for a request whose body was already read
   */
  readonly handle: (request: Request | IncomingCall, input?: WebhookInput) => Reporting<WebhookReport>;
  /** Registers the hook at the API; the result is the data to store with the hook. */
  readonly attach: (input?: HookInput) => Reporting<HookReport>;
  /** Removes the hook from the API. */
  readonly detach: (input?: HookInput) => Reporting<HookReport>;
  /** Updates the hook at the API after its parameters changed; the result is merged into the stored data. */
  readonly update: (input?: HookInput) => Reporting<HookReport>;
}

/** Creates a webhook of an app. Its specification is compiled at the first call. */
export function createWebhook(component: WebhookComponent, runtime: Runtime, limits: WebhookLimits): Webhook {
  const { name } = component;
  const handle = createHandle(component, runtime, limits);
  const run =
    (step: HookStep) =>
    (input: HookInput = {}): Reporting<HookReport> =>
      reporting(
        (async () => {
          checkInput(input);
          return runHookRequest(step, component[step], input, { component, runtime });
        })(),
      );
  return {
    name,
    handle: (request, input) => reporting(handle(request, input)),
    attach: run('attach'),
    detach: run('detach'),
    update: run('update'),
  };
}

type Handle = (request: Request | IncomingCall, input: WebhookInput | undefined) => Promise<WebhookReport>;

function createHandle(
  { name, type, communication }: WebhookComponent,
  runtime: Runtime,
  limits: WebhookLimits,
): Handle {
  let compiled: CompiledWebhook | undefined;
  const compile = async (): Promise<CompiledWebhook> => {
    const directives = await runtime.directives(communication?.value);
    const ready = compileWebhook(communication, directives);
    compiled = ready;
    return ready;
  };
  const ready = {
    name,
    compile: () => compiled ?? compile(),
    isShared: type === 'web-shared',
    limits,
    runtime,
  };
  return (request, input) => processWebhook(ready, request, input);
}
