import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const missingCommunication: Rule = createLoaderRule({
  id: 'missing-communication',
  level: 'error',
  codes: ['missing-communication'],
  summary: 'A component has no communication.',
  why: 'There is nothing it could run: every run of it ends with an InvalidConfigurationError.',
  bad: '"getUser": { "moduleType": "action", "codeFiles": {} }',
  good: '"getUser": { "moduleType": "action", "codeFiles": { "communication": "modules/getUser/getUser.communication.iml.json" } }',
});
