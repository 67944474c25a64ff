import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const functionLength: Rule = createLoaderRule({
  id: 'function-length',
  level: 'error',
  codes: ['long-function'],
  summary: 'A custom function has more characters of code than the platform takes.',
  why: 'The platform refuses functions of more than 5000 characters.',
  bad: 'a file of 7200 characters',
  good: 'two functions of 3600 characters, one calling the other by `iml`',
});
