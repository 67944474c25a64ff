import type { CheckedDocument } from '../../check/subject/checked-document.js';
import { readableForm } from '../../check/subject/form-fields.js';
import type { Subject } from '../../check/subject/subject.js';
import { listRequests, pointerTo, readAt } from '../../check/subject/walk-requests.js';
import { isPlainObject } from '../../util/plain-object.js';
import { flattenFields, listConnectionNames } from '../known-members.js';
import { type AppSymbol, type Found, found } from './symbol.js';

/**
 * Describes a member of connection data: a field of its form, or written by `response.data`; undefined if unknown.
 */
function describeMember(subject: Subject, connection: string, name: string): AppSymbol | undefined {
  const owner = `connection ${connection}`;
  const form = readableForm(subject.app.connections.get(connection)?.params);
  if (flattenFields(form.elements).some((field) => field.name === name))
    return { kind: 'parameter', name, owner };
  const isWritten = listCommunications(subject, connection)
    .flatMap(listData)
    .some(({ names }) => names.includes(name));
  return isWritten ? { kind: 'data', name, owner } : undefined;
}

/** The member `connection.name` in a document, of the first connection that has it. */
export function findConnectionMember(
  subject: Subject,
  checked: CheckedDocument,
  name: string,
): AppSymbol | undefined {
  for (const connection of listConnectionNames(subject, checked)) {
    const symbol = describeMember(subject, connection, name);
    if (symbol !== undefined) return symbol;
  }
  return undefined;
}

/** Whether other connections have a member of this name. */
export function isKeptByOthers(subject: Subject, { name, owner }: AppSymbol): boolean {
  return [...subject.app.connections.keys()].some(
    (connection) =>
      `connection ${connection}` !== owner && describeMember(subject, connection, name) !== undefined,
  );
}

/** Members that `response.data` writes; the form declares its fields. */
export function inData(subject: Subject, checked: CheckedDocument): readonly Found[] {
  const { owner, part } = checked;
  if (owner?.kind !== 'connection' || part !== 'communication') return [];
  return listData(checked).flatMap(({ names, pointerOfName }) =>
    names.flatMap((name) => {
      const symbol = describeMember(subject, owner.name, name);
      const where = { part: 'key', isDefinition: symbol?.kind === 'data' } as const;
      return symbol === undefined ? [] : found(checked.document, symbol, pointerOfName(name), where);
    }),
  );
}

function listData(
  checked: CheckedDocument,
): readonly { readonly names: readonly string[]; readonly pointerOfName: (name: string) => string }[] {
  return listRequests(checked).flatMap((request) => {
    const data = readAt(request.value, 'response', 'data');
    if (!isPlainObject(data)) return [];
    const pointerOfName = (name: string): string => pointerTo(request, 'response', 'data', name);
    return [{ names: Object.keys(data).filter((name) => !name.includes('{{')), pointerOfName }];
  });
}

function listCommunications(subject: Subject, connection: string): readonly CheckedDocument[] {
  return subject.documentsOf('connection', connection).filter(({ part }) => part === 'communication');
}
