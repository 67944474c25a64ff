import { CodeActionKind } from 'vscode-languageserver/node.js';
import { editIn, splitLines, toDiagnostic } from '../protocol.js';
import type { EditorSession } from '../session.js';

/** `textDocument/codeAction`: quick fixes of what the check found. */
export function handleCodeAction({ connection, look }: EditorSession): void {
  connection.onCodeAction(async ({ textDocument, range, context }) => {
    const at = await look(textDocument.uri, range.start);
    const isWanted = context.only?.includes(CodeActionKind.QuickFix) ?? true;
    // What was found in a text that has changed since stands elsewhere by now.
    if (at === undefined || !isWanted || at.app.checkedVersion !== at.app.workspace.version()) return [];
    const lines = splitLines(at.document.getText());
    return at.app.findings.flatMap((finding) => {
      const { fix, place } = finding;
      if (fix === undefined || place.file !== at.name) return [];
      const diagnostic = toDiagnostic(finding, lines);
      const { start, end } = diagnostic.range;
      if (end.line < range.start.line || start.line > range.end.line) return [];
      const edits = fix.edits.filter(({ file }) => file === at.name).map((edit) => editIn(at.document, edit));
      const edit = { changes: { [textDocument.uri]: edits } };
      return [{ title: fix.title, kind: CodeActionKind.QuickFix, diagnostics: [diagnostic], edit }];
    });
  });
}
