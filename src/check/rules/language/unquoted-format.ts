import type { Expression } from '../../../iml/syntax/ast.js';
import { listNodes, listPaths } from '../../../iml/syntax/walk-expression.js';
import type { Rule } from '../../rule.js';
import { formatArgument } from '../../subject/format-argument.js';
import { replacementAt } from '../../subject/site-finding.js';

export const unquotedFormat: Rule = {
  id: 'unquoted-format',
  level: 'error',
  summary: 'The format of a date is not in quotes.',
  why: '`YYYY-MM-DD` without quotes is a subtraction of three names that nothing declares, so the format is no text.',
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
