import type { Rule } from '../rule.js';
import { findingAt } from '../subject/expression-site.js';
import { pointerTo, readAt } from '../subject/walk-requests.js';

/** Parents of the directives. */
const PARENTS: readonly (readonly string[])[] = [[], ['pagination'], ['response']];

export const platformOnly: Rule = {
  id: 'platform-only',
  level: 'error',
  summary: 'A directive or variable works only in apps of Make.',
  why: '`isc`, `agency`, `environment.system` and `internal` need rights that Make gives to its own apps. In other apps they have no effect or are undefined.',
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

const NO_STOP = 'has no effect here: an empty page always ends the pages.';

/** Directives that only the platform applies, with the message. [inf] */
export const PLATFORM_DIRECTIVES: ReadonlyMap<string, string> = new Map([
  ['isc', "sends to services inside Make. It works in Make's own apps only, and no run here sends it."],
  ['agency', 'runs the request on premises of a customer. Only Make can do that, and no run here sends it.'],
  ['stopOnEmptyResponse', NO_STOP],
  ['stopOnEmptyBundles', NO_STOP],
]);
