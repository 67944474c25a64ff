import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const missingFile: Rule = createLoaderRule({
  id: 'missing-file',
  level: 'warning',
  codes: ['missing-file', 'unread-file'],
  summary: 'The manifest names a file that is not there.',
  why: 'What the file would say is missing: common data or readmes may well be kept elsewhere, code of functions may not.',
  bad: '"code": "functions/total/total.js"',
  good: '"code": "functions/total/code.js"',
});
