import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import type { Subject } from '../subject/subject.js';
import { inheritsBase, pointerTo, readAt, type WrittenRequest } from '../subject/walk-requests.js';

export const actionIterate: Rule = {
  id: 'action-iterate',
  level: 'error',
  summary: 'The result of an action comes from a request that iterates and has no `wrapper`.',
  why: 'An action outputs one object. `iterate` outputs a list, so the run ends with a `DataError`. This also applies to an earlier request of a chain: its list stays the result if later requests are skipped by their `condition` or have `output: null`. A `wrapper` combines the list in one object; a search outputs one bundle per item.',
  bad: '"response": { "iterate": "{{body.items}}", "output": "{{item}}" }',
  good: '"response": { "iterate": "{{body.items}}", "output": "{{item}}", "wrapper": { "items": "{{output}}" } }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      const { owner, kind } = request.in;
      if (owner?.kind !== 'module' || owner.type !== 'action' || kind !== 'api') continue;
      if (!iterates(subject, request) || readMerged(subject, request, 'wrapper') !== undefined) continue;
      if (!canBeResult(subject, request)) continue;
      const isOwn = readAt(request.value, 'response', 'iterate') !== undefined;
      const pointer = isOwn ? pointerTo(request, 'response', 'iterate') : request.pointer;
      const isLast = request.element === request.length - 1;
      report({
        message: `An action outputs one object, but this request iterates${isLast ? '' : ', and its list is the result if later requests have none'}. Add a wrapper, or use a search.`,
        place: request.document.locationOf(pointer, undefined, 'key'),
      });
    }
  },
};

/**
 * Whether the later requests of the chain can all end without a result; the result of an earlier request then counts.
 * Conditions of several later requests may exclude each other, so at most one of them may be skipped. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (condition). [inf]
 */
function canBeResult(subject: Subject, request: WrittenRequest): boolean {
  const later = subject.requests.filter(
    (other) => other.document === request.document && other.element > request.element,
  );
  // Empty requests are not listed.
  if (later.length !== request.length - 1 - request.element) return false;
  const withOutput = later.filter((other) => !NO_RESULT.has(readMerged(subject, other, 'output')));
  const [next, ...others] = withOutput;
  return next === undefined || (others.length === 0 && canBeSkipped(next, request));
}

/** Values of `output` that end a request without a result. */
const NO_RESULT: ReadonlySet<unknown> = new Set([null, false, '{{undefined}}', '{{null}}', '{{false}}']);

/** Whether a request can be skipped in a run in which another one is not. */
function canBeSkipped({ value }: WrittenRequest, other: WrittenRequest): boolean {
  const condition = ownMember(value, 'condition');
  if (condition === undefined || condition === null || condition === true) return false;
  if (isPlainObject(condition) && condition['default'] !== undefined) return false;
  return JSON.stringify(condition) !== JSON.stringify(ownMember(other.value, 'condition'));
}

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
