import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const missingUrl: Rule = createLoaderRule({
  id: 'missing-url',
  level: 'error',
  codes: ['missing-url'],
  summary: 'A polling trigger or a connection has no `url`.',
  why: 'Both have to ask a service: requests without url exist in other modules and RPCs only. The run ends with an InvalidConfigurationError.',
  bad: '{ "response": { "data": { "key": "{{parameters.key}}" } } }',
  good: '{ "url": "https://api.example.com/me", "response": { "data": { "key": "{{parameters.key}}" } } }',
});
