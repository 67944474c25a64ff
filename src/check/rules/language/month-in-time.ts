import type { Rule } from '../../rule.js';
import { formatArgument } from '../../subject/format-argument.js';
import { findingAt } from '../../subject/site-finding.js';

export const monthInTime: Rule = {
  id: 'month-in-time',
  level: 'warning',
  summary: 'A format writes the month where minutes are meant.',
  why: '`MM` is the month and `mm` the minutes, so `HH:MM` writes 09:11 at any minute of a November morning. `SS` are hundredths of a second, `ss` the seconds.',
  bad: '"at": "{{formatDate(now; \'YYYY-MM-DD HH:MM\')}}"',
  good: '"at": "{{formatDate(now; \'YYYY-MM-DD HH:mm\')}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        const format = formatArgument(node);
        if (format?.kind !== 'literal' || typeof format.value !== 'string' || !/[Hh]:M/.test(format.value))
          continue;
        report(findingAt(site, format, `In '${format.value}' the minutes are written mm; MM is the month.`));
      }
    }
  },
};
