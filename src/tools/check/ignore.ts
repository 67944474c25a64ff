import type { SourceLocation } from '../../shared/errors/source-location.js';
import { didYouMean } from '../../shared/suggest.js';
import { compareFindings, type Finding } from './finding.js';
import { RULES } from './rules.js';
import type { CheckedDocument } from './subject/checked-document.js';

/** Diagnostics that are not suppressed, and the number of suppressed ones. */
export interface ShownFindings {
  /** By file and location. */
  readonly findings: readonly Finding[];
  readonly ignored: number;
}

/**
 * Removes diagnostics that comments and settings suppress, and reports comments with unknown rules.
 *
 * @param folders ignored folders, with `/`
 */
export function hideIgnored(
  documents: readonly CheckedDocument[],
  findings: readonly Finding[],
  folders: readonly string[],
): ShownFindings {
  const comments = new Map<string, ReturnType<typeof readIgnoreComments>>();
  for (const { document } of documents) {
    if (document.file !== undefined && document.text !== undefined) {
      comments.set(document.file, readIgnoreComments(document.text));
    }
  }
  const isBelow = (file: string): boolean =>
    folders.some((folder) => file === folder || file.startsWith(`${folder.replace(/\/$/, '')}/`));
  const shown = findings.filter((finding) => {
    const file = finding.place.file ?? '';
    return !isBelow(file) && !isIgnored(finding, comments.get(file)?.lines);
  });
  const unknown = [...comments].flatMap(([file, found]) =>
    found.unknown.map(({ id, line, column }) => unknownIgnore(id, { file, line, column })),
  );
  return {
    findings: [...shown, ...unknown].sort(compareFindings),
    ignored: findings.length - shown.length,
  };
}

/** ID of the diagnostic for a comment with an unknown rule. */
const UNKNOWN_IGNORE = 'unknown-rule';

function unknownIgnore(id: string, place: SourceLocation): Finding {
  const ids = RULES.map((rule) => rule.id);
  return {
    rule: UNKNOWN_IGNORE,
    level: 'error',
    message: `There is no rule "${id}".${didYouMean(id, ids)}`,
    place,
  };
}

/** Suppressed rule IDs by line. */
export type IgnoredLines = ReadonlyMap<number, ReadonlySet<string>>;

/** A comment with an unknown rule. */
export interface UnknownIgnore {
  readonly line: number;
  readonly column: number;
  readonly id: string;
}

const COMMENT = /\/\/\s*iml-ignore\s+([^\r\n]*)/g;

/**
 * Parses `// iml-ignore rule-id, other-id: why` comments. A trailing comment applies to its line, another one to the
 * next line.
 */
function readIgnoreComments(text: string): {
  readonly lines: IgnoredLines;
  readonly unknown: readonly UnknownIgnore[];
} {
  const lines = new Map<number, Set<string>>();
  const unknown: UnknownIgnore[] = [];
  if (!text.includes('iml-ignore')) return { lines, unknown };
  text.split(/\r\n|[\n\r]/).forEach((content, index) => {
    for (const match of content.matchAll(COMMENT)) {
      const isAlone = content.slice(0, match.index).trim() === '';
      const line = index + (isAlone ? 2 : 1);
      const [ids = ''] = (match[1] ?? '').split(':');
      for (const id of ids.split(/[\s,]+/).filter((word) => word !== '')) {
        if (RULES.some((rule) => rule.id === id)) lines.set(line, (lines.get(line) ?? new Set()).add(id));
        else unknown.push({ line: index + 1, column: match.index + 1, id });
      }
    }
  });
  return { lines, unknown };
}

/** Whether a comment suppresses a diagnostic. */
function isIgnored({ rule, place }: Finding, lines: IgnoredLines | undefined): boolean {
  return place.line !== undefined && lines?.get(place.line)?.has(rule) === true;
}
