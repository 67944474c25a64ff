import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const unknownDirective: Rule = createLoaderRule({
  id: 'unknown-directive',
  level: 'warning',
  codes: ['unknown-key'],
  summary: 'A file has a key that nothing reads there.',
  why: 'It has no effect: most often it is misspelt, or belongs one level up or down.',
  bad: '"respones": { "output": "{{body}}" }',
  good: '"response": { "output": "{{body}}" }',
});
