import type { ConnectionComponent } from '../../document/app.js';
import { type DeclaredNames, declaredFields, writtenMembers } from './declared-names.js';
import type { Subject } from './subject.js';
import { holdsRequests, listRequests, readAt } from './walk-requests.js';

/** What a connection keeps: its parameters, and the members of every `response.data`. Source: the page on connections. [doc][app] */
export function storedByConnection(subject: Subject, connection: ConnectionComponent): DeclaredNames {
  const fields = declaredFields(connection.params);
  const requests = subject.allDocuments
    .filter(
      ({ owner, part }) =>
        owner?.kind === 'connection' && owner.name === connection.name && part === 'communication',
    )
    .flatMap(listRequests);
  const data = writtenMembers(requests.map(({ value }) => readAt(value, 'response', 'data')));
  return { names: new Set([...fields.names, ...data.names]), isOpen: fields.isOpen || data.isOpen };
}

/** What the connections a component can run with keep, all together. */
export function storedByConnections(subject: Subject, names: readonly string[]): DeclaredNames {
  const stored = names.flatMap((name) => {
    const connection = subject.app.connections.get(name);
    return connection === undefined ? [] : [storedByConnection(subject, connection)];
  });
  // A connection of another app may keep anything.
  const isKnown = stored.length === names.length && stored.length > 0;
  return {
    names: new Set(stored.flatMap((one) => [...one.names])),
    isOpen: !isKnown || stored.some(({ isOpen }) => isOpen),
  };
}

/** What `temp` may hold where a document runs: its own `temp`s, those of the base, and for the base those of all. */
export function writtenTemp(
  subject: Subject,
  owner: { readonly kind: string; readonly name: string } | undefined,
): DeclaredNames {
  const documents = subject.allDocuments.filter(
    (checked) =>
      checked.owner === undefined ||
      owner === undefined ||
      (checked.owner.kind === owner.kind && checked.owner.name === owner.name),
  );
  const requests = documents.filter(holdsRequests).flatMap(listRequests);
  return writtenMembers(
    requests.flatMap(({ value }) => [readAt(value, 'temp'), readAt(value, 'response', 'temp')]),
  );
}
