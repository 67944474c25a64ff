import type { Rule } from '../rule.js';
import { findingAt } from '../subject/expression-site.js';

export const zeroIndex: Rule = {
  id: 'zero-index',
  level: 'error',
  summary: 'A path reads item 0.',
  why: 'Paths count items of an array from 1, so item 0 is undefined. `slice`, `substring` and `indexOf` count from 0.',
  bad: '"id": "{{body.items[0].id}}"',
  good: '"id": "{{body.items[1].id}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        const isIndex = node.kind === 'index' && node.index?.kind === 'literal' && node.index.value === 0;
        const isSegment = node.kind === 'member' && node.name === '0';
        if (!isIndex && !isSegment) continue;
        const at = { start: node.object.end, end: node.end };
        report(findingAt(site, at, 'Items count from 1, so there is no item 0.'));
      }
    }
  },
};
