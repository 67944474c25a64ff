/** Something that is said of a line of a text: by the check, or of the run. */
export interface Note {
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly code: string | undefined;
  readonly file: string | undefined;
  /** 1-based. */
  readonly line: number;
}

/** What is said of one line. */
export interface PlacedNotes {
  /** Offset of the end of the line. */
  readonly at: number;
  readonly line: number;
  readonly notes: readonly Note[];
}

/** Notes by the lines they are about, in order; what is about a line that is not there stands at the end. */
export function placeNotes(text: string, notes: readonly Note[]): readonly PlacedNotes[] {
  const byLine = new Map<number, Note[]>();
  for (const note of notes) byLine.set(note.line, [...(byLine.get(note.line) ?? []), note]);
  const ends: number[] = [];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) ends.push(end);
  return [...byLine]
    .map(([line, found]) => ({ at: ends[line - 1] ?? text.length, line, notes: found }))
    .sort((a, b) => a.at - b.at);
}
