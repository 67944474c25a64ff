import type { Position } from 'vscode-languageserver/node.js';
import type { EditorSession, Look } from '../session.js';
import { findOccurrences, findSymbolAt } from '../symbols/find-occurrences.js';
import type { AppSymbol, Occurrence } from '../symbols/symbol.js';

/** The symbol at a cursor and its occurrences. */
export interface SymbolAt {
  readonly symbol: AppSymbol;
  /** Definition first. */
  readonly found: readonly Occurrence[];
  readonly at: Look;
}

/** Finds the symbol at a position in the unsaved app; undefined without one. */
export async function lookUpSymbol(
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
