import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

const OF_TEMPLATES = createLoaderRule({
  id: 'syntax',
  level: 'error',
  codes: ['syntax'],
  summary: 'An expression does not parse.',
  why: 'The app loads, and a run that comes to the expression ends with an error.',
  bad: '"name": "{{item.first item.last}}"',
  good: '"name": "{{item.first}} {{item.last}}"',
});

/** `iterate` accepts a path without braces, which loading treats as text. */
const tellBarePaths: Rule['check'] = ({ expressions }, report) => {
  for (const { parsed, text, placeAt } of expressions) {
    if (!parsed.ok && !text.includes('{{')) report({ message: parsed.error.message, place: placeAt(0) });
  }
};

export const syntax: Rule = {
  ...OF_TEMPLATES,
  check: (subject, report) => {
    OF_TEMPLATES.check(subject, report);
    tellBarePaths(subject, report);
  },
};
