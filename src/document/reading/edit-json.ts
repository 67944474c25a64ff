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
 *
 * @param order names of members of the outermost object: one that is new stands where they say. Default: at the end
 * @param write what is done to the text of what is new. Default: nothing
 */
export function editJson(
  text: string,
  edits: readonly JsonEdit[],
  order: readonly string[] = [],
  write: (written: string) => string = (written) => written,
): string {
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(text),
    tabSize: /^( +)\S/m.exec(text)?.[1]?.length ?? 2,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return edits.reduce(
    (changed, { path, value }) =>
      applyEdits(
        changed,
        modify(changed, [...path], value, {
          formattingOptions,
          ...(path.length === 1 && { getInsertionIndex: (names) => findPlace(names, path[0], order) }),
        }).map((edit) => ({ ...edit, content: write(edit.content) })),
      ),
    text,
  );
}

/** Behind the last of the members that stand in front of it. */
function findPlace(names: readonly string[], name: unknown, order: readonly string[]): number {
  const rank = order.indexOf(String(name));
  if (rank < 0) return names.length;
  const before = names.findLastIndex((other) => order.indexOf(other) >= 0 && order.indexOf(other) < rank);
  return before + 1;
}
