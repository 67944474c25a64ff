import type { EditorSession } from '../session.js';
import { lookUpSymbol } from './symbol-at.js';

/** `textDocument/definition`: declarations of symbols. */
export function handleDefinition(session: EditorSession): void {
  session.connection.onDefinition(async ({ textDocument, position }) => {
    const hit = await lookUpSymbol(session, textDocument.uri, position);
    const definitions = hit?.found.filter(({ isDefinition }) => isDefinition) ?? [];
    return hit === undefined ? [] : Promise.all(definitions.map((one) => session.locate(hit.at.app, one)));
  });
}
