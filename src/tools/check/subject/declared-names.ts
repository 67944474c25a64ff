import type { ConnectionComponent } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { isPlainObject, ownMember, readAt } from '../../../shared/plain-object.js';
import { visitRpcReferences } from './calls.js';

import type { CheckedDocument, Owner } from './checked-document.js';
import { createLookup, type Subject } from './subject.js';
import { holdsRequests, listRequests } from './walk-requests.js';

/** Known names, and whether there may be others. */
export interface DeclaredNames {
  readonly names: ReadonlySet<string>;
  readonly isOpen: boolean;
}

interface Collected {
  readonly names: Set<string>;
  isOpen: boolean;
}

/** Field names of forms, including nested fields. Fields from an RPC leave the list open. */
export function declaredFields(...documents: readonly (Document | undefined)[]): DeclaredNames {
  const found: Collected = { names: new Set(), isOpen: false };
  for (const document of documents) if (document !== undefined) collectFields(found, document.value);
  return found;
}

function collectFields(found: Collected, fields: unknown): void {
  if (typeof fields === 'string') {
    found.isOpen = true;
    return;
  }
  for (const field of Array.isArray(fields) ? fields : [fields]) {
    if (typeof field === 'string') found.isOpen = true;
    if (!isPlainObject(field)) continue;
    const name = ownMember(field, 'name');
    if (typeof name === 'string') found.names.add(name);
    collectNested(found, field);
  }
}

/** Nested fields are siblings of their field. */
function collectNested(found: Collected, field: object): void {
  const nested = ownMember(field, 'nested');
  if (nested !== undefined && nested !== null) {
    collectFields(found, isPlainObject(nested) && 'store' in nested ? ownMember(nested, 'store') : nested);
  }
  const options = ownMember(field, 'options');
  for (const option of Array.isArray(options) ? options : [])
    if (isPlainObject(option)) collectOption(found, option);
  if (!isPlainObject(options)) return;
  collectNested(found, options);
  const store = ownMember(options, 'store');
  for (const option of Array.isArray(store) ? store : [])
    if (isPlainObject(option)) collectOption(found, option);
  const placeholder = ownMember(options, 'placeholder');
  if (isPlainObject(placeholder)) collectNested(found, placeholder);
}

function collectOption(found: Collected, option: object): void {
  collectNested(found, option);
  // Option groups.
  const inner = ownMember(option, 'options');
  for (const member of Array.isArray(inner) ? inner : [])
    if (isPlainObject(member)) collectOption(found, member);
}

const PARAMETERS = createLookup<DeclaredNames>();

/** Members of `parameters` in a document. */
export function declaredParameters(subject: Subject, { owner, part, kind }: CheckedDocument): DeclaredNames {
  if (owner === undefined || (owner.kind === 'rpc' && kind === 'parameters' && part === 'params'))
    return OPEN;
  return PARAMETERS(subject, `${owner.kind} ${owner.name}`, () => findParameters(subject, owner));
}

function findParameters(subject: Subject, owner: Owner): DeclaredNames {
  const { app } = subject;
  switch (owner.kind) {
    case 'module': {
      const module = app.modules.get(owner.name);
      const webhook = owner.webhook === undefined ? undefined : app.webhooks.get(owner.webhook);
      return declaredFields(module?.staticParams, module?.mappableParams, webhook?.params);
    }
    case 'connection':
      return declaredFields(app.connections.get(owner.name)?.params);
    case 'webhook':
      return declaredFields(app.webhooks.get(owner.name)?.params);
    case 'endpoint':
      return declaredFields(app.endpoints.get(owner.name)?.input);
    case 'rpc':
      return rpcParameters(subject, owner.name);
    default:
      return OPEN;
  }
}

const OPEN: DeclaredNames = { names: new Set(), isOpen: true };

/**
 * An RPC sees its own parameters, the arguments of its URL, and the values of the calling form. Source: the page on
 * RPCs of the custom app documentation. [doc][app]
 */
function rpcParameters(subject: Subject, name: string): DeclaredNames {
  const calls = indexRpcCalls(subject).get(name) ?? [];
  if (calls.length === 0) return OPEN;
  const found: Collected = { names: new Set(), isOpen: false };
  merge(found, declaredFields(subject.app.rpcs.get(name)?.params));
  for (const { checked, given } of calls) {
    for (const argument of given) found.names.add(argument);
    if (checked.owner?.kind !== 'rpc') merge(found, declaredParameters(subject, checked));
    else found.isOpen = true;
  }
  return found;
}

function merge(found: Collected, other: DeclaredNames): void {
  for (const name of other.names) found.names.add(name);
  found.isOpen ||= other.isOpen;
}

/** Members of an object; open if it is an expression or contains a spread. */
export function writtenMembers(values: readonly unknown[]): DeclaredNames {
  const found: Collected = { names: new Set(), isOpen: false };
  for (const value of values) {
    if (typeof value === 'string' && value !== '') found.isOpen = true;
    if (!isPlainObject(value)) continue;
    for (const key of Object.keys(value)) {
      if (key.includes('{{')) found.isOpen = true;
      // `a.b` and `a[]` are names of nothing but themselves.
      else found.names.add(key);
    }
  }
  return found;
}

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

/** An RPC URL in a document. */
export interface RpcCall {
  readonly checked: CheckedDocument;
  /** Names of its arguments. */
  readonly given: readonly string[];
}

const CALLS = createLookup<ReadonlyMap<string, readonly RpcCall[]>>();

/** Calls by RPC name, including unknown RPCs. */
export function indexRpcCalls(subject: Subject): ReadonlyMap<string, readonly RpcCall[]> {
  return CALLS(subject, '', () => {
    const index = new Map<string, RpcCall[]>();
    for (const checked of subject.allDocuments) {
      visitRpcReferences(checked.document.value, ({ name, query }) => {
        const call = { checked, given: query.map(([key]) => key) };
        const calls = index.get(name);
        if (calls === undefined) index.set(name, [call]);
        else calls.push(call);
      });
    }
    return index;
  });
}
