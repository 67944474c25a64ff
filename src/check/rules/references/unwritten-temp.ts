import type { Rule } from '../../rule.js';
import { writtenTemp } from '../../subject/stored-data.js';
import { createMemberRule } from './member-rule.js';

export const unwrittenTemp: Rule = createMemberRule({
  id: 'unwritten-temp',
  level: 'error',
  summary: 'A name is read from `temp` that nothing writes.',
  why: 'It is always undefined: neither `temp` nor `response.temp` of the component or the base writes it.',
  bad: '{ "temp": { "token": "{{body.token}}" }, "url": "/items?t={{temp.tokn}}" }',
  good: '{ "temp": { "token": "{{body.token}}" }, "url": "/items?t={{temp.token}}" }',
  roots: ['temp'],
  declared: (subject, { in: checked }) => writtenTemp(subject, checked.owner),
  message: (name) => `Nothing writes temp.${name}.`,
});
