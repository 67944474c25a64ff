import type { Rule } from '../../rule.js';
import { PLATFORM_DIRECTIVES } from '../../subject/platform-directives.js';
import { findingAt } from '../../subject/site-finding.js';
import { pointerTo, readAt } from '../../subject/walk-requests.js';

/** Parents of the directives. */
const PARENTS: readonly (readonly string[])[] = [[], ['pagination'], ['response']];

export const platformOnly: Rule = {
  id: 'platform-only',
  level: 'error',
  summary: 'A directive or variable works for apps of Make only.',
  why: '`isc`, `agency`, `environment.system` and `internal` need rights that Make gives to its own apps. For all others they do nothing or are undefined.',
  bad: '"headers": { "x-region": "{{environment.system.region}}" }',
  good: '"headers": { "x-region": "{{connection.region}}" }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      for (const [name, message] of PLATFORM_DIRECTIVES) {
        for (const parent of PARENTS) {
          if (readAt(request.value, ...parent, name) === undefined) continue;
          const place = request.document.locationOf(pointerTo(request, ...parent, name), undefined, 'key');
          report({ message: `${name} ${message}`, place });
        }
      }
    }
    for (const site of subject.expressions) {
      for (const { root, members } of site.paths) {
        const isSystem = root.name === 'environment' && members[0]?.name === 'system';
        if (root.form !== 'plain' || (!isSystem && root.name !== 'internal')) continue;
        const name = isSystem ? 'environment.system' : 'internal';
        report(findingAt(site, root, `${name} is undefined: only apps of Make may read it.`));
      }
    }
  },
};
