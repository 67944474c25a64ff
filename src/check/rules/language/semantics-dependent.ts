import type { Rule } from '../../rule.js';
import { type Comparison, canEqualOtherKind, listComparisons } from '../../subject/compared-kinds.js';
import { findingAt } from '../../subject/site-finding.js';

export const semanticsDependent: Rule = {
  id: 'semantics-dependent',
  level: 'info',
  summary: 'The result of an expression may depend on the setting `semantics`.',
  why: "By Make's documentation `5 = '5'` is false and `split` keeps every part as it is. By accounts of its runtime `=` compares loosely, and `split` trims parts and drops empty ones. The default is `semantics: 'runtime'`; an expression that gives the same result under both is safe.",
  bad: '"condition": "{{statusCode = \'404\'}}"',
  good: '"condition": "{{statusCode = 404}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const comparison of listComparisons(subject, site)) {
        if (!isDependent(comparison)) continue;
        const {
          node,
          constantKind,
          otherKind = `${otherKindsOf(comparison)}, if the path gives one,`,
        } = comparison;
        const message = `Whether a ${otherKind} equals this ${constantKind} depends on semantics.`;
        report(findingAt(site, node, message));
      }
      for (const node of site.nodes) {
        // With a third argument empty parts stay; only trimming differs.
        if (node.kind !== 'call' || node.name !== 'split' || subject.app.functions.has('split')) continue;
        const [, separator] = node.args;
        if (separator?.kind === 'literal' && separator.value === '') continue;
        const message = 'Whether split trims parts and drops empty ones depends on semantics.';
        report(findingAt(site, { start: node.start, end: node.start + node.name.length }, message));
      }
    }
  },
};

/** A number or boolean compared with another type, or text that reads as a number. */
function isDependent(comparison: Comparison): boolean {
  return comparison.otherKind !== comparison.constantKind && canEqualOtherKind(comparison);
}

function otherKindsOf({ constantKind }: Comparison): string {
  return ['text', 'number', 'boolean'].filter((kind) => kind !== constantKind).join(' or ');
}
