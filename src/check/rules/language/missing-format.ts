import type { Rule } from '../../rule.js';
import { findingAt } from '../../subject/site-finding.js';

export const missingFormat: Rule = {
  id: 'missing-format',
  level: 'warning',
  summary: '`formatDate` is called without a format.',
  why: 'The documentation names no format for this case: here it is `YYYY-MM-DDTHH:mm:ss.SSSZ`, and services take dates in forms of their own.',
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
          'formatDate is given no format, so how the date is written is left to whoever runs it.';
        report(findingAt(site, { start: node.start, end: node.start + node.name.length }, message));
      }
    }
  },
};
