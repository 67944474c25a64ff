/** A place in a text, both 1-based; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const LINE_BREAK = /\r\n|[\n\r]/g;

/** Line and column of a 0-based offset. An offset behind the end is the place after the last character. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let lineStart = 0;
  for (const match of text.matchAll(LINE_BREAK)) {
    const next = match.index + match[0].length;
    if (next > offset) break;
    line++;
    lineStart = next;
  }
  return { line, column: Math.min(offset, text.length) - lineStart + 1 };
}
