import { formatExpressions } from '../format-expressions.js';
import { editIn } from '../protocol.js';
import type { EditorSession } from '../session.js';

/** `textDocument/formatting`: formats expressions only. */
export function handleFormatting({ connection, lookNow }: EditorSession): void {
  connection.onDocumentFormatting(async ({ textDocument }) => {
    const at = await lookNow(textDocument.uri, { line: 0, character: 0 });
    return at === undefined
      ? []
      : formatExpressions(at.subject, at.name).map((edit) => editIn(at.document, edit));
  });
}
