import { randomUUID } from 'node:crypto';
import { RestError } from '../shared/errors/rest-error.js';
import type { Refusal } from '../shared/server/refusal.js';
import { completeAnswer, toRestError, writeRefusal } from './call/answer.js';
import { commonHeaders } from './call/answer-headers.js';
import { badRequest, invalidParameter, tooLarge } from './problems.js';

/** The response to a request that cannot reach an operation because of an error, in the form of all other errors. */
export function answerFailure(error: unknown): Response {
  return completeAnswer(writeRefusal(toRestError(error)), commonHeaders(undefined, randomUUID()));
}

/** What the server refuses before an operation sees it, in the form of all other errors. */
export function answerRefusal(refusal: Refusal, maxBodyBytes: number): Response {
  return answerFailure(describeRefusal(refusal, maxBodyBytes));
}

function describeRefusal(refusal: Refusal, maxBodyBytes: number): RestError {
  switch (refusal) {
    case 'unreadable':
      return badRequest([invalidParameter('request', 'must be readable')]);
    case 'too-large':
      return tooLarge(maxBodyBytes);
    case 'too-slow':
      return new RestError('REST_REQUEST', 'Request Timeout', {
        status: 408,
        apiCode: 'SC408',
        detail: 'The request came too slowly.',
      });
    case 'busy':
    case 'full':
      return new RestError('REST_REQUEST', 'Service Unavailable', {
        status: 503,
        apiCode: 'SC503',
        detail: 'Too much at a time, please try again.',
        headers: { 'retry-after': '1' },
      });
    case 'failed':
      return toRestError(undefined);
  }
}
