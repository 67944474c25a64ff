import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import type { ComponentKind } from '../../../engine/loading/code-types.js';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { findCalledFunctions, listCalls, listEndpointCalls, listRpcNames } from './calls.js';
import type { CheckedDocument } from './checked-document.js';
import type { ExpressionSite } from './expression-site.js';
import { holdsRequests } from './walk-requests.js';

/** A component of an app by kind and name. */
export interface ComponentName {
  readonly kind: ComponentKind;
  readonly name: string;
}

/** The part of an app that runs of some components use. */
export interface UsedPart {
  readonly documents: readonly CheckedDocument[];
  readonly has: (kind: ComponentKind, name: string) => boolean;
  /** Whether a source location belongs to it. */
  readonly holds: (place: SourceLocation) => boolean;
}

interface Places {
  readonly all: readonly CheckedDocument[];
  readonly documentsOf: (kind: ComponentKind, name: string) => readonly CheckedDocument[];
  readonly expressionsIn: (document: CheckedDocument) => readonly ExpressionSite[];
}

/**
 * Finds the dependencies of components: connections, webhooks, RPCs of forms, endpoints, functions, recursively, and
 * the base and common data.
 */
export function findUsedPart(
  app: App,
  { all, documentsOf, expressionsIn }: Places,
  started: readonly ComponentName[],
): UsedPart {
  const used = new Set<string>();
  const pending = [...started];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { kind, name } = next;
    const key = writeKey(kind, name);
    if (used.has(key)) continue;
    used.add(key);
    pending.push(...documentsOf(kind, name).flatMap(listUses));
  }
  // Connections do not use the base.
  const usesBase = started.some(({ kind }) => kind !== 'connection');
  const documents = all.filter(({ owner, part }) =>
    owner === undefined ? usesBase && part !== 'groups' : used.has(writeKey(owner.kind, owner.name)),
  );
  const functions = findCalledFunctions(app, [
    ...started.filter(({ kind }) => kind === 'function').map(({ name }) => name),
    ...listCalls(documents.flatMap(expressionsIn)),
  ]);
  for (const name of functions) used.add(writeKey('function', name));
  const files = new Set([
    ...documents.map(({ document }) => document.file),
    ...[...functions].map((name) => app.functions.get(name)?.file),
  ]);
  return {
    documents,
    has: (kind, name) => used.has(writeKey(kind, name)),
    holds: createHolds(files, used),
  };
}

function writeKey(kind: string, name: string): string {
  return `${kind} ${name}`;
}

function listUses(checked: CheckedDocument): readonly ComponentName[] {
  const { owner, document } = checked;
  const calls = holdsRequests(checked) ? listEndpointCalls(checked) : [];
  const named = (kind: ComponentKind, names: readonly unknown[]): readonly ComponentName[] =>
    names.flatMap((name) => (typeof name === 'string' ? [{ kind, name }] : []));
  return [
    ...named('connection', owner?.connections ?? []),
    ...named('webhook', [owner?.webhook]),
    ...named('rpc', listRpcNames(document.value)),
    ...named(
      'endpoint',
      calls.map(({ name }) => name),
    ),
  ];
}

/** General files of a run; a readme is not one. */
const RUN_PARTS: ReadonlySet<string> = new Set(['base', 'common']);

function createHolds(
  files: ReadonlySet<string | undefined>,
  used: ReadonlySet<string>,
): (place: SourceLocation) => boolean {
  const folders = new Set([...files].map((file) => path.posix.dirname(file ?? '')));
  return ({ file, pointer = '' }) => {
    if (file === undefined) return true;
    if (file === MANIFEST) return isOfManifest(pointer, used);
    // Metadata of an exported component.
    return files.has(file) || (file.endsWith('/metadata.json') && folders.has(path.posix.dirname(file)));
  };
}

/** A record of the manifest, or a parent of all records. */
function isOfManifest(pointer: string, used: ReadonlySet<string>): boolean {
  const [top, second, third] = pointer.slice(1).split('/');
  if (top === 'generalCodeFiles') return second === undefined || RUN_PARTS.has(second);
  if (top !== 'components') return false;
  if (third === undefined) return true;
  return [...used].some((key) => {
    const [kind = '', ...name] = key.split(' ');
    const record = childPointer(childPointer('/components', kind), name.join(' '));
    return pointer === record || pointer.startsWith(`${record}/`);
  });
}
