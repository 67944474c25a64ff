import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const duplicateKey: Rule = createLoaderRule({
  id: 'duplicate-key',
  level: 'error',
  codes: ['duplicate-key'],
  summary: 'An object has two members of one name.',
  why: 'Only the last one counts; what the first one says is lost.',
  bad: '{ "url": "/a", "url": "/b" }',
  good: '{ "url": "/b" }',
});
