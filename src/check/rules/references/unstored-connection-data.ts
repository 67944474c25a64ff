import type { Rule } from '../../rule.js';
import type { DeclaredNames } from '../../subject/declared-names.js';
import type { ExpressionSite } from '../../subject/expression-site.js';
import { storedByConnection, storedByConnections } from '../../subject/stored-data.js';
import type { Subject } from '../../subject/subject.js';
import { createMemberRule } from './member-rule.js';

export const unstoredConnectionData: Rule = createMemberRule({
  id: 'unstored-connection-data',
  level: 'error',
  summary: 'A member of `connection` is read that the connection does not keep.',
  why: 'A connection keeps its parameters and what `response.data` of its communication writes. Anything else is undefined, and a request goes out without its credentials.',
  bad: '"headers": { "authorization": "Bearer {{connection.token}}" }',
  good: '"headers": { "authorization": "Bearer {{connection.accessToken}}" }',
  root: 'connection',
  declared: findStored,
  message: (name) =>
    `The connection keeps no "${name}": no parameter has this name, and no response.data writes it.`,
});

function findStored(subject: Subject, { in: checked }: ExpressionSite): DeclaredNames | undefined {
  const { owner } = checked;
  if (owner?.kind === 'connection') {
    const connection = subject.app.connections.get(owner.name);
    return connection && storedByConnection(subject, connection);
  }
  // The base serves every component, with whatever connection it has.
  if (owner === undefined) return storedByConnections(subject, [...subject.app.connections.keys()]);
  return owner.connections.length === 0 ? undefined : storedByConnections(subject, owner.connections);
}
