import type { Finding, TextEdit } from './finding.js';

/**
 * Applies the fixes of diagnostics to the text of one file. Of overlapping edits only the first is applied; the next
 * check finds the others.
 *
 * @param text without its byte order mark
 * @returns the new text and the number of applied fixes
 */
export function applyFixes(
  text: string,
  file: string,
  findings: readonly Finding[],
): { readonly text: string; readonly applied: number } {
  const edits = findings
    .flatMap(({ fix }) => (fix === undefined || fix.isGuess === true ? [] : fix.edits))
    .filter((edit) => edit.file === file)
    .sort((a, b) => a.start - b.start);
  let applied = 0;
  let result = '';
  let at = 0;
  for (const edit of edits) {
    if (!fits(edit, at, text.length)) continue;
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
    applied++;
  }
  return { text: result + text.slice(at), applied };
}

function fits({ start, end }: TextEdit, from: number, length: number): boolean {
  return start >= from && end >= start && end <= length;
}
