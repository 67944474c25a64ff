import type { Runtime } from '../component/runtime.js';
import { findRunSecrets, type StartedRun, startRun } from '../component/start-run.js';
import { parseForm } from '../http/body/parse-form.js';
import { findHeader } from '../http/message/headers.js';
import { createCaseless } from '../iml/values/caseless.js';
import type { RunContext } from '../run/scope/run-context.js';
import { Turns } from '../util/turns.js';
import { type IncomingCall, readCallQuery } from './incoming-call.js';
import { decompressPayload } from './payload/decompress-payload.js';
import { parsePayload } from './payload/parse-payload.js';
import type { WebhookLimits } from './payload/webhook-limits.js';
import type { WebhookInput } from './webhook-input.js';

/**
 * Sets up the state of one call with the names that are known before it is read: `parameters`, `data`, `webhook`,
 * `environment`.
 *
 * @returns a promise only where what is secret takes long to find
 */
export function startEvent(runtime: Runtime, input: WebhookInput): StartedRun | Promise<StartedRun> {
  const { webhook, signal } = input;
  const parameters = input.parameters ?? input.data;
  const given = { parameters, data: parameters ?? {}, webhook, signal };
  // A hook's parameters hold what its events are signed with.
  const found = findRunSecrets(runtime, given, parameters);
  const start = (secrets: readonly string[]): StartedRun => startRun(runtime, given, secrets);
  return found instanceof Promise ? found.then(start) : start(found);
}

/**
 * Reads a call: `method`, `query`, `headers`, `body`, and `rawBody`, the bytes of the payload, which a signature is made
 * over. Common data is out of sight from here on: the platform shows neither it nor the connection to a webhook.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
 *
 * @returns the place with these names; a promise of it only where the payload is large or compressed
 * @throws WebhookError for a payload that is not what its headers say
 */
export function openCall(
  call: IncomingCall,
  limits: WebhookLimits,
  context: RunContext,
): RunContext | Promise<RunContext> {
  const encoding = findHeader(call.headers, 'content-encoding');
  const open = (payload: Uint8Array): RunContext | Promise<RunContext> =>
    openPayload(payload, call, limits, context);
  return encoding === undefined
    ? open(call.body)
    : decompressPayload(call.body, encoding, limits.maxBodyBytes).then(open);
}

/** @param rawBody the payload's bytes. Not a name of the platform, where an app can sign a body only if it comes as text. [choice] */
function openPayload(
  rawBody: Uint8Array,
  { method, url, headers }: IncomingCall,
  limits: WebhookLimits,
  context: RunContext,
): RunContext | Promise<RunContext> {
  const see = (body: unknown): RunContext =>
    context.seeing({
      common: undefined,
      method,
      query: parseForm(readCallQuery(url)),
      headers: createCaseless(headers),
      rawBody,
      body,
    });
  // Source: https://help.make.com/webhooks: such a call has no body. [inf]
  if (method === 'GET' || method === 'HEAD') return see(undefined);
  const turns = new Turns(() => context.assertGoesOn());
  const body = parsePayload(rawBody, findHeader(headers, 'content-type'), limits, turns);
  return body instanceof Promise ? body.then(see) : see(body);
}
