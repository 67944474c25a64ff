import { type Finding, LEVELS } from './finding.js';

/** Sorts by file, line and column, then by severity. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    compareTexts(a.place.file ?? '', b.place.file ?? '') ||
    (a.place.line ?? 0) - (b.place.line ?? 0) ||
    (a.place.column ?? 0) - (b.place.column ?? 0) ||
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
