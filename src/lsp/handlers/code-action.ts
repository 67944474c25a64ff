import { CodeActionKind } from 'vscode-languageserver/node.js';
import { editIn, splitLines, toDiagnostic } from '../protocol.js';
import type { EditorSession } from '../session.js';

/** `textDocument/codeAction`: fixes of diagnostics. */
export function handleCodeAction({ connection, look }: EditorSession): void {
  connection.onCodeAction(async ({ textDocument, range, context }) => {
    const at = await look(textDocument.uri, range.start);
    const isWanted = context.only?.includes(CodeActionKind.QuickFix) ?? true;
    // Locations in a changed text are outdated.
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
