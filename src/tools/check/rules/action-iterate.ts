import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import type { Subject } from '../subject/subject.js';
import { inheritsBase, pointerTo, readAt, type WrittenRequest } from '../subject/walk-requests.js';

export const actionIterate: Rule = {
  id: 'action-iterate',
  level: 'error',
  summary: 'The last request of an action iterates and has no `wrapper`.',
  why: 'An action outputs one object. `iterate` outputs a list, so every run ends with a `DataError`. A `wrapper` combines the list in one object; a search outputs one bundle per item.',
  bad: '"response": { "iterate": "{{body.items}}", "output": "{{item}}" }',
  good: '"response": { "iterate": "{{body.items}}", "output": "{{item}}", "wrapper": { "items": "{{output}}" } }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      const { owner, kind } = request.in;
      if (owner?.kind !== 'module' || owner.type !== 'action' || kind !== 'api') continue;
      if (request.element !== request.length - 1) continue;
      if (!iterates(subject, request) || readMerged(subject, request, 'wrapper') !== undefined) continue;
      const isOwn = readAt(request.value, 'response', 'iterate') !== undefined;
      const pointer = isOwn ? pointerTo(request, 'response', 'iterate') : request.pointer;
      report({
        message: 'An action outputs one object, but this request iterates. Add a wrapper, or use a search.',
        place: request.document.locationOf(pointer, undefined, 'key'),
      });
    }
  },
};

function iterates(subject: Subject, request: WrittenRequest): boolean {
  const iterate = readMerged(subject, request, 'iterate');
  const container = isPlainObject(iterate) ? readMerged(subject, request, 'iterate', 'container') : iterate;
  return container !== undefined && container !== null && container !== '';
}

/** A member of the response, or the one of the base that it inherits. */
function readMerged(subject: Subject, request: WrittenRequest, ...path: readonly string[]): unknown {
  const own = readAt(request.value, 'response', ...path);
  if (own !== undefined || !inheritsBase(request.in)) return own;
  return readAt(subject.app.base?.value, 'response', ...path);
}
