import type { Rule } from '../../rule.js';
import { type DeclaredNames, declaredFields } from '../../subject/declared-names.js';
import type { ExpressionSite } from '../../subject/expression-site.js';
import { storedByConnection, storedByConnections } from '../../subject/stored-data.js';
import type { Subject } from '../../subject/subject.js';
import { createMemberRule } from './member-rule.js';

export const unstoredConnectionData: Rule = createMemberRule({
  id: 'unstored-connection-data',
  level: 'error',
  summary:
    'A member of `connection`, or in a connection of `data`, is read that the connection does not keep.',
  why: 'A connection keeps its parameters and what `response.data` of its communication writes. Anything else is undefined: a request goes out without its credentials, and a token whose `data.expires` nothing writes is never refreshed in time.',
  bad: '"headers": { "authorization": "Bearer {{connection.token}}" }',
  good: '"headers": { "authorization": "Bearer {{connection.accessToken}}" }',
  roots: ['connection', 'data'],
  declared: findStored,
  message: (name) =>
    `The connection keeps no "${name}": no parameter has this name, and no response.data writes it.`,
});

/** Before its first response, a basic connection has its parameters only. */
function isFirstRequest({ in: { kind, part }, location: { phase, element } }: ExpressionSite): boolean {
  return kind === 'api' && part === 'communication' && phase === 'request' && element === 0;
}

function findStored(subject: Subject, site: ExpressionSite, root: string): DeclaredNames | undefined {
  const { owner } = site.in;
  // Elsewhere `data` is the state of a trigger.
  if (root === 'data' && owner?.kind !== 'connection') return undefined;
  if (owner?.kind === 'connection') {
    const connection = subject.app.connections.get(owner.name);
    if (connection !== undefined && isFirstRequest(site)) return declaredFields(connection.params);
    return connection && storedByConnection(subject, connection);
  }
  // The base is used with any connection.
  if (owner === undefined) return storedByConnections(subject, [...subject.app.connections.keys()]);
  return owner.connections.length === 0 ? undefined : storedByConnections(subject, owner.connections);
}
