import {
  type CompletionItem,
  CompletionItemKind,
  type Diagnostic,
  DiagnosticSeverity,
  InsertTextFormat,
  type TextEdit as LspEdit,
  MarkupKind,
  type Range,
} from 'vscode-languageserver/node.js';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Finding, Level, TextEdit } from '../check/finding.js';
import { rulePage } from '../check/reports.js';
import type { Suggestion } from './suggestions.js';

const SEVERITIES: Readonly<Record<Level, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
};

const SUGGESTION_KINDS: Readonly<Record<Suggestion['kind'], CompletionItemKind>> = {
  function: CompletionItemKind.Function,
  variable: CompletionItemKind.Variable,
  member: CompletionItemKind.Field,
  keyword: CompletionItemKind.Keyword,
  reference: CompletionItemKind.Reference,
};

/** Maximum number of diagnostics per file. */
const MAX_DIAGNOSTICS = 1000;

/** Converts findings of a file, up to the maximum. */
export function toDiagnostics(findings: readonly Finding[], text: string): Diagnostic[] {
  const lines = splitLines(text);
  return findings.slice(0, MAX_DIAGNOSTICS).map((finding) => toDiagnostic(finding, lines));
}

/** Lines of a text, for positions. */
export function splitLines(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r]/);
}

/** @param lines of the file, split once for all findings */
export function toDiagnostic(
  { rule, level, message, place, length }: Finding,
  lines: readonly string[],
): Diagnostic {
  const line = (place.line ?? 1) - 1;
  const character = (place.column ?? 1) - 1;
  const rest = (lines[line] ?? '').length - character;
  const end = character + Math.max(1, Math.min(length ?? rest, rest));
  return {
    range: { start: { line, character }, end: { line, character: end } },
    severity: SEVERITIES[level],
    code: rule,
    codeDescription: { href: rulePage(rule) },
    source: 'iml',
    message,
  };
}

/** @param takesSnippets whether the editor supports snippets (`$0`) */
export function toCompletion(
  suggestion: Suggestion,
  { document, offset }: { readonly document: TextDocument; readonly offset: number },
  takesSnippets: boolean,
): CompletionItem {
  const { label, kind, detail, about, snippet, replaces } = suggestion;
  const isSnippet = takesSnippets && snippet?.includes('$0') === true;
  return {
    label,
    kind: SUGGESTION_KINDS[kind],
    ...(detail !== undefined && { detail }),
    ...(about !== undefined && { documentation: { kind: MarkupKind.Markdown, value: about } }),
    insertTextFormat: isSnippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    textEdit: {
      range: rangeIn(document, { start: offset - replaces, end: offset }),
      newText: (isSnippet ? snippet : snippet?.replace(/\$0\)?/, '')) ?? label,
    },
  };
}

export function rangeIn(
  document: TextDocument,
  { start, end }: { readonly start: number; readonly end: number },
): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

export function editIn(document: TextDocument, { start, end, text }: TextEdit): LspEdit {
  return { range: rangeIn(document, { start, end }), newText: text };
}
