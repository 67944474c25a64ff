/** A note for a line: a diagnostic, a warning or the error. */
export interface Note {
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly code: string | undefined;
  readonly file: string | undefined;
  /** From 1. */
  readonly line: number;
}

/** The notes of one line. */
export interface PlacedNotes {
  /** Offset of the end of the line. */
  readonly at: number;
  readonly line: number;
  readonly notes: readonly Note[];
}

/** Notes by line in order; those of unknown lines at the end. */
export function placeNotes(text: string, notes: readonly Note[]): readonly PlacedNotes[] {
  const byLine = new Map<number, Note[]>();
  for (const note of notes) byLine.set(note.line, [...(byLine.get(note.line) ?? []), note]);
  const ends: number[] = [];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) ends.push(end);
  return [...byLine]
    .map(([line, found]) => ({ at: ends[line - 1] ?? text.length, line, notes: found }))
    .sort((a, b) => a.at - b.at);
}
