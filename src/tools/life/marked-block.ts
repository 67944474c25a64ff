/** Lines around a generated part of a page. */
export interface BlockMarks {
  readonly begin: string;
  readonly end: string;
}

/**
 * Replaces the generated part of a page, or appends it. The text around it stays as it is.
 *
 * @throws TypeError if only one of the two lines is there, or in the wrong order
 */
export function insertBlock(page: string | undefined, text: string, marks: BlockMarks): string {
  const block = `${marks.begin}\n\n${text}\n${marks.end}\n`;
  if (page === undefined || page.trim() === '') return block;
  const [begin, end] = [lineIndex(page, marks.begin), lineIndex(page, marks.end)];
  if (begin < 0 && end < 0) return `${page.replace(/\n*$/, '\n\n')}${block}`;
  if (begin < 0 || end < begin) {
    throw new TypeError(`expected the line "${marks.begin}" before "${marks.end}"`);
  }
  const rest = page.slice(end + marks.end.length).replace(/^\r?\n/, '');
  return page.slice(0, begin) + block + rest;
}

/** Where a line begins with a text, which may occur inside of the generated part too; -1 for nowhere. */
function lineIndex(page: string, text: string): number {
  if (page.startsWith(text)) return 0;
  const before = page.indexOf(`\n${text}`);
  return before < 0 ? -1 : before + 1;
}
