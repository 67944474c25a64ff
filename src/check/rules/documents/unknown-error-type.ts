import { APP_ERROR_TYPES } from '../../../errors/app-error.js';
import { isPlainObject } from '../../../util/plain-object.js';
import { didYouMean } from '../../../util/suggest.js';
import type { ReportFinding, Rule } from '../../rule.js';
import { pointerTo, readAt, type WrittenRequest } from '../../subject/walk-requests.js';

export const unknownErrorType: Rule = {
  id: 'unknown-error-type',
  level: 'error',
  summary: 'The `type` of an error is none the platform knows.',
  why: 'It becomes an UnknownError, and what the scenario does with it is not what was meant: no retry for a rate limit, no stored execution.',
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
