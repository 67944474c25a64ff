import { type Hover, MarkupKind } from 'vscode-languageserver/node.js';
import { explain } from '../explain.js';
import type { JsonHelp } from '../json-help.js';
import { rangeIn } from '../protocol.js';
import { guessSchema } from '../schemas/guess-schema.js';
import { chooseSchema } from '../schemas/list-schemas.js';
import { type EditorSession, toFilePath } from '../session.js';

/** Hover: what a piece of an expression means, else what the member of the file is for. */
export function provideHover(
  { connection, lookNow, document: documentOf }: EditorSession,
  json: () => JsonHelp,
): void {
  connection.onHover(async ({ textDocument, position }): Promise<Hover | null> => {
    const at = await lookNow(textDocument.uri, position);
    const found = at && explain(at.subject, at.name, at.offset);
    if (at !== undefined && found !== undefined) {
      return {
        contents: { kind: MarkupKind.Markdown, value: found.text },
        range: rangeIn(at.document, found),
      };
    }
    const document = documentOf(textDocument.uri);
    const file = at?.name ?? toFilePath(textDocument.uri);
    if (document === undefined || file === undefined) return null;
    const checked = at?.subject.documents.find((one) => one.document.file === file);
    const schema = checked === undefined ? guessSchema(file) : chooseSchema(checked);
    return schema === undefined ? null : json().hover(document.getText(), schema, position);
  });
}
