import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const wrongType: Rule = createLoaderRule({
  id: 'wrong-type',
  level: 'error',
  codes: ['wrong-type'],
  summary: 'A directive or a field of the manifest has a value of a kind that it cannot have.',
  why: 'The value is left out, as if it had not been written.',
  bad: '"headers": ["accept: application/json"]',
  good: '"headers": { "accept": "application/json" }',
});
