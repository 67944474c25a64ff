import type { Rule } from '../../rule.js';
import { OAUTH_MEMBERS } from '../../subject/visible-names.js';
import { createMemberRule } from '../references/member-rule.js';

/** Source: the pages on OAuth connections and pagination of https://developers.make.com/custom-apps-documentation. [doc] */
const MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['oauth', new Set(OAUTH_MEMBERS)],
  ['pagination', new Set(['page'])],
]);

export const unknownMember: Rule = createMemberRule({
  id: 'unknown-member',
  level: 'error',
  summary: 'A member of `oauth` or `pagination` is read that the platform does not give.',
  why: 'It is undefined. There is no `oauth.state`: the platform adds and checks a state of its own.',
  bad: '"qs": { "redirect_uri": "{{oauth.redirectUrl}}" }',
  good: '"qs": { "redirect_uri": "{{oauth.localRedirectUri}}" }',
  roots: [...MEMBERS.keys()],
  declared: (_subject, _site, root) => ({ names: MEMBERS.get(root) ?? new Set(), isOpen: false }),
  message: (name) =>
    name === 'state'
      ? 'There is no "state" here: the platform adds and checks a state of its own.'
      : `The platform gives no "${name}" here.`,
});
