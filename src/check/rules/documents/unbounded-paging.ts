import { readPath, type WrittenPath } from '../../../iml/syntax/walk-expression.js';
import type { Rule } from '../../rule.js';
import type { ExpressionSite } from '../../subject/expression-site.js';
import { listPaged } from '../../subject/list-paged.js';
import { findingAt } from '../../subject/site-finding.js';
import type { Subject } from '../../subject/subject.js';
import { inheritsBase, pointerTo, readAt, type WrittenRequest } from '../../subject/walk-requests.js';

export const unboundedPaging: Rule = {
  id: 'unbounded-paging',
  level: 'warning',
  summary: '`pagination` has no condition, and either no limit or a page token that may be missing.',
  why: 'Pages are asked for until one is empty or a limit of the platform ends it. An API that repeats its last page is requested 50 times. Without its token a follow-up request asks for the first page again.',
  bad: '"pagination": { "qs": { "page": "{{pagination.page}}" } }',
  good: '"pagination": { "qs": { "page": "{{pagination.page}}" }, "condition": "{{body.has_more}}" }',
  check: (subject, report) => {
    for (const request of listPaged(subject)) {
      const { pagination } = request.value;
      // An empty link ends paging too.
      if (readAt(pagination, 'condition') !== undefined || readAt(pagination, 'url') !== undefined) continue;
      const token = findToken(subject, request);
      if (token !== undefined) {
        const path = printPath(token.path);
        const message = `Without ${path} the first page is requested again. Add the condition "{{${path}}}".`;
        report(findingAt(token.site, token.path.root, message));
        continue;
      }
      if (inherits(subject, request, 'limit')) continue;
      const place = request.document.locationOf(pointerTo(request, 'pagination'), undefined, 'key');
      report({
        message: 'Nothing says when there are no more pages: neither a condition nor a limit.',
        place,
      });
    }
  },
};

/** The page token: `{{body.next}}` in query, headers or body of `pagination`. */
function findToken(
  subject: Subject,
  request: WrittenRequest,
): { readonly site: ExpressionSite; readonly path: WrittenPath } | undefined {
  const sites = ['qs', 'headers', 'body'].flatMap((name) => {
    const pointer = pointerTo(request, 'pagination', name);
    return subject.expressionsIn(request.in).filter((site) => site.pointer.startsWith(`${pointer}/`));
  });
  for (const site of sites) {
    const [only, ...more] = site.expressions;
    const path = only === undefined || more.length > 0 ? undefined : readPath(only);
    if (path?.root.name === 'body' || path?.root.name === 'headers') return { site, path };
  }
  return undefined;
}

function printPath({ root, members }: WrittenPath): string {
  return [root.name, ...members.map(({ name }) => (name === undefined ? '[]' : `.${name}`))].join('');
}

function inherits(subject: Subject, request: WrittenRequest, name: 'limit'): boolean {
  if (readAt(request.value, 'response', name) !== undefined) return true;
  return inheritsBase(request.in) && readAt(subject.app.base?.value, 'response', name) !== undefined;
}
