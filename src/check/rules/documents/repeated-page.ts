import type { Rule } from '../../rule.js';
import { listPaged } from '../../subject/list-paged.js';
import { pointerTo, type WrittenRequest } from '../../subject/walk-requests.js';

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
      const place = request.document.locationOf(pointerTo(request, 'pagination'), undefined, 'key');
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

/** Assumed dependencies of an expression that does not parse. */
const UNKNOWN: readonly string[] = ['body'];

/** Directives that determine the follow-up request: all except the condition and the results. */
function isAboutPages([directive, key]: readonly string[]): boolean {
  if (directive === 'pagination') return key !== 'condition';
  return directive !== 'response' && directive !== 'repeat' && directive !== 'condition';
}

function isOfRequest({ pointer: root }: WrittenRequest, pointer: string): boolean {
  return pointer.startsWith(`${root}/`);
}
