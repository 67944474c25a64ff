import type { Expression } from '../../../language/syntax/ast.js';
import { listNodes, listPaths } from '../../../language/syntax/walk-expression.js';
import type { Rule } from '../rule.js';
import { findingAt, replacementAt } from '../subject/expression-site.js';

const unquotedFormat: Rule = {
  id: 'unquoted-format',
  level: 'error',
  summary: 'The format of a date is not in quotes.',
  why: '`YYYY-MM-DD` without quotes subtracts three undeclared names, so the format is not a text.',
  bad: '"day": "{{formatDate(now; YYYY-MM-DD)}}"',
  good: '"day": "{{formatDate(now; \'YYYY-MM-DD\')}}"',
  canFix: true,
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        const format = formatArgument(node);
        if (format === undefined || !isBareFormat(format)) continue;
        const written = site.parsed.ok ? site.parsed.template.source.slice(format.start, format.end) : '';
        report(
          replacementAt(site, format, {
            message: `The format ${written} has to be in quotes.`,
            title: `Put ${written} in quotes`,
            text: `'${written}'`,
          }),
        );
      }
    }
  },
};

const TOKEN = /^(?:Y{1,4}|M{1,4}|D{1,4}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|X|x|Q|W{1,2})$/;

/** Names of format tokens, joined by `-`, `/` and dots. */
function isBareFormat(expression: Expression): boolean {
  const paths = listPaths(listNodes(expression));
  return (
    paths.length > 0 &&
    (expression.kind === 'binary' || expression.kind === 'name' || expression.kind === 'member') &&
    paths.every(
      ({ root, members }) =>
        root.form === 'plain' &&
        TOKEN.test(root.name) &&
        members.every(({ name }) => name !== undefined && TOKEN.test(name)),
    )
  );
}

const missingFormat: Rule = {
  id: 'missing-format',
  level: 'warning',
  summary: '`formatDate` is called without a format.',
  why: 'The documentation does not specify this case. This engine writes `YYYY-MM-DDTHH:mm:ss.SSSZ`; an API may expect another format.',
  bad: '"since": "{{formatDate(parameters.since)}}"',
  good: '"since": "{{formatDate(parameters.since; \'YYYY-MM-DD\')}}"',
  check: (subject, report) => {
    if (subject.app.functions.has('formatDate')) return;
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        // `argument-count` reports a missing date.
        if (node.kind !== 'call' || node.name !== 'formatDate' || node.args.length === 0) continue;
        if (node.args[1] !== undefined) continue;
        const message =
          'formatDate is called without a format, so its output is not defined by the documentation.';
        report(findingAt(site, { start: node.start, end: node.start + node.name.length }, message));
      }
    }
  },
};

const monthInTime: Rule = {
  id: 'month-in-time',
  level: 'warning',
  summary: 'A format writes the month instead of minutes.',
  why: '`MM` is the month and `mm` are the minutes: in November, `HH:MM` writes 09:11 from 09:00 to 09:59. `SS` are hundredths of a second, `ss` are the seconds.',
  bad: '"at": "{{formatDate(now; \'YYYY-MM-DD HH:MM\')}}"',
  good: '"at": "{{formatDate(now; \'YYYY-MM-DD HH:mm\')}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        const format = formatArgument(node);
        if (format?.kind !== 'literal' || typeof format.value !== 'string' || !/[Hh]:M/.test(format.value))
          continue;
        report(findingAt(site, format, `In '${format.value}' the minutes are written mm; MM is the month.`));
      }
    }
  },
};

const TAKES_FORMAT: ReadonlySet<string> = new Set(['formatDate', 'parseDate']);

/** The format argument of a date function; undefined for other nodes. */
function formatArgument(node: Expression): Expression | undefined {
  return node.kind === 'call' && TAKES_FORMAT.has(node.name) ? node.args[1] : undefined;
}

export const DATE_RULES: readonly Rule[] = [unquotedFormat, missingFormat, monthInTime];
