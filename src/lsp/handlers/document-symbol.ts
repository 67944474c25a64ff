import { listOutline } from '../outline.js';
import { symbolIn } from '../protocol.js';
import type { EditorSession } from '../session.js';

/** `textDocument/documentSymbol`: the outline of a file. */
export function handleDocumentSymbol({ connection, document: documentOf }: EditorSession): void {
  connection.onDocumentSymbol(({ textDocument }) => {
    const document = documentOf(textDocument.uri);
    return document === undefined
      ? []
      : listOutline(document.getText()).map((entry) => symbolIn(document, entry));
  });
}
