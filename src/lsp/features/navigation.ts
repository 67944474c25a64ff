import { LSPErrorCodes, type Position, ResponseError, type TextEdit } from 'vscode-languageserver/node.js';
import { rangeIn } from '../protocol.js';
import { refuseRename } from '../rename.js';
import type { EditorSession, Look } from '../session.js';
import { findOccurrences, findSymbolAt } from '../symbols/find-occurrences.js';
import type { AppSymbol, Occurrence } from '../symbols/symbol.js';

interface Hit {
  readonly symbol: AppSymbol;
  readonly found: readonly Occurrence[];
  readonly at: Look;
}

/** Definition, references and rename of what has a name in an app. */
export function provideNavigation({ connection, lookNow, locate }: EditorSession): void {
  const hitAt = async (uri: string, position: Position): Promise<Hit | undefined> => {
    const at = await lookNow(uri, position);
    if (at === undefined) return undefined;
    const manifest = await at.app.workspace.manifest();
    const symbol = findSymbolAt(at.subject, manifest, at.name, at.offset);
    return symbol && { symbol, found: findOccurrences(at.subject, manifest, symbol), at };
  };

  connection.onDefinition(async ({ textDocument, position }) => {
    const hit = await hitAt(textDocument.uri, position);
    const definitions = hit?.found.filter(({ isDefinition }) => isDefinition) ?? [];
    return hit === undefined ? [] : Promise.all(definitions.map((one) => locate(hit.at.app, one)));
  });

  connection.onReferences(async ({ textDocument, position, context }) => {
    const hit = await hitAt(textDocument.uri, position);
    const wanted = hit?.found.filter(({ isDefinition }) => context.includeDeclaration || !isDefinition) ?? [];
    return hit === undefined ? [] : Promise.all(wanted.map((one) => locate(hit.at.app, one)));
  });

  connection.onPrepareRename(async ({ textDocument, position }) => {
    const hit = await hitAt(textDocument.uri, position);
    if (hit === undefined || refuseRename(hit.at.subject, hit.symbol, hit.found) !== undefined) return null;
    const { name, offset, document } = hit.at;
    const own = hit.found.find(({ file, start, end }) => file === name && offset >= start && offset <= end);
    return own === undefined ? null : { range: rangeIn(document, own), placeholder: hit.symbol.name };
  });

  connection.onRenameRequest(async ({ textDocument, position, newName }) => {
    const hit = await hitAt(textDocument.uri, position);
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
