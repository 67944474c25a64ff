import { readAt } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { type ExpressionSite, findingAt } from '../subject/expression-site.js';
import { readInherited } from '../subject/review-subject.js';
import type { Subject } from '../subject/subject.js';
import { describeKind, kindOfSite, type ValueKind } from '../subject/value-kinds.js';
import { locate, pointerTo, type WrittenRequest } from '../subject/walk-requests.js';

const iterateType: Rule = {
  id: 'iterate-type',
  area: 'app',
  level: 'error',
  summary: '`iterate` evaluates to a text, a number, a boolean or a date.',
  why: 'Only a list, a collection or nothing can be iterated. Another value ends the run with a RuntimeError.',
  bad: '"iterate": "{{length(body.items)}}"',
  good: '"iterate": "{{body.items}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      if (site.part !== 'value' || site.location.phase === 'form' || !isContainer(site)) continue;
      const kind = kindOfSite(subject, site);
      if (kind === undefined || kind === 'array' || kind === 'collection') continue;
      const whole = { start: 0, end: site.text.length };
      report(findingAt(site, whole, `This is ${describeKind(kind)}, which cannot be iterated.`));
    }
  },
};

/** `iterate` and `iterate.container` of a request, a webhook or an epoch. */
function isContainer({ location: { directive } }: ExpressionSite): boolean {
  const path = directive[0] === 'response' ? directive.slice(1) : directive;
  return path[0] === 'iterate' && (path.length === 1 || (path.length === 2 && path[1] === 'container'));
}

/** Kinds that are no result, by what runs the request. Source: the page on types of actions. [doc] */
const REFUSED: ReadonlyMap<string | undefined, readonly ValueKind[]> = new Map([
  ['action', ['text', 'number', 'date', 'buffer', 'array'] as const],
  ['search', ['text', 'number', 'date', 'buffer'] as const],
  ['rpc', ['number', 'date', 'buffer'] as const],
]);

/** Creates a rule on the result of the last request of a component: its `wrapper`, or its `output`. */
function createResultRule({
  runners,
  describe,
  ...rule
}: Omit<Rule, 'check'> & {
  readonly runners: readonly string[];
  readonly describe: (kind: ValueKind) => string;
}): Rule {
  return {
    ...rule,
    check: (subject, report) => {
      for (const request of subject.requests) {
        const { owner, part } = request.in;
        const runner = owner?.kind === 'rpc' ? 'rpc' : owner?.type;
        if (runner === undefined || !runners.includes(runner) || part !== 'communication') continue;
        if (request.element !== request.length - 1) continue;
        const hasWrapper = readInherited(subject, request, 'response', 'wrapper') !== undefined;
        const name = hasWrapper ? 'wrapper' : 'output';
        const kind = kindOfResult(subject, request, name);
        if (kind === undefined || REFUSED.get(runner)?.includes(kind) !== true) continue;
        report({ message: describe(kind), place: locate(request, 'response', name) });
      }
    },
  };
}

function kindOfResult(subject: Subject, request: WrittenRequest, name: string): ValueKind | undefined {
  const written = readAt(request.value, 'response', name);
  if (typeof written === 'number') return 'number';
  if (Array.isArray(written)) return 'array';
  if (typeof written !== 'string' || written === '') return undefined;
  const pointer = pointerTo(request, 'response', name);
  const site = subject
    .expressionsIn(request.in)
    .find((one) => one.pointer === pointer && one.part === 'value');
  return site === undefined ? 'text' : kindOfSite(subject, site);
}

const actionObject: Rule = createResultRule({
  id: 'action-object',
  area: 'modules',
  level: 'error',
  summary: 'The output of an action is a list, a text or a number.',
  why: 'The output of an action has to be an object. Another value ends the run with a DataError.',
  bad: 'action: "output": "done"',
  good: 'action: "output": { "status": "done" }',
  runners: ['action'],
  describe: (kind) => `The output of an action has to be an object, and this is ${describeKind(kind)}.`,
});

const outputType: Rule = createResultRule({
  id: 'output-type',
  area: 'modules',
  level: 'error',
  summary: 'The output of a search is a text or a number, or that of an RPC a number.',
  why: 'A search outputs objects, an RPC objects or texts. Another value ends the run with a DataError.',
  bad: 'search: "iterate": "{{body.users}}", "output": "{{lower(item.name)}}"',
  good: 'search: "iterate": "{{body.users}}", "output": { "name": "{{lower(item.name)}}" }',
  runners: ['search', 'rpc'],
  describe: (kind) => `The output has to be an object, and this is ${describeKind(kind)}.`,
});

export const RESULT_RULES: readonly Rule[] = [iterateType, actionObject, outputType];
