import { evaluate } from '../../../language/compile.js';
import type { Expression } from '../../../language/syntax/ast.js';
import { listNodes } from '../../../language/syntax/walk-expression.js';
import { isTruthy } from '../../../language/values/value.js';
import type { Rule } from '../rule.js';
import { findingAt } from '../subject/expression-site.js';

export const deadBranch: Rule = {
  id: 'dead-branch',
  level: 'warning',
  summary: 'A branch of `if`, `&` or `|` never runs, because its condition is a constant.',
  why: "The condition was probably meant to read a value: `if('parameters.all'; ...)` tests a text, which is always truthy.",
  bad: "\"url\": \"{{if('parameters.all'; '/all'; '/mine')}}\"",
  good: '"url": "{{if(parameters.all; \'/all\'; \'/mine\')}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        const condition = findCondition(node, subject.app.functions.has('if'));
        if (condition === undefined || !isConstant(condition)) continue;
        const outcome = site.parsed.ok && isAlways(site.parsed.template.source, condition);
        report(findingAt(site, condition, `This condition is always ${outcome ? 'true' : 'false'}.`));
      }
    }
  },
};

function findCondition(node: Expression, isOwnIf: boolean): Expression | undefined {
  if (node.kind === 'binary' && (node.operator === '&' || node.operator === '|')) return node.left;
  return node.kind === 'call' && node.name === 'if' && !isOwnIf ? node.args[0] : undefined;
}

function isConstant(expression: Expression): boolean {
  return listNodes(expression).every(({ kind }) => kind !== 'name' && kind !== 'call');
}

function isAlways(source: string, { start, end }: Expression): boolean {
  return isTruthy(evaluate(`{{${source.slice(start, end)}}}`, {}));
}
