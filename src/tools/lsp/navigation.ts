import { LSPErrorCodes, type Position, ResponseError, type TextEdit } from 'vscode-languageserver/node.js';
import type { Document } from '../../engine/document/document.js';
import { fieldsByName } from '../../engine/parameters/parameter-spec.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, readAt } from '../../shared/plain-object.js';
import type { CheckedDocument } from '../check/subject/checked-document.js';
import type { Subject } from '../check/subject/subject.js';
import { holdsRequests, listRequests, pointerTo } from '../check/subject/walk-requests.js';
import { rangeIn } from './protocol.js';
import type { EditorSession, Look } from './session.js';
import {
  type AppSymbol,
  type Found,
  findConnectionMember,
  findInCode,
  findTempOwner,
  formsSeenBy,
  found,
  inData,
  isKeptByOthers,
  nameOwner,
  type Occurrence,
} from './symbol.js';

/** `textDocument/definition`: declarations of symbols. */
export function handleDefinition(session: EditorSession): void {
  session.connection.onDefinition(async ({ textDocument, position }) => {
    const hit = await lookUpSymbol(session, textDocument.uri, position);
    const definitions = hit?.found.filter(({ isDefinition }) => isDefinition) ?? [];
    return hit === undefined ? [] : Promise.all(definitions.map((one) => session.locate(hit.at.app, one)));
  });
}

/** `textDocument/references`: all occurrences of a symbol. */
export function handleReferences(session: EditorSession): void {
  session.connection.onReferences(async ({ textDocument, position, context }) => {
    const hit = await lookUpSymbol(session, textDocument.uri, position);
    const wanted = hit?.found.filter(({ isDefinition }) => context.includeDeclaration || !isDefinition) ?? [];
    return hit === undefined ? [] : Promise.all(wanted.map((one) => session.locate(hit.at.app, one)));
  });
}

/** `textDocument/prepareRename` and `textDocument/rename`. */
export function handleRename(session: EditorSession): void {
  const { connection, locate } = session;
  connection.onPrepareRename(async ({ textDocument, position }) => {
    const hit = await lookUpSymbol(session, textDocument.uri, position);
    if (hit === undefined || refuseRename(hit.at.subject, hit.symbol, hit.found) !== undefined) return null;
    const { name, offset, document } = hit.at;
    const own = hit.found.find(({ file, start, end }) => file === name && offset >= start && offset <= end);
    return own === undefined ? null : { range: rangeIn(document, own), placeholder: hit.symbol.name };
  });

  connection.onRenameRequest(async ({ textDocument, position, newName }) => {
    const hit = await lookUpSymbol(session, textDocument.uri, position);
    if (hit === undefined) return null;
    const refused = refuseRename(hit.at.subject, hit.symbol, hit.found, newName);
    if (refused !== undefined) return new ResponseError(LSPErrorCodes.RequestFailed, refused);
    const changes: Record<string, TextEdit[]> = {};
    for (const occurrence of hit.found) {
      const { uri, range } = await locate(hit.at.app, occurrence);
      changes[uri] = [...(changes[uri] ?? []), { range, newText: newName }];
    }
    return { changes };
  });
}

/** Renamable kinds with valid names. Modules and connections have IDs in Make. */
const NAMES: Readonly<Partial<Record<AppSymbol['kind'], RegExp>>> = {
  rpc: /^[A-Za-z][A-Za-z0-9]*$/,
  function: /^[A-Za-z_$][\w$]*$/,
  parameter: /^[A-Za-z_][\w-]*$/,
  temp: /^[A-Za-z_]\w*$/,
  data: /^[A-Za-z_]\w*$/,
};

/**
 * Why a symbol cannot be renamed, as a sentence; undefined if it can.
 *
 * @param newName undefined before the user typed it
 */
function refuseRename(
  subject: Subject,
  symbol: AppSymbol,
  found: readonly Occurrence[],
  newName?: string,
): string | undefined {
  const pattern = NAMES[symbol.kind];
  if (pattern === undefined)
    return `A ${symbol.kind} cannot be renamed, because Make identifies it by its name.`;
  if (!found.some(({ isDefinition }) => isDefinition))
    return `"${symbol.name}" has no declaration that can be renamed.`;
  if (isNamedByFile(symbol) && !found.some(({ isDefinition, file }) => isDefinition && !file.endsWith('.js')))
    return `"${symbol.name}" takes its name from its folder. Rename the folder.`;
  if (symbol.owner?.startsWith('connection ') === true && isKeptByOthers(subject, symbol))
    return `Several connections store "${symbol.name}". Rename it manually.`;
  if (newName === undefined || newName === symbol.name) return undefined;
  if (!pattern.test(newName)) return `"${newName}" is not a valid name of a ${symbol.kind}.`;
  return isTaken(subject, symbol, newName) ? `A ${symbol.kind} "${newName}" already exists.` : undefined;
}

