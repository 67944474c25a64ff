import { isPlainObject } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
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

export const repeatedPage: Rule = {
  id: 'repeated-page',
  level: 'error',
  summary: '`pagination` may ask for the same page again and again.',
  why: 'It reads neither the answer nor `pagination.page` nor `temp`, so every follow-up request is the same, and every record comes up to 51 times.',
  bad: '"pagination": { "qs": { "page": 2 } }',
  good: '"pagination": { "qs": { "page": "{{pagination.page}}" } }',
  check: (subject, report) => {
    for (const request of listPaged(subject)) {
      const changes = subject
        .expressionsIn(request.in)
        .filter(({ pointer, location }) => isOfRequest(request, pointer) && isAboutPages(location.directive))
        .flatMap(({ parsed, paths }) => (parsed.ok ? paths.map(({ root }) => root.name) : UNKNOWN));
      if (changes.some((name) => CHANGING.has(name))) continue;
      const place = request.document.placeOf(pointerTo(request, 'pagination'), undefined, 'key');
      report({ message: 'Nothing in the follow-up request changes from page to page.', place });
    }
  },
};

const CHANGING: ReadonlySet<string> = new Set([
  ...[
    'body',
    'headers',
    'statusCode',
    'pagination',
    'temp',
    'iterate',
    'item',
    'random',
    'uuid',
    'now',
    'timestamp',
  ],
]);

/** Stands for what an expression that does not parse may read. */
const UNKNOWN: readonly string[] = ['body'];

/** What decides the follow-up request: everything but the condition that ends it, and what comes of the answer. */
function isAboutPages([directive, key]: readonly string[]): boolean {
  if (directive === 'pagination') return key !== 'condition';
  return directive !== 'response' && directive !== 'repeat' && directive !== 'condition';
}

function isOfRequest({ pointer: root }: WrittenRequest, pointer: string): boolean {
  return pointer.startsWith(`${root}/`);
}

function listPaged(
  subject: Subject,
): readonly (WrittenRequest & { readonly value: { readonly pagination: unknown } })[] {
  return subject.requests
    .filter(({ in: checked }) => checked.owner?.kind !== 'connection' && checked.kind !== 'base')
    .filter(({ value }) => isPlainObject(value['pagination']) && Object.keys(value['pagination']).length > 0)
    .filter(
      (request): request is WrittenRequest & { readonly value: { readonly pagination: unknown } } =>
        'pagination' in request.value,
    );
}

function inherits(subject: Subject, request: WrittenRequest, name: 'limit'): boolean {
  if (readAt(request.value, 'response', name) !== undefined) return true;
  return inheritsBase(request.in) && readAt(subject.app.base?.value, 'response', name) !== undefined;
}
