import { LSPErrorCodes, type Position, ResponseError, type TextEdit } from 'vscode-languageserver/node.js';
import type { Subject } from '../check/subject/subject.js';
import { findOccurrences, findSymbolAt } from './find-occurrences.js';
import { isKeptByOthers } from './owners.js';
import { rangeIn } from './protocol.js';
import type { EditorSession, Look } from './session.js';
import type { AppSymbol, Occurrence } from './symbol.js';

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
export interface SymbolAt {
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
