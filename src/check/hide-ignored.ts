import type { SourceLocation } from '../errors/source-location.js';
import { didYouMean } from '../util/suggest.js';
import type { Finding } from './finding.js';
import { compareFindings } from './order-findings.js';
import { RULES } from './rules.js';
import { isIgnored, readIgnoreComments } from './settings/ignore-comments.js';
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
