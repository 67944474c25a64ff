import { isPlainObject } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import type { Subject } from '../../subject/subject.js';
import {
  inheritsBase,
  listRequests,
  pointerTo,
  readAt,
  type WrittenRequest,
} from '../../subject/walk-requests.js';

export const deadStatus: Rule = {
  id: 'dead-status',
  level: 'warning',
  summary:
    'An entry of `error` is for a status of 200 to 399, and no `valid` makes such a response an error.',
  why: 'Responses of 200 to 399 are errors only where `valid` says so. Without it the entry is never used.',
  bad: '"error": { "200": { "message": "{{body.error}}" } }',
  good: '"valid": "{{!body.error}}", "error": { "200": { "message": "{{body.error}}" } }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      const error = readAt(request.value, 'response', 'error');
      if (!isPlainObject(error) || hasValid(subject, request)) continue;
      for (const status of Object.keys(error).filter((key) => /^[23]\d\d$/.test(key))) {
        const message = `A response of status ${status} is no error without valid, so this entry is never used.`;
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
