import type { Finding } from '../finding.js';
import { RULES } from '../rules.js';

/** Comments of one file that switch rules off: line of the file to ids of rules. */
export type IgnoredLines = ReadonlyMap<number, ReadonlySet<string>>;

/** A comment that names a rule which does not exist. */
export interface UnknownIgnore {
  readonly line: number;
  readonly column: number;
  readonly id: string;
}

const COMMENT = /\/\/\s*iml-ignore\s+([^\r\n]*)/g;

/**
 * Reads `// iml-ignore rule-id, other-id: why` comments. One at the end of a line is for that line, one on a line of
 * its own for the next.
 */
export function readIgnoreComments(text: string): {
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

/** Whether a comment switches the rule of a finding off at its place. */
export function isIgnored({ rule, place }: Finding, lines: IgnoredLines | undefined): boolean {
  return place.line !== undefined && lines?.get(place.line)?.has(rule) === true;
}
