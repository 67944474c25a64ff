import type { Rule } from '../../rule.js';
import { canEqualOtherKind, listComparisons } from '../../subject/compared-kinds.js';
import { findingAt } from '../../subject/site-finding.js';

export const typeComparison: Rule = {
  id: 'type-comparison',
  level: 'warning',
  summary: 'Values of two types are compared that are never equal.',
  why: 'A number never equals a text that does not read as a number: `statusCode = "ok"` is false for every response. `statusCode` and number fields are numbers, headers and text fields are texts.',
  bad: '"condition": "{{statusCode = \'ok\'}}"',
  good: '"condition": "{{statusCode = 200}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const comparison of listComparisons(subject, site)) {
        const { node, constantKind, otherKind } = comparison;
        // `semantics-dependent` reports values that may be equal.
        if (otherKind === undefined || otherKind === constantKind || canEqualOtherKind(comparison)) continue;
        const outcome = node.operator === '=' ? 'never' : 'always';
        report(
          findingAt(site, node, `A ${otherKind} is compared with a ${constantKind}, which is ${outcome} so.`),
        );
      }
    }
  },
};
