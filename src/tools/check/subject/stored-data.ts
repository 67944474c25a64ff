import type { ConnectionComponent } from '../../../engine/document/app.js';
import type { CheckedDocument } from './checked-document.js';
import { type DeclaredNames, declaredFields, writtenMembers } from './declared-names.js';
import { createLookup, type Subject } from './subject.js';
import { holdsRequests, listRequests, readAt } from './walk-requests.js';

const STORED = createLookup<DeclaredNames>();

/**
 * Stored data of a connection: its parameters and the members of every `response.data`. Source: the page on
 * connections. [doc][app]
 */
export function storedByConnection(subject: Subject, { name, params }: ConnectionComponent): DeclaredNames {
  return STORED(subject, name, () => {
    const fields = declaredFields(params);
    const requests = subject
      .documentsOf('connection', name)
      .filter(({ part }) => part === 'communication')
      .flatMap(listRequests);
    const data = writtenMembers(requests.map(({ value }) => readAt(value, 'response', 'data')));
    return { names: new Set([...fields.names, ...data.names]), isOpen: fields.isOpen || data.isOpen };
  });
}

/** Stored data of all connections of a component. */
export function storedByConnections(subject: Subject, names: readonly string[]): DeclaredNames {
  const stored = names.flatMap((name) => {
    const connection = subject.app.connections.get(name);
    return connection === undefined ? [] : [storedByConnection(subject, connection)];
  });
  // A connection of another app may store anything.
  const isKnown = stored.length === names.length && stored.length > 0;
  return {
    names: new Set(stored.flatMap((one) => [...one.names])),
    isOpen: !isKnown || stored.some(({ isOpen }) => isOpen),
  };
}

const WRITTEN = createLookup<DeclaredNames>();

/** Members of `temp` in a document: its own, those of the base, and for the base those of all. */
export function writtenTemp(subject: Subject, owner: CheckedDocument['owner']): DeclaredNames {
  return WRITTEN(subject, owner === undefined ? '' : `${owner.kind} ${owner.name}`, () => {
    const documents =
      owner === undefined
        ? subject.allDocuments
        : [...listOfApp(subject), ...subject.documentsOf(owner.kind, owner.name)];
    const requests = documents.filter(holdsRequests).flatMap(listRequests);
    return writtenMembers(
      requests.flatMap(({ value }) => [readAt(value, 'temp'), readAt(value, 'response', 'temp')]),
    );
  });
}

/** General files come first. */
function listOfApp({ allDocuments }: Subject): readonly CheckedDocument[] {
  const end = allDocuments.findIndex(({ owner }) => owner !== undefined);
  return end < 0 ? allDocuments : allDocuments.slice(0, end);
}
