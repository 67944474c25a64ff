import { CodeActionKind } from 'vscode-languageserver/node.js';
import { formatExpressions } from '../format.js';
import { listOutline } from '../outline.js';
import { editIn, symbolIn, toDiagnostic } from '../protocol.js';
import type { EditorSession } from '../session.js';

/** Formatting of expressions, the outline of a file, and quick fixes of what the check found. */
export function provideEditing({ connection, look, lookNow, document: documentOf }: EditorSession): void {
  connection.onDocumentFormatting(async ({ textDocument }) => {
    const at = await lookNow(textDocument.uri, { line: 0, character: 0 });
    return at === undefined
      ? []
      : formatExpressions(at.subject, at.name).map((edit) => editIn(at.document, edit));
  });

  connection.onDocumentSymbol(({ textDocument }) => {
    const document = documentOf(textDocument.uri);
    return document === undefined
      ? []
      : listOutline(document.getText()).map((entry) => symbolIn(document, entry));
  });

  connection.onCodeAction(async ({ textDocument, range, context }) => {
    const at = await look(textDocument.uri, range.start);
    const isWanted = context.only?.includes(CodeActionKind.QuickFix) ?? true;
    if (at === undefined || !isWanted) return [];
    const text = at.document.getText();
    return at.app.findings.flatMap((finding) => {
      const { fix, place } = finding;
      if (fix === undefined || place.file !== at.name) return [];
      const diagnostic = toDiagnostic(finding, text);
      const { start, end } = diagnostic.range;
      if (end.line < range.start.line || start.line > range.end.line) return [];
      const edits = fix.edits.filter(({ file }) => file === at.name).map((edit) => editIn(at.document, edit));
      const edit = { changes: { [textDocument.uri]: edits } };
      return [{ title: fix.title, kind: CodeActionKind.QuickFix, diagnostics: [diagnostic], edit }];
    });
  });
}
