import type { Rule } from '../rule.js';
import { findingAt } from '../subject/expression-site.js';

export const listLiteral: Rule = {
  id: 'list-literal',
  level: 'error',
  summary: 'An expression contains a list in brackets.',
  why: "IML has no list literals: `['a', 'b']` evaluates to null, also as an argument. Use `split`, `add(emptyarray; ...)` or a JSON list outside the expression.",
  bad: '"ids": "{{[\'a\', \'b\']}}"',
  good: '"ids": "{{split(\'a,b\', \',\')}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        if (node.kind !== 'list') continue;
        report(
          findingAt(site, node, 'A list in brackets evaluates to null: expressions cannot write lists.'),
        );
      }
    }
  },
};
