import type { CompiledRespond } from '../document/compile/compile-request.js';
import type { EngineError } from '../errors/engine-error.js';
import { type BuiltResponse, buildAnswer } from '../run/response/build-answer.js';
import { runError } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/scope/run-context.js';

/** Statuses a body must not follow. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

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
export function buildFinalAnswer(respond: CompiledRespond | undefined, context: RunContext): BuiltResponse {
  if (respond === undefined) return ACCEPTED;
  const answer = buildAnswer(respond, context);
  if (answer.status >= 200 && answer.status <= 599) return answer;
  const place = respond.document.locationOf(respond.status?.pointer ?? '');
  const message = `A webhook can answer with a status of 200 to 599, not ${answer.status}.`;
  throw runError('RuntimeError', message, context, { place });
}

/**
 * Statuses of what senders do wrong; the rest is an error of the app, 500.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [inf]
 */
const STATUSES: Readonly<Record<string, number>> = {
  WEBHOOK_TOO_LARGE: 413,
  WEBHOOK_ENCODING: 415,
  WEBHOOK_PAYLOAD: 400,
};

/** Response to a call that could not be processed. It does not show errors of the app. */
export function answerFailure({ code, message }: EngineError): BuiltResponse {
  const status = STATUSES[code];
  return status === undefined
    ? textAnswer(500, 'The event could not be processed.')
    : textAnswer(status, message);
}

export function textAnswer(status: number, text: string): BuiltResponse {
  return { status, headers: [['Content-Type', 'text/plain']], body: Buffer.from(text, 'utf8') };
}

/** An answer as the Fetch API has it. A status that allows no body gets none. */
export function toResponse({ status, headers, body }: BuiltResponse): Response {
  const hasBody = body.byteLength > 0 && !BODILESS.has(status);
  return new Response(hasBody ? body : null, {
    status,
    headers: headers.map(([name, value]) => [name, value]),
  });
}
