import type { Rule } from '../rule.js';
import { findingAt } from '../subject/expression-site.js';

export const listLiteral: Rule = {
  id: 'list-literal',
  level: 'error',
  summary: 'An expression writes a list in brackets.',
  why: "IML has no lists to write: `['a', 'b']` evaluates to null, also as an argument of a function. Use `split`, `add(emptyarray; ...)` or a list in the JSON around the expression.",
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
