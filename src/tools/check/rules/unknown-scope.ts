import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import type { CheckedDocument } from '../subject/checked-document.js';
import type { Subject } from '../subject/subject.js';

export const unknownScope: Rule = {
  id: 'unknown-scope',
  level: 'warning',
  summary: 'A component requires a scope that the scope list of the connection does not contain.',
  why: 'The consent page shows a scope without a description. The name is probably misspelt, and the API then refuses it.',
  bad: 'scopes: { "users:read": "Read users" }; scope: ["user:read"]',
  good: 'scopes: { "users:read": "Read users" }; scope: ["users:read"]',
  check: (subject, report) => {
    for (const checked of subject.documents) {
      const { part, document } = checked;
      if (!SCOPE_PARTS.has(part) || !Array.isArray(document.value)) continue;
      const known = listScopes(subject, checked);
      if (known === undefined) continue;
      document.value.forEach((scope: unknown, index) => {
        if (typeof scope !== 'string' || known.has(scope)) return;
        const message = `The connection's list of scopes has no "${scope}".${didYouMean(scope, known)}`;
        report({ message, place: document.locationOf(childPointer('', index)) });
      });
    }
  },
};

const SCOPE_PARTS: ReadonlySet<string> = new Set(['scope', 'requiredScope', 'defaultScope']);

/** Scopes of the connections of a component; undefined if one has no list. */
function listScopes({ app }: Subject, { owner }: CheckedDocument): ReadonlySet<string> | undefined {
  const names = owner?.kind === 'connection' ? [owner.name] : (owner?.connections ?? []);
  const lists = names.map((name) => app.connections.get(name)?.scopeList?.value);
  if (lists.length === 0 || !lists.every((list) => isPlainObject(list) && Object.keys(list).length > 0))
    return undefined;
  return new Set(lists.flatMap((list) => Object.keys(list as object)));
}
