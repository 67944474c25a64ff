import type { ParameterElement } from '../../engine/parameters/parameter-spec.js';
import { isPlainObject } from '../../shared/plain-object.js';
import type { CheckedDocument } from '../check/subject/checked-document.js';
import { readableForm } from '../check/subject/form-fields.js';
import { indexRpcCalls } from '../check/subject/rpc-calls.js';
import type { Subject } from '../check/subject/subject.js';
import { listRequests, pointerTo, readAt } from '../check/subject/walk-requests.js';
import { flattenFields, listConnectionNames, listForms } from './known-members.js';
import { type AppSymbol, type Found, found, nameOwner } from './symbol.js';

/** The owner of a `temp` member; those of the base are shared. */
export function findTempOwner(subject: Subject, checked: CheckedDocument, name: string): string | undefined {
  const base = { owner: undefined, kind: 'base', part: 'base', document: subject.app.base } as const;
  const requests = base.document === undefined ? [] : listRequests({ ...base, document: base.document });
  const isOfBase = requests.some(({ value }) =>
    [readAt(value, 'temp'), readAt(value, 'response', 'temp')].some(
      (temp) => isPlainObject(temp) && Object.hasOwn(temp, name),
    ),
  );
  return isOfBase ? undefined : nameOwner(checked);
}

interface SeenForm {
  readonly owner: string | undefined;
  readonly fields: readonly ParameterElement[];
}

/**
 * Forms of `parameters`: its own, that of the webhook of an instant trigger, and for an RPC its only calling form.
 */
export function formsSeenBy(subject: Subject, checked: CheckedDocument): readonly SeenForm[] {
  const own: SeenForm = { owner: nameOwner(checked), fields: listForms(subject, checked) };
  const { owner } = checked;
  if (owner?.kind === 'rpc') {
    const calls = indexRpcCalls(subject).get(owner.name) ?? [];
    const askers = calls.map((call) => call.checked).filter((one) => one.owner?.kind !== 'rpc');
    const [asker, another] = [...new Map(askers.map((one) => [nameOwner(one), one])).values()];
    return asker === undefined || another !== undefined ? [own] : [own, ...formsSeenBy(subject, asker)];
  }
  const webhook = owner?.webhook === undefined ? undefined : subject.app.webhooks.get(owner.webhook);
  if (webhook === undefined) return [own];
  return [own, { owner: `webhook ${webhook.name}`, fields: readableForm(webhook.params).elements }];
}

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
