import type { Finding } from '../finding.js';
import { RULES } from '../rules.js';

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

/** Whether a comment suppresses a diagnostic. */
export function isIgnored({ rule, place }: Finding, lines: IgnoredLines | undefined): boolean {
  return place.line !== undefined && lines?.get(place.line)?.has(rule) === true;
}
