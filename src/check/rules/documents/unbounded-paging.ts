import type { Rule } from '../../rule.js';
import { listPaged } from '../../subject/list-paged.js';
import type { Subject } from '../../subject/subject.js';
import { inheritsBase, pointerTo, readAt, type WrittenRequest } from '../../subject/walk-requests.js';

export const unboundedPaging: Rule = {
  id: 'unbounded-paging',
  level: 'warning',
  summary: '`pagination` has neither a condition nor does `response` have a limit.',
  why: 'Pages are asked for until one is empty or a limit of the platform ends it. A service that answers the last page again is asked 50 times.',
  bad: '"pagination": { "qs": { "page": "{{pagination.page}}" } }',
  good: '"pagination": { "qs": { "page": "{{pagination.page}}" }, "condition": "{{body.has_more}}" }',
  check: (subject, report) => {
    for (const request of listPaged(subject)) {
      const { pagination } = request.value;
      if (readAt(pagination, 'condition') !== undefined || inherits(subject, request, 'limit')) continue;
      // A link that evaluates to nothing ends the pages as well as a condition.
      if (readAt(pagination, 'url') !== undefined) continue;
      const place = request.document.placeOf(pointerTo(request, 'pagination'), undefined, 'key');
      report({
        message: 'Nothing says when there are no more pages: neither a condition nor a limit.',
        place,
      });
    }
  },
};

function inherits(subject: Subject, request: WrittenRequest, name: 'limit'): boolean {
  if (readAt(request.value, 'response', name) !== undefined) return true;
  return inheritsBase(request.in) && readAt(subject.app.base?.value, 'response', name) !== undefined;
}
