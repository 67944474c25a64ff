/** Where in an app something is written. Fields that are not known are absent. */
export interface SourceLocation {
  /** Path of the file, relative to the app's folder. */
  readonly file?: string | undefined;
  /** JSON pointer into that file (RFC 6901), `` for its root. */
  readonly pointer?: string | undefined;
  /** 1-based. */
  readonly line?: number | undefined;
  /** 1-based, in UTF-16 units. */
  readonly column?: number | undefined;
}

/** `base.imljson#/response/error:12:7`, as much of it as is known. */
export function formatLocation(place: SourceLocation): string {
  const pointer = place.pointer === undefined ? '' : `#${place.pointer}`;
  const position = place.line === undefined ? '' : `:${place.line}:${place.column ?? 1}`;
  return `${place.file ?? ''}${pointer}${position}`;
}

/** One more step into a JSON pointer, escaped as RFC 6901 asks. */
export function childPointer(pointer: string, key: string | number): string {
  // Hardly a name has either, and every member of every file passes here.
  if (typeof key === 'number' || !(key.includes('~') || key.includes('/'))) return `${pointer}/${key}`;
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

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

const MAX_WIDTH = 100;

/**
 * The line of `text` at `offset` with a caret under it, for a terminal:
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

/** The same of a line by itself. */
export function writeFrame(source: string, { line, column }: Position): string {
  const from = Math.max(0, Math.min(column - 1 - MAX_WIDTH / 2, source.length - MAX_WIDTH));
  const shown = source.slice(from, from + MAX_WIDTH).replaceAll('\t', ' ');
  const gutter = String(line);
  const caret = ' '.repeat(Math.max(0, column - 1 - from));
  return `${gutter} | ${shown}\n${' '.repeat(gutter.length)} | ${caret}^`;
}
