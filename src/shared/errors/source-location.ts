/** A location in an app. Unknown fields are absent. */
export interface SourceLocation {
  /** File path relative to the app folder. */
  readonly file?: string | undefined;
  /** JSON pointer into the file (RFC 6901); empty for the root. */
  readonly pointer?: string | undefined;
  /** 1-based. */
  readonly line?: number | undefined;
  /** 1-based, in UTF-16 code units. */
  readonly column?: number | undefined;
}

/** Formats the known parts of a location: `base.imljson#/response/error:12:7`. */
export function formatLocation(place: SourceLocation): string {
  const pointer = place.pointer === undefined ? '' : `#${place.pointer}`;
  const position = place.line === undefined ? '' : `:${place.line}:${place.column ?? 1}`;
  return `${place.file ?? ''}${pointer}${position}`;
}

/** Appends a step to a JSON pointer, escaped as in RFC 6901. */
export function childPointer(pointer: string, key: string | number): string {
  // Fast path: names rarely contain either character.
  if (typeof key === 'number' || !(key.includes('~') || key.includes('/'))) return `${pointer}/${key}`;
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A position in a text. Both are 1-based; columns count UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const LINE_BREAK = /\r\n|[\n\r]/g;

/**
 * Returns line and column of a 0-based offset. An offset beyond the end maps to the position after the last character.
 */
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

const MAX_WIDTH = 100;

/**
 * Returns the line at `offset` with a caret below it:
 *
 *     1 | {{if(true, 1, 2}}
 *       |                ^
 */
export function codeFrame(text: string, offset: number): string {
  const position = positionAt(text, offset);
  return writeFrame(listLines(text)[position.line - 1] ?? '', position);
}

export function listLines(text: string): string[] {
  return text.split(/\r\n|[\n\r]/);
}

/** Same as `codeFrame`, for one line. */
export function writeFrame(source: string, { line, column }: Position): string {
  const from = Math.max(0, Math.min(column - 1 - MAX_WIDTH / 2, source.length - MAX_WIDTH));
  const shown = source.slice(from, from + MAX_WIDTH).replaceAll('\t', ' ');
  const gutter = String(line);
  const caret = ' '.repeat(Math.max(0, column - 1 - from));
  return `${gutter} | ${shown}\n${' '.repeat(gutter.length)} | ${caret}^`;
}
