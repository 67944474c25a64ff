import type { Call } from '../../../iml/syntax/ast.js';
import { didYouMean } from '../../../util/suggest.js';
import type { Rule } from '../../rule.js';
import type { ExpressionSite } from '../../subject/expression-site.js';
import { findingAt, replacementAt } from '../../subject/site-finding.js';
import type { Subject } from '../../subject/subject.js';

export const unknownFunction: Rule = {
  id: 'unknown-function',
  level: 'error',
  summary: 'An expression calls a function that is neither built in nor one of the app.',
  why: 'A run that comes to the expression ends with an error. Names are compared letter by letter, so `formatdate` is not `formatDate`.',
  bad: '"since": "{{formatdate(parameters.since; \'YYYY-MM-DD\')}}"',
  good: '"since": "{{formatDate(parameters.since; \'YYYY-MM-DD\')}}"',
  canFix: true,
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        if (node.kind === 'call' && !subject.isFunction(node.name)) report(describe(subject, site, node));
      }
    }
  },
};

function describe(subject: Subject, site: ExpressionSite, call: Call): ReturnType<typeof findingAt> {
  const range = { start: call.start, end: call.start + call.name.length };
  const message = `There is no function "${call.name}".${didYouMean(call.name, subject.functionNames)}`;
  const meant = subject.functionNames.find((name) => name.toLowerCase() === call.name.toLowerCase());
  if (meant === undefined) return findingAt(site, range, message);
  return replacementAt(site, range, { message, title: `Replace "${call.name}" by "${meant}"`, text: meant });
}
