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

/**
 * Adds a fix to a diagnostic that asks "Did you mean ...?": the word that it quotes first, replaced by the suggestion.
 * Returns the diagnostic unchanged if the word does not stand exactly once at its location. An editor offers the fix;
 * `--fix` leaves it out, because the suggestion is a guess.
 *
 * @param text of the file, without its byte order mark
 */
export function withSuggestedFix(finding: Finding, text: string): Finding {
  const { message, place } = finding;
  const { file, line, column } = place;
  const meant = / Did you mean "([^"]+)"\?/.exec(message);
  const [, written] = /["`]([^"`]+)["`]/.exec(message) ?? [];
  if (finding.fix !== undefined || meant?.[1] === undefined || written === undefined) return finding;
  if (file === undefined || line === undefined || column === undefined) return finding;
  const start = offsetOf(text, line) + column - 1;
  const range = text[start] === '"' ? readJsonString(text, start) : text.slice(start, start + written.length);
  const at = range.indexOf(written);
  if (at < 0 || range.indexOf(written, at + 1) >= 0) return finding;
  const edit = { file, start: start + at, end: start + at + written.length };
  const replacement = JSON.stringify(meant[1]).slice(1, -1);
  const title = `Replace "${written}" by "${meant[1]}"`;
  return { ...finding, fix: { title, isGuess: true, edits: [{ ...edit, text: replacement }] } };
}

function offsetOf(text: string, line: number): number {
  let offset = 0;
  for (let at = 1; at < line; at++) {
    const [match] = /\r\n|\r|\n/.exec(text.slice(offset)) ?? [];
    if (match === undefined) return text.length;
    offset = text.indexOf(match, offset) + match.length;
  }
  return offset;
}

/** The string from its opening to its closing quote. */
function readJsonString(text: string, start: number): string {
  return /^"(?:[^"\\]|\\[\s\S])*"/.exec(text.slice(start))?.[0] ?? '';
}
