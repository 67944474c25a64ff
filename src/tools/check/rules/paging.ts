import { readPath, type WrittenPath } from '../../../language/syntax/walk-expression.js';
import { isPlainObject, readAt } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { type ExpressionSite, findingAt } from '../subject/expression-site.js';
import type { Subject } from '../subject/subject.js';
import { inheritsBase, locateKey, pointerTo, type WrittenRequest } from '../subject/walk-requests.js';

export const PAGING_RULES: readonly Rule[] = [
  {
    id: 'unbounded-paging',
    area: 'modules',
    level: 'warning',
    summary: '`pagination` has no condition, and either no limit or a page token that can be missing.',
    why: 'The run requests pages until one is empty or it reaches a limit. If an API repeats its last page, the run requests it 50 times. Without the token, a follow-up request returns the first page again.',
    bad: '"pagination": { "qs": { "page": "{{pagination.page}}" } }',
    good: '"pagination": { "qs": { "page": "{{pagination.page}}" }, "condition": "{{body.has_more}}" }',
    check: (subject, report) => {
      for (const request of listPaged(subject)) {
        const { pagination } = request.value;
        // An empty link ends paging too.
        if (readAt(pagination, 'condition') !== undefined || readAt(pagination, 'url') !== undefined)
          continue;
        const token = findToken(subject, request);
        if (token !== undefined) {
          const path = printPath(token.path);
          const message = `Without ${path} the first page is requested again. Add the condition "{{${path}}}".`;
          report(findingAt(token.site, token.path.root, message));
          continue;
        }
        if (inherits(subject, request, 'limit')) continue;
        const place = locateKey(request, 'pagination');
        report({ message: 'The pagination has neither a condition nor a limit.', place });
      }
    },
  },
  {
    id: 'repeated-page',
    area: 'modules',
    level: 'error',
    summary: '`pagination` can request the same page again and again.',
    why: 'It reads neither the response nor `pagination.page` nor `temp`. Each follow-up request is the same, and a run outputs each record up to 51 times.',
    bad: '"pagination": { "qs": { "page": 2 } }',
    good: '"pagination": { "qs": { "page": "{{pagination.page}}" } }',
    check: (subject, report) => {
      for (const request of listPaged(subject)) {
        const changes = subject
          .expressionsIn(request.in)
          .filter(
            ({ pointer, location }) => isOfRequest(request, pointer) && isAboutPages(location.directive),
          )
          .flatMap(({ parsed, paths }) => (parsed.ok ? paths.map(({ root }) => root.name) : UNKNOWN));
        if (changes.some((name) => CHANGING.has(name))) continue;
        const place = locateKey(request, 'pagination');
        report({ message: 'Nothing in the follow-up request changes from page to page.', place });
      }
    },
  },
  {
    id: 'page-offset',
    area: 'modules',
    level: 'warning',
    summary: 'A follow-up request adds to `pagination.page`.',
    why: '`pagination.page` is the number of the page to request: 2 in the first follow-up request. With `+ 1` the second page is skipped.',
    bad: '"pagination": { "qs": { "page": "{{pagination.page + 1}}" } }',
    good: '"pagination": { "qs": { "page": "{{pagination.page}}" } }',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        if (site.location.phase !== 'request' && site.location.phase !== 'pagination') continue;
        if (site.location.directive.at(-1) === 'condition') continue;
        for (const node of site.expressions) {
          if (node.kind !== 'binary' || node.operator !== '+') continue;
          const path = [node.left, node.right].map(readPath).find((one) => one !== undefined);
          const isPage = path?.root.name === 'pagination' && path.members[0]?.name === 'page';
          if (!isPage || ![node.left, node.right].some((side) => side.kind === 'literal')) continue;
          report(
            findingAt(site, node, 'pagination.page is the number of the page to request. Add nothing to it.'),
          );
        }
      }
    },
  },
  {
    id: 'unbounded-repeat',
    area: 'modules',
    level: 'warning',
    summary: '`repeat` has no limit.',
    why: 'If the condition never becomes false, the run sends requests until a limit of the platform ends it: 100 requests or 40 seconds.',
    bad: '"repeat": { "condition": "{{body.status = \'running\'}}", "delay": 2000 }',
    good: '"repeat": { "condition": "{{body.status = \'running\'}}", "delay": 2000, "limit": 15 }',
    check: (subject, report) => {
      for (const { request, name, value } of listRepeats(subject)) {
        if (isSet(value['limit']) || describeIdle(name, value) !== undefined) continue;
        report({ message: `${name} has no limit.`, place: locateKey(request, name) });
      }
    },
  },
  {
    id: 'idle-repeat',
    area: 'modules',
    level: 'warning',
    summary: '`repeat` never repeats the request.',
    why: 'Without a condition the request is sent once, as with a condition that is always false or a limit below 1. The limit of `while` includes the first request.',
    bad: '"repeat": { "delay": 2000, "limit": 15 }',
    good: '"repeat": { "condition": "{{body.status = \'running\'}}", "delay": 2000, "limit": 15 }',
    check: (subject, report) => {
      for (const { request, name, value } of listRepeats(subject)) {
        const reason = describeIdle(name, value);
        if (reason === undefined) continue;
        report({ message: `${name} never repeats the request: ${reason}.`, place: locateKey(request, name) });
      }
    },
  },
];

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

/** Requests with pagination. */
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

/** The block `repeat` of a request, or `while`, which counts the first request. */
function listRepeats({ requests }: Subject): readonly WrittenRepeat[] {
  return requests.flatMap((request) =>
    (['repeat', 'while'] as const).flatMap((name) => {
      const value = readAt(request.value, name);
      return isPlainObject(value) && Object.keys(value).length > 0 ? [{ request, name, value }] : [];
    }),
  );
}

interface WrittenRepeat {
  readonly request: WrittenRequest;
  readonly name: 'repeat' | 'while';
  readonly value: Readonly<Record<string, unknown>>;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** Why a request is never repeated; undefined if it may be. */
function describeIdle(
  name: 'repeat' | 'while',
  { condition, limit }: WrittenRepeat['value'],
): string | undefined {
  if (!isSet(condition)) return 'it has no condition';
  if (
    condition === false ||
    condition === 0 ||
    /^(?:false|\{\{\s*(?:false|null|0)\s*\}\})$/.test(String(condition))
  ) {
    return 'its condition is always false';
  }
  const least = name === 'while' ? 2 : 1;
  const isNumber = typeof limit === 'number' || (typeof limit === 'string' && /^-?\d+$/.test(limit));
  return isNumber && Number(limit) < least ? `its limit is below ${least}` : undefined;
}
