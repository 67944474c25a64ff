import type { FunctionComponent } from '../../engine/document/app.js';
import type { Document } from '../../engine/document/document.js';
import { fieldsByName, type ParameterElement } from '../../engine/parameters/parameter-spec.js';
import { isPlainObject, readAt } from '../../shared/plain-object.js';
import type { CheckedDocument } from '../check/subject/checked-document.js';
import { indexRpcCalls } from '../check/subject/declared-names.js';
import { readableForm } from '../check/subject/form-fields.js';
import type { Subject } from '../check/subject/subject.js';
import { listRequests, pointerTo } from '../check/subject/walk-requests.js';
import { listConnectionNames, listForms } from './known-members.js';

/** A named symbol of an app. */
export interface AppSymbol {
  readonly kind:
    | 'module'
    | 'connection'
    | 'webhook'
    | 'rpc'
    | 'endpoint'
    | 'function'
    | 'parameter'
    | 'temp'
    | 'data';
  readonly name: string;
  /** Owner of a parameter, `temp` member or connection member: `module listUsers`; undefined for the base. */
  readonly owner?: string | undefined;
}

/** An occurrence with offsets in the file. */
export interface Occurrence {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly isDefinition: boolean;
}

export interface Found {
  readonly symbol: AppSymbol;
  readonly at: Occurrence;
}

interface Where {
  readonly part?: 'value' | 'key';
  readonly isDefinition?: boolean;
  /** Start of the name in the text. Default: 0. */
  readonly from?: number;
}

export function found(
  document: Document,
  symbol: AppSymbol,
  pointer: string,
  where: Where = {},
): readonly Found[] {
  const { part = 'value', isDefinition = false, from = 0 } = where;
  const start = document.offsetOf?.(pointer, from, part);
  const end = document.offsetOf?.(pointer, from + symbol.name.length, part);
  if (document.file === undefined || start === undefined || end === undefined) return [];
  return [{ symbol, at: { file: document.file, start, end, isDefinition } }];
}

/** Owner of a document; undefined for general files. */
export function nameOwner({ owner }: CheckedDocument): string | undefined {
  return owner === undefined ? undefined : `${owner.kind} ${owner.name}`;
}

/** The declaration of a custom function, and `iml.` calls in all code and tests. */
export function findInCode({ app }: Subject): readonly Found[] {
  return [...app.functions.values()].flatMap(({ name, code = '', file }) => {
    if (file === undefined) return [];
    const add = (called: string, start: number, isDefinition: boolean): Found => ({
      symbol: { kind: 'function', name: called },
      at: { file, start, end: start + called.length, isDefinition },
    });
    const declared = [...code.matchAll(/\bfunction\s+([A-Za-z_$][\w$]*)/g)].find(
      (match) => match[1] === name,
    );
    const calls = [...code.matchAll(/\biml\s*\.\s*([A-Za-z_$][\w$]*)/g)].filter(([, called = '']) =>
      app.functions.has(called),
    );
    return [
      ...(declared === undefined ? [] : [add(name, declared.index + declared[0].length - name.length, true)]),
      ...calls.map(({ index, 0: whole, 1: called = '' }) =>
        add(called, index + whole.length - called.length, false),
      ),
    ];
  });
}

/** Parameter names of a custom function; empty if its code does not parse. */
export function readOwnParameters({ name, code = '' }: FunctionComponent): readonly string[] {
  const heads = [...code.matchAll(/\bfunction\s+([A-Za-z_$][\w$]*)\s*\(([^()]*)\)/g)];
  const list = heads.find((match) => match[1] === name)?.[2] ?? '';
  return list
    .split(',')
    .map((parameter) => parameter.trim())
    .filter((parameter) => parameter !== '');
}

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
  if (fieldsByName(form.elements).has(name)) return { kind: 'parameter', name, owner };
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
