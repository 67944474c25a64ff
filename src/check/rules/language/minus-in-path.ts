import type { Binary, Expression } from '../../../iml/syntax/ast.js';
import type { Rule } from '../../rule.js';
import { type ExpressionSite, pickExpressions } from '../../subject/expression-site.js';
import { replacementAt } from '../../subject/site-finding.js';
import { listVisibleNames } from '../../subject/visible-names.js';
import { walkExpression } from '../../subject/walk-expression.js';

export const minusInPath: Rule = {
  id: 'minus-in-path',
  level: 'error',
  summary: 'A hyphen in a path is read as a minus.',
  why: '`headers.retry-after` subtracts `after` from `headers.retry`. A member with such a name is written in backticks.',
  bad: '"delay": "{{headers.retry-after}}"',
  good: '"delay": "{{headers.`retry-after`}}"',
  canFix: true,
  check: (subject, report) => {
    for (const site of subject.expressions) {
      const visible = new Set(listVisibleNames(subject.app, site.in, site.location));
      for (const expression of pickExpressions(site)) {
        const inner = new Set<Expression>();
        walkExpression(expression, (node) => {
          const names = node.kind === 'binary' && !inner.has(node) ? readHyphens(node, site) : undefined;
          if (node.kind !== 'binary' || names === undefined || names.rest.some((name) => visible.has(name)))
            return;
          for (let left: Expression = node; left.kind === 'binary'; left = left.left) inner.add(left);
          const text = `\`${[names.first, ...names.rest].join('-')}\``;
          report(
            replacementAt(
              site,
              { start: names.start, end: node.end },
              {
                message: `A hyphen is a minus here; the member has to be in backticks: ${text}.`,
                title: `Put ${text.slice(1, -1)} in backticks`,
                text,
              },
            ),
          );
        });
      }
    }
  },
};

interface Hyphens {
  /** Offset of the last name of the path on the left. */
  readonly start: number;
  readonly first: string;
  readonly rest: readonly string[];
}

/** `path.a-b-c` without a space: what `a`, `b` and `c` are; undefined for anything else. */
function readHyphens(node: Binary, site: ExpressionSite): Hyphens | undefined {
  const rest: string[] = [];
  let left: Expression = node;
  while (left.kind === 'binary') {
    const { right } = left;
    if (left.operator !== '-' || right.kind !== 'name' || right.form !== 'plain') return undefined;
    if (right.start !== left.left.end + 1) return undefined;
    rest.unshift(right.name);
    left = left.left;
  }
  if (left.kind !== 'member' || !site.parsed.ok) return undefined;
  return { start: left.end - left.name.length, first: left.name, rest };
}
