import type { Rule } from '../../rule.js';
import { declaredParameters } from '../../subject/declared-names.js';
import { createMemberRule } from './member-rule.js';

export const undeclaredParameter: Rule = createMemberRule({
  id: 'undeclared-parameter',
  level: 'warning',
  summary: 'A parameter is read that no field of the form declares.',
  why: 'Nobody can fill it in, so it is undefined. Fields inside of options and nested fields count, and arguments of `rpc://` addresses; where an RPC gives fields, nothing is told.',
  bad: '"url": "/users/{{parameters.userID}}"',
  good: '"url": "/users/{{parameters.userId}}"',
  roots: ['parameters'],
  declared: (subject, { in: checked }) => declaredParameters(subject, checked),
  message: (name) => `No field declares the parameter "${name}".`,
});
