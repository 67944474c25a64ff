import type { EditorSession } from '../session.js';
import { lookUpSymbol } from './symbol-at.js';

/** `textDocument/references`: all occurrences of a symbol. */
export function handleReferences(session: EditorSession): void {
  session.connection.onReferences(async ({ textDocument, position, context }) => {
    const hit = await lookUpSymbol(session, textDocument.uri, position);
    const wanted = hit?.found.filter(({ isDefinition }) => context.includeDeclaration || !isDefinition) ?? [];
    return hit === undefined ? [] : Promise.all(wanted.map((one) => session.locate(hit.at.app, one)));
  });
}