function isNamedByFile({ kind }: AppSymbol): boolean {
  return kind === 'rpc' || kind === 'function';
}

function isTaken({ app }: Subject, { kind }: AppSymbol, name: string): boolean {
  if (kind === 'rpc') return app.rpcs.has(name);
  return kind === 'function' && app.functions.has(name);
}

/** The symbol at a cursor and its occurrences. */
interface SymbolAt {
  readonly symbol: AppSymbol;
  /** Definition first. */
  readonly found: readonly Occurrence[];
  readonly at: Look;
}

/** Finds the symbol at a position in the unsaved app; undefined without one. */
async function lookUpSymbol(
  { lookNow }: EditorSession,
  uri: string,
  position: Position,
): Promise<SymbolAt | undefined> {
  const at = await lookNow(uri, position);
  if (at === undefined) return undefined;
  const manifest = await at.app.workspace.manifest();
  const symbol = findSymbolAt(at.subject, manifest, at.name, at.offset);
  return symbol && { symbol, found: findOccurrences(at.subject, manifest, symbol), at };
}

const KINDS = ['connection', 'webhook', 'module', 'rpc', 'function', 'endpoint'] as const;

/** Components in the manifest: keys, and references by `connection`, `altConnection` and `webhook`. */
function findInManifest(manifest: Document): readonly Found[] {
  const components = isPlainObject(manifest.value) ? manifest.value['components'] : undefined;
  if (!isPlainObject(components)) return [];
  return KINDS.flatMap((kind) => {
    const ofKind = components[kind];
    if (!isPlainObject(ofKind)) return [];
    return Object.entries(ofKind).flatMap(([name, fields]) => {
      const pointer = childPointer(`/components/${kind}`, name);
      const links = isPlainObject(fields) ? listLinks(fields) : [];
      return [
        ...found(manifest, { kind, name }, pointer, { part: 'key', isDefinition: true }),
        ...links.flatMap(([field, symbol]) => found(manifest, symbol, childPointer(pointer, field))),
      ];
    });
  });
}

function listLinks(fields: Readonly<Record<string, unknown>>): readonly (readonly [string, AppSymbol])[] {
  return (['connection', 'altConnection', 'webhook'] as const).flatMap((field) => {
    const name = fields[field];
    if (typeof name !== 'string') return [];
    return [[field, { kind: field === 'webhook' ? 'webhook' : 'connection', name }] as const];
  });
}

const RPC = /^rpc:\/\/([A-Za-z][\w-]*)/;

/** RPC URLs. */
function findInTexts({ document }: CheckedDocument): readonly Found[] {
  return listTexts(document.value, '').flatMap(([pointer, text]) => {
    const name = RPC.exec(text)?.[1];
    return name === undefined
      ? []
      : found(document, { kind: 'rpc', name }, pointer, { from: 'rpc://'.length });
  });
}

function listTexts(value: unknown, pointer: string): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[pointer, value]];
  if (Array.isArray(value))
    return value.flatMap((item, index) => listTexts(item, childPointer(pointer, index)));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => listTexts(member, childPointer(pointer, key)));
}

const FORMS: ReadonlySet<string> = new Set(['params', 'staticParams', 'mappableParams', 'input']);

/** Field names of a form; members of collections are not parameters. */
function findInForm(checked: CheckedDocument): readonly Found[] {
  const { document, kind, part } = checked;
  if (kind !== 'parameters' || !FORMS.has(part)) return [];
  const visit = (value: unknown, pointer: string): readonly Found[] => {
    if (Array.isArray(value))
      return value.flatMap((item, index) => visit(item, childPointer(pointer, index)));
    if (!isPlainObject(value)) return [];
    const { name } = value;
    const own =
      typeof name === 'string' && 'type' in value
        ? found(
            document,
            { kind: 'parameter', name, owner: nameOwner(checked) },
            childPointer(pointer, 'name'),
            { isDefinition: true },
          )
        : [];
    const inner = ['nested', 'options', 'store', 'placeholder'].flatMap((key) =>
      visit(value[key], childPointer(pointer, key)),
    );
    return [...own, ...inner];
  };
  return visit(document.value, '');
}

/** Requests that call an endpoint. */
function findInRequests(checked: CheckedDocument): readonly Found[] {
  if (!holdsRequests(checked)) return [];
  return listRequests(checked).flatMap((request) =>
    [['endpoint'], ['pagination', 'endpoint']].flatMap((path) => {
      const written = readAt(request.value, ...path);
      const isText = typeof written === 'string';
      const name = isText ? written : readAt(written, 'name');
      if (typeof name !== 'string') return [];
      const pointer = pointerTo(request, ...path, ...(isText ? [] : ['name']));
      return found(request.document, { kind: 'endpoint', name }, pointer);
    }),
  );
}

