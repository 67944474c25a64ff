import type { Expression } from '../../../iml/syntax/ast.js';
import { readPath } from '../../../iml/syntax/walk-expression.js';
import type { Rule } from '../../rule.js';
import type { ExpressionSite } from '../../subject/expression-site.js';
import { findFieldTypes } from '../../subject/field-types.js';
import { findingAt } from '../../subject/site-finding.js';
import type { Subject } from '../../subject/subject.js';

export const typeComparison: Rule = {
  id: 'type-comparison',
  level: 'warning',
  summary: 'A text is compared with a number, or a number with a text.',
  why: '`=` and `!=` compare types, too: `"5" = 5` is false. Headers and text fields are texts, `statusCode` and number fields are numbers.',
  bad: '"condition": "{{statusCode = \'404\'}}"',
  good: '"condition": "{{statusCode = 404}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        if (node.kind !== 'binary' || (node.operator !== '=' && node.operator !== '!=')) continue;
        const left = inferType(subject, site, node.left);
        const right = inferType(subject, site, node.right);
        if (left === undefined || right === undefined || left === right) continue;
        if (node.left.kind !== 'literal' && node.right.kind !== 'literal') continue;
        const outcome = node.operator === '=' ? 'never' : 'always';
        report(findingAt(site, node, `A ${left} is compared with a ${right}, which is ${outcome} so.`));
      }
    }
  },
};

/** Whether an expression surely gives a text or a number. */
function inferType(
  subject: Subject,
  site: ExpressionSite,
  expression: Expression,
): 'text' | 'number' | undefined {
  if (expression.kind === 'literal') return typeof expression.value === 'number' ? 'number' : 'text';
  const path = readPath(expression);
  if (path === undefined || path.root.form !== 'plain') return undefined;
  const [member, ...more] = path.members;
  if (path.root.name === 'statusCode' && member === undefined) return 'number';
  if (path.root.name === 'headers' && member?.name !== undefined && more.length === 0) return 'text';
  if (path.root.name !== 'parameters' || member?.name === undefined || more.length > 0) return undefined;
  return findFieldTypes(subject, site.in).get(member.name);
}
