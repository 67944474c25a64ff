import { LSPErrorCodes, ResponseError, type TextEdit } from 'vscode-languageserver/node.js';
import { rangeIn } from '../protocol.js';
import { refuseRename } from '../refuse-rename.js';
import type { EditorSession } from '../session.js';
import { lookUpSymbol } from './symbol-at.js';

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
