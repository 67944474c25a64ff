import type { Rule } from '../../rule.js';
import { listHyphenNames } from '../../subject/hyphens.js';
import { replacementAt } from '../../subject/site-finding.js';

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
      for (const hyphened of listHyphenNames(subject, site)) {
        const name = [hyphened.first, ...hyphened.rest.map((one) => one.name)].join('-');
        const text = `\`${name}\``;
        const message = `A hyphen is a minus here; the member has to be in backticks: ${text}.`;
        report(replacementAt(site, hyphened, { message, title: `Put ${name} in backticks`, text }));
      }
    }
  },
};
