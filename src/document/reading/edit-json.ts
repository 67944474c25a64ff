import { applyEdits, modify } from 'jsonc-parser';

/** One change of a JSON text: a value put at a path, or taken away where it is undefined. */
export interface JsonEdit {
  /** Names of members and indices of items, from the root. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/**
 * Changes a JSON text with comments in the order given, and leaves all else of it as it is written. What is new is indented
 * as the text is.
 */
export function editJson(text: string, edits: readonly JsonEdit[]): string {
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(text),
    tabSize: /^( +)\S/m.exec(text)?.[1]?.length ?? 2,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return edits.reduce(
    (changed, { path, value }) =>
      applyEdits(changed, modify(changed, [...path], value, { formattingOptions })),
    text,
  );
}
