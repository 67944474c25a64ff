import { APP_ERROR_TYPES } from '../../../shared/errors/app-error.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { ReportFinding, Rule } from '../rule.js';
import type { Subject } from '../subject/subject.js';
import {
  inheritsBase,
  listRequests,
  pointerTo,
  readAt,
  type WrittenRequest,
} from '../subject/walk-requests.js';

export const unknownErrorType: Rule = {
  id: 'unknown-error-type',
  level: 'error',
  summary: 'The platform does not know the `type` of an error.',
  why: 'The error becomes an UnknownError. The scenario then reacts differently: it does not retry after a rate limit, and stores no incomplete execution.',
  bad: '"error": { "429": { "type": "RateLimit", "message": "Slow down" } }',
  good: '"error": { "429": { "type": "RateLimitError", "message": "Slow down" } }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      checkType(request, ['response', 'valid', 'type'], report);
      const error = readAt(request.value, 'response', 'error');
      if (!isPlainObject(error)) continue;
      checkType(request, ['response', 'error', 'type'], report);
      for (const key of Object.keys(error).filter((name) => /^\d{3}$/.test(name))) {
        checkType(request, ['response', 'error', key, 'type'], report);
      }
    }
  },
};

const TYPES: ReadonlySet<string> = new Set<string>(APP_ERROR_TYPES);

function checkType(request: WrittenRequest, path: readonly string[], report: ReportFinding): void {
  const type = readAt(request.value, ...path);
  if (typeof type !== 'string' || type.includes('{{') || TYPES.has(type)) return;
  const message = `There is no error type "${type}".${didYouMean(type, TYPES)}`;
  report({ message, place: request.document.locationOf(pointerTo(request, ...path)) });
}

export const deadStatus: Rule = {
  id: 'dead-status',
  level: 'warning',
  summary: '`error` has an entry for a status of 200 to 399, and there is no `valid`.',
  why: 'A response with such a status is an error only if `valid` is false. Without `valid`, the entry is never used.',
  bad: '"error": { "200": { "message": "{{body.error}}" } }',
  good: '"valid": "{{!body.error}}", "error": { "200": { "message": "{{body.error}}" } }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      const error = readAt(request.value, 'response', 'error');
      if (!isPlainObject(error) || hasValid(subject, request)) continue;
      for (const status of Object.keys(error).filter((key) => /^[23]\d\d$/.test(key))) {
        const message = `A response of status ${status} is not an error without valid, so this entry is never used.`;
        const pointer = pointerTo(request, 'response', 'error', status);
        report({ message, place: request.document.locationOf(pointer, undefined, 'key') });
      }
    }
  },
};

/** An entry of the base can apply to a `valid` of any component. */
function hasValid(subject: Subject, request: WrittenRequest): boolean {
  if (readAt(request.value, 'response', 'valid') !== undefined) return true;
  if (request.in.kind !== 'base') {
    return inheritsBase(request.in) && readAt(subject.app.base?.value, 'response', 'valid') !== undefined;
  }
  return subject.allDocuments
    .filter(inheritsBase)
    .flatMap(listRequests)
    .some(({ value }) => readAt(value, 'response', 'valid') !== undefined);
}