/** Modules in groups. */
function findInGroups({ app }: Subject): readonly Found[] {
  const { groups } = app;
  if (groups === undefined || !Array.isArray(groups.value)) return [];
  return groups.value.flatMap((group: unknown, index) => {
    const modules = isPlainObject(group) ? group['modules'] : undefined;
    return (Array.isArray(modules) ? modules : []).flatMap((name: unknown, position) =>
      typeof name === 'string'
        ? found(groups, { kind: 'module', name }, `/${index}/modules/${position}`)
        : [],
    );
  });
}

/** Members that `temp` writes. */
function findInTemp(subject: Subject, checked: CheckedDocument): readonly Found[] {
  const { document, kind } = checked;
  if (kind === 'parameters') return [];
  const visit = (value: unknown, pointer: string): readonly Found[] => {
    if (Array.isArray(value))
      return value.flatMap((item, index) => visit(item, childPointer(pointer, index)));
    if (!isPlainObject(value)) return [];
    return Object.entries(value).flatMap(([key, member]) => {
      const at = childPointer(pointer, key);
      if (key !== 'temp' || !isPlainObject(member))
        return key === 'body' || key === 'output' ? [] : visit(member, at);
      return Object.keys(member).flatMap((name) =>
        found(
          document,
          { kind: 'temp', name, owner: findTempOwner(subject, checked, name) },
          childPointer(at, name),
          {
            part: 'key',
            isDefinition: true,
          },
        ),
      );
    });
  };
  return visit(document.value, '');
}

/** The symbol at an offset of a file, or undefined. */
export function findSymbolAt(
  subject: Subject,
  manifest: Document | undefined,
  file: string,
  offset: number,
): AppSymbol | undefined {
  const all = listOccurrences(subject, manifest);
  return all.find(({ at }) => at.file === file && offset >= at.start && offset <= at.end)?.symbol;
}

/** All occurrences of a symbol, definition first. */
export function findOccurrences(
  subject: Subject,
  manifest: Document | undefined,
  symbol: AppSymbol,
): readonly Occurrence[] {
  return listOccurrences(subject, manifest)
    .filter(({ symbol: other }) => isSame(symbol, other))
    .map(({ at }) => at)
    .sort((a, b) => Number(b.isDefinition) - Number(a.isDefinition));
}

function isSame(a: AppSymbol, b: AppSymbol): boolean {
  return a.kind === b.kind && a.name === b.name && a.owner === b.owner;
}

function listOccurrences(subject: Subject, manifest: Document | undefined): readonly Found[] {
  return [
    ...(manifest === undefined ? [] : findInManifest(manifest)),
    ...subject.documents.flatMap((checked) => [
      ...findInTexts(checked),
      ...findInForm(checked),
      ...findInTemp(subject, checked),
      ...findInRequests(checked),
      ...inData(subject, checked),
    ]),
    ...findInGroups(subject),
    ...findInExpressions(subject),
    ...findInCode(subject),
  ];
}

/** Members of `parameters`, `connection` and `temp`, and calls of custom functions. */
function findInExpressions(subject: Subject): readonly Found[] {
  const results: Found[] = [];
  for (const site of subject.expressions) {
    const { file } = site.in.document;
    if (file === undefined) continue;
    const add = (symbol: AppSymbol, from: number): void => {
      const start = site.offsetAt(from);
      const end = site.offsetAt(from + symbol.name.length);
      if (start !== undefined && end !== undefined)
        results.push({ symbol, at: { file, start, end, isDefinition: false } });
    };
    for (const node of site.nodes) {
      if (node.kind === 'call' && subject.app.functions.has(node.name))
        add({ kind: 'function', name: node.name }, node.start);
    }
    for (const path of site.paths) {
      const [member] = path.members;
      if (member?.name === undefined) continue;
      const isQuoted = site.parsed.ok && site.parsed.template.source[member.node.end - 1] === '`';
      const from = member.node.end - member.name.length - (isQuoted ? 1 : 0);
      const symbol = findMemberSymbol(subject, site.in, path.root.name, member.name);
      if (symbol !== undefined) add(symbol, from);
    }
  }
  return results;
}

function findMemberSymbol(
  subject: Subject,
  checked: CheckedDocument,
  root: string,
  name: string,
): AppSymbol | undefined {
  if (root === 'temp') return { kind: 'temp', name, owner: findTempOwner(subject, checked, name) };
  if (root === 'connection') return findConnectionMember(subject, checked, name);
  if (root !== 'parameters') return undefined;
  const declaring = formsSeenBy(subject, checked).find(({ fields }) => fieldsByName(fields).has(name));
  return declaring && { kind: 'parameter', name, owner: declaring.owner };
}
