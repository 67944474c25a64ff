import type { Runtime } from '../component/runtime.js';
import { type StartedRun, startRun } from '../component/start-run.js';
import { parseForm } from '../http/body/parse-form.js';
import { findHeader } from '../http/message/headers.js';
import { createCaseless } from '../iml/values/caseless.js';
import { collectSecrets } from '../redaction/collect-secrets.js';
import type { RunContext } from '../run/scope/run-context.js';
import { Turns } from '../util/turns.js';
import type { IncomingCall } from './incoming-call.js';
import { decompressPayload } from './payload/decompress-payload.js';
import { parsePayload } from './payload/parse-payload.js';
import type { WebhookLimits } from './payload/webhook-limits.js';
import type { WebhookInput } from './webhook-input.js';

/**
 * Sets up the state of one call with the names that are known before it is read: `parameters`, `data`, `webhook`,
 * `environment`. Neither the connection nor common data is among them, as the platform shows neither to a webhook.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
 */
export function startEvent(runtime: Runtime, input: WebhookInput): StartedRun {
  const parameters = input.parameters ?? input.data ?? {};
  const { webhook, signal } = input;
  const { context, finish } = startRun(runtime, { parameters, data: parameters, webhook, signal });
  // A hook's parameters hold what its events are signed with.
  context.run.log.learn(collectSecrets(parameters, webhook));
  return { context: context.seeing({ common: undefined }), finish };
}

/**
 * Reads a call: `method`, `query`, `headers`, `body`, and `rawBody`, the bytes of the payload, which a signature is made
 * over.
 *
 * @returns the place with these names
 * @throws WebhookError for a payload that is not what its headers say
 */
export async function openCall(
  call: IncomingCall,
  limits: WebhookLimits,
  context: RunContext,
): Promise<RunContext> {
  const { method, url, headers } = call;
  const encoding = findHeader(headers, 'content-encoding');
  // Not a name of the platform, where an app can sign a body only if it comes as text. [choice]
  const rawBody =
    encoding === undefined ? call.body : await decompressPayload(call.body, encoding, limits.maxBodyBytes);
  // Source: https://help.make.com/webhooks: such a call has no body. [inf]
  const isBodiless = method === 'GET' || method === 'HEAD';
  const turns = new Turns(() => context.assertGoesOn());
  const body = isBodiless
    ? undefined
    : await parsePayload(rawBody, findHeader(headers, 'content-type'), limits, turns);
  const query = parseForm(readQuery(url));
  return context.seeing({ method, query, headers: createCaseless(headers), rawBody, body });
}

function readQuery(url: string): string {
  const mark = url.indexOf('?');
  if (mark === -1) return '';
  const fragment = url.indexOf('#', mark);
  return url.slice(mark + 1, fragment === -1 ? undefined : fragment);
}
