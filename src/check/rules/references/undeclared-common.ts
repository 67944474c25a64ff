import { isPlainObject } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { writtenMembers } from '../../subject/declared-names.js';
import { createMemberRule } from './member-rule.js';

export const undeclaredCommon: Rule = createMemberRule({
  id: 'undeclared-common',
  level: 'warning',
  summary: 'A member of `common` is read that the common data do not hold.',
  why: 'It is undefined. Common data often stay out of a repository; where the file is not there, nothing is told.',
  bad: '"client_id": "{{common.clientID}}"',
  good: '"client_id": "{{common.clientId}}"',
  roots: ['common'],
  declared: (subject, { in: { owner } }) => {
    const own = owner?.kind === 'connection' ? subject.app.connections.get(owner.name)?.common : undefined;
    const common = owner?.kind === 'connection' ? (own ?? subject.app.common) : subject.app.common;
    // An empty object: the common data are stored elsewhere.
    if (!isPlainObject(common?.value) || Object.keys(common.value).length === 0) return undefined;
    return writtenMembers([common.value]);
  },
  message: (name) => `The common data hold no "${name}".`,
});
