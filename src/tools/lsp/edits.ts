import { CodeActionKind } from 'vscode-languageserver/node.js';
import { printExpression } from '../../language/syntax/printer.js';
import type { TextEdit } from '../check/finding.js';
import type { Subject } from '../check/subject/subject.js';
import { editIn, splitLines, toDiagnostic } from './protocol.js';
import type { EditorSession } from './session.js';

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

/** `textDocument/formatting`: formats expressions only. */
export function handleFormatting({ connection, lookNow }: EditorSession): void {
  connection.onDocumentFormatting(async ({ textDocument }) => {
    const at = await lookNow(textDocument.uri, { line: 0, character: 0 });
    return at === undefined
      ? []
      : formatExpressions(at.subject, at.name).map((edit) => editIn(at.document, edit));
  });
}

/** Edits that format the expressions of a file. Invalid ones stay. */
function formatExpressions(subject: Subject, file: string): readonly TextEdit[] {
  const edits = new Map<number, TextEdit>();
  for (const site of subject.expressions) {
    if (site.in.document.file !== file || !site.parsed.ok) continue;
    for (const expression of site.expressions) {
      const printed = JSON.stringify(printExpression(expression)).slice(1, -1);
      const start = site.offsetAt(expression.start);
      const end = site.offsetAt(expression.end);
      if (start === undefined || end === undefined) continue;
      if (site.in.document.text?.slice(start, end) !== printed)
        edits.set(start, { file, start, end, text: printed });
    }
  }
  return [...edits.values()];
}
