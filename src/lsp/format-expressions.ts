import type { TextEdit } from '../check/finding.js';
import type { Subject } from '../check/subject/subject.js';
import { printExpression } from '../iml/syntax/printer.js';

/** Edits that format the expressions of a file. Invalid ones stay. */
export function formatExpressions(subject: Subject, file: string): readonly TextEdit[] {
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
