import type { Expression } from '../../../language/syntax/ast.js';
import { listNodes, listPaths } from '../../../language/syntax/walk-expression.js';
import type { Rule } from '../rule.js';
import { findingAt, replacementAt } from '../subject/expression-site.js';

export const DATE_RULES: readonly Rule[] = [
  {
    id: 'unquoted-format',
    area: 'app',
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
  },
  {
    id: 'missing-format',
    area: 'app',
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
  },
  {
    id: 'month-in-time',
    area: 'app',
    level: 'warning',
    summary: 'A format writes the month instead of minutes.',
    why: '`MM` is the month and `mm` are the minutes: in November, `HH:MM` writes 09:11 from 09:00 to 09:59. The rule `date-token` reports other tokens.',
    bad: '"at": "{{formatDate(now; \'YYYY-MM-DD HH:MM\')}}"',
    good: '"at": "{{formatDate(now; \'YYYY-MM-DD HH:mm\')}}"',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const node of site.nodes) {
          const format = formatArgument(node);
          if (format?.kind !== 'literal' || typeof format.value !== 'string' || !/[Hh]:M/.test(format.value))
            continue;
          report(
            findingAt(site, format, `In '${format.value}' the minutes are written mm; MM is the month.`),
          );
        }
      }
    },
  },
  {
    id: 'date-token',
    area: 'app',
    level: 'warning',
    summary: 'A format of a date uses a token for another one.',
    why: 'Formats have the tokens of Moment.js, which differ from those of other languages: `DD` is the day of the month and `dd` the weekday (`Th`), `mm` are minutes and `MM` is the month, `hh` counts to 12 and needs `A`, `SS` are fractions of a second.',
    bad: '"day": "{{formatDate(now; \'yyyy-MM-dd\')}}"',
    good: '"day": "{{formatDate(now; \'YYYY-MM-DD\')}}"',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const node of site.nodes) {
          const format = formatArgument(node);
          if (format?.kind !== 'literal' || typeof format.value !== 'string') continue;
          // Text in brackets is not a token.
          const tokens = format.value.replace(/\[[^\]]*\]/g, ' ');
          for (const { pattern, unless, problem } of CONFUSED) {
            if (!pattern.test(tokens) || unless?.test(tokens) === true) continue;
            report(findingAt(site, format, `In '${format.value}', ${problem}.`));
          }
        }
      }
    },
  },
];

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

interface Confusion {
  readonly pattern: RegExp;
  /** A token that makes the pattern correct. */
  readonly unless?: RegExp;
  readonly problem: string;
}

/** Tokens in positions where another one is meant. Source: the tokens of Moment.js. [doc] */
const CONFUSED: readonly Confusion[] = [
  {
    pattern: /[YyM][-/. ]?dd?(?![A-Za-z])|(?<![A-Za-z])dd?[-/.]M/,
    problem: '`dd` is the weekday; the day of the month is `DD`',
  },
  {
    pattern: /M[-/. ]?D{3,4}(?!D)/,
    problem: '`DDD` is the day of the year; the day of the month is `DD`',
  },
  {
    pattern: /[Yy][-/. ]?mm?(?:[-/. ]?[Dd]|$)|(?<![A-Za-z:])mm?[-/.][DdYy]|[Dd][-/.]mm?[-/.]/,
    problem: '`mm` are minutes; the month is `MM`',
  },
  {
    pattern: /(?<!h)hh?(?!h)/,
    unless: /[Aa]/,
    problem: '`hh` counts to 12 and there is no `A`; the hours of a day are `HH`',
  },
  { pattern: /m:SS?(?!S)/, problem: '`SS` are fractions of a second; seconds are `ss`' },
  { pattern: /[ms] ?(?:AM|PM)/, problem: '`AM` and `PM` are no tokens; write `A`' },
];

const TAKES_FORMAT: ReadonlySet<string> = new Set(['formatDate', 'parseDate']);

/** The format argument of a date function; undefined for other nodes. */
function formatArgument(node: Expression): Expression | undefined {
  return node.kind === 'call' && TAKES_FORMAT.has(node.name) ? node.args[1] : undefined;
}
