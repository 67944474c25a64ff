import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const missingUid: Rule = createLoaderRule({
  id: 'missing-uid',
  level: 'error',
  codes: ['missing-uid'],
  summary: 'A shared webhook or its connection has no `uid`.',
  why: 'Events are handed to the connections whose `uid` is that of the event. Without one of the two they reach nobody.',
  bad: '{ "output": "{{body}}" }',
  good: '{ "uid": "{{body.team_id}}", "output": "{{body}}" }',
});
