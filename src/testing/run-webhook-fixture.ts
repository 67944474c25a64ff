import type { Engine } from '../app/create-engine.js';
import { AppError } from '../errors/app-error.js';
import { isJsonMediaType, readContentType } from '../http/content-type.js';
import { formText } from '../http/form-text.js';
import { findHeader } from '../http/headers.js';
import type { HeaderEntry } from '../http/transport.js';
import type { IncomingCall } from '../webhook/incoming-call.js';
import type { HookInput, HookStep } from '../webhook/run-hook-request.js';
import type { Fixture, FixtureInput, IncomingRequest, Outcome } from './fixture.js';
import { writeTagged } from './tagged-values.js';

type PartialOutcome = Omit<Outcome, 'log' | 'waits' | 'requestCount'>;

/** Calls a webhook once. A failure is an error of the run only where one is expected: its answer is checked anyway. */
export async function runWebhookFixture(
  engine: Engine,
  component: string,
  { input, expect }: Fixture,
): Promise<PartialOutcome> {
  const { parameters, data, webhook, connections } = input;
  const call = callOf(input.request ?? { method: 'POST' });
  const { response, failure, ...result } = await engine
    .webhook(component)
    .handle(requestOf(call), { parameters, data, webhook, connections });
  const { status, headers } = response;
  const error = failure && { type: typeOf(failure.error), message: failure.error.message };
  return {
    bundles: result.bundles,
    verification: result.verification,
    recipients: result.recipients,
    respond: { status, headers, body: await response.text() },
    ...(expect.error !== undefined && { error }),
  };
}

/** Runs attach, detach or update. */
export async function runHookFixture(
  engine: Engine,
  component: string,
  step: HookStep,
  { parameters, connection, data, webhook }: FixtureInput,
): Promise<PartialOutcome> {
  const input: HookInput = { parameters, connection, data, webhook };
  const { result, error } = await engine.webhook(component)[step](input);
  return { webhookData: result, error: error && { type: error.type, message: error.message } };
}

function typeOf(error: Error): string {
  return error instanceof AppError ? error.type : error.name;
}

/** A call as a sender would make it: a value is JSON, or a form or plain text if the headers say so. */
function callOf({
  method,
  query = {},
  headers = {},
  body,
  bodyText,
  bodyBase64,
}: IncomingRequest): IncomingCall {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  const search = new URLSearchParams(pairs).toString();
  const entries: HeaderEntry[] = Object.entries(headers);
  const { mediaType } = readContentType(findHeader(entries, 'content-type'));
  if (mediaType === '' && body !== undefined) entries.push(['content-type', 'application/json']);
  const text = body === undefined ? bodyText : payloadText(body, mediaType);
  return {
    method,
    url: `https://hook.example.test/h${search === '' ? '' : `?${search}`}`,
    headers: entries,
    body: bodyBase64 === undefined ? Buffer.from(text ?? '', 'utf8') : Buffer.from(bodyBase64, 'base64'),
  };
}

function payloadText(body: unknown, mediaType: string): string {
  if (mediaType === 'application/x-www-form-urlencoded') return formText(body);
  const isPlain = mediaType !== '' && !isJsonMediaType(mediaType);
  return isPlain && typeof body === 'string' ? body : JSON.stringify(writeTagged(body));
}

function requestOf({ method, url, headers, body }: IncomingCall): Request {
  const hasBody = body.byteLength > 0 && method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(hasBody && { body }),
  });
}
