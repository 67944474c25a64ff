import { textAnswer, toResponse } from '../../webhook/answer.js';
import type { WebhookFacts } from '../../webhook/webhook-report.js';
import type { FlowReport } from './flow-report.js';

/**
 * What the sender of an event hears when the flow has run at once: the answer of its first responder, else the one of
 * the webhook.
 */
export function answerWebhook(
  call: Pick<WebhookFacts, 'response'>,
  report: FlowReport | undefined,
): Response {
  return (report && readAnswer(report)) ?? call.response;
}

/**
 * What a run answers to the sender of its event; undefined where none of its modules was to answer. Where a responder was to
 * and the run failed before, the sender is told that. [inf]
 *
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules/responder
 */
export function readAnswer({ answer, status, hasResponder }: FlowReport): Response | undefined {
  if (answer !== undefined) {
    const isFinal = answer.status >= 200 && answer.status <= 599;
    return toResponse(isFinal ? answer : textAnswer(500, 'The answer has a status that ends no call.'));
  }
  if (status === 'error' && hasResponder)
    return toResponse(textAnswer(500, 'The scenario failed to complete.'));
  return undefined;
}
