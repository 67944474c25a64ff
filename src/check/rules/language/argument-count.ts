import { findSignature, printSignature } from '../../../iml/functions/signatures.js';
import type { Rule } from '../../rule.js';
import { listNeededParameters } from '../../subject/function-parameters.js';
import { findingAt } from '../../subject/site-finding.js';

export const argumentCount: Rule = {
  id: 'argument-count',
  level: 'warning',
  summary: 'A function is called with too few arguments, or a built-in one with more than it looks at.',
  why: 'Arguments too many are ignored: `ifempty(a; b; c)` never gives `c`. One that is missing is undefined, which most functions answer with an error or with nothing.',
  bad: '"name": "{{ifempty(item.name; item.title; \'unknown\')}}"',
  good: '"name": "{{ifempty(item.name; ifempty(item.title; \'unknown\'))}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        if (node.kind !== 'call') continue;
        const own = subject.app.functions.get(node.name);
        if (own !== undefined) {
          const needed = listNeededParameters(own.code ?? '', own.name);
          const missing = needed.filter(({ index }) => index >= node.args.length);
          if (missing.length === 0) continue;
          const range = { start: node.start, end: node.start + node.name.length };
          const names = missing.map(({ name }) => name).join(', ');
          const message = `${own.name} is called without ${names}, and its code does not test for absence.`;
          report(findingAt(site, range, message));
          continue;
        }
        const signature = findSignature(node.name);
        if (signature === undefined) continue;
        const { parameters } = signature;
        const least = parameters.filter(({ isOptional }) => !isOptional).length;
        const most = parameters.some(({ isRest }) => isRest) ? Number.POSITIVE_INFINITY : parameters.length;
        const given = node.args.length;
        if (given >= least && given <= most) continue;
        const what = given < least ? `needs at least ${least}` : `takes at most ${most}`;
        const message = `${node.name} ${what} argument${(given < least ? least : most) === 1 ? '' : 's'}, not ${given}: ${printSignature(signature)}.`;
        report(findingAt(site, { start: node.start, end: node.start + node.name.length }, message));
      }
    }
  },
};
