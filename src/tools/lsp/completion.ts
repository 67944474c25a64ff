import type { ClientCapabilities, CompletionItem } from 'vscode-languageserver/node.js';
import { readCursor } from './cursor.js';
import type { JsonHelp } from './json-help.js';
import { toCompletion } from './protocol.js';
import { readRecordedBodies } from './recorded-bodies.js';
import { chooseSchema } from './schemas/list-schemas.js';
import { guessSchema } from './schemas/schema-files.js';
import { type EditorSession, toFilePath } from './session.js';
import { listSuggestions } from './suggestions.js';

/** `textDocument/completion`: in expressions by the language, elsewhere by the schema. */
export function handleCompletion(
  { connection, look, document: documentOf }: EditorSession,
  json: () => JsonHelp,
  capabilities: () => ClientCapabilities,
): void {
  connection.onCompletion(async ({ textDocument, position }): Promise<CompletionItem[]> => {
    const at = await look(textDocument.uri, position);
    const document = at?.document ?? documentOf(textDocument.uri);
    const file = at?.name ?? toFilePath(textDocument.uri);
    if (document === undefined || file === undefined) return [];
    const text = document.getText();
    const cursor = readCursor(at?.subject, file, text, document.offsetAt(position));
    const takesSnippets = capabilities().textDocument?.completion?.completionItem?.snippetSupport === true;
    const isInExpression = cursor.expression !== undefined && cursor.checked !== undefined;
    const bodies =
      at === undefined || !isInExpression || cursor.checked === undefined
        ? []
        : await readRecordedBodies(at.app.workspace.root, cursor.checked);
    const own =
      at === undefined
        ? []
        : listSuggestions(at.subject, cursor, bodies).map((suggestion) =>
            toCompletion(suggestion, at, takesSnippets),
          );
    const schema = cursor.checked === undefined ? guessSchema(file) : chooseSchema(cursor.checked);
    if (cursor.expression !== undefined || schema === undefined) return own;
    return [...own, ...(await json().complete(text, schema, position))];
  });
}
