import { applyEdits, modify } from 'jsonc-parser';

/** An edit of a JSON text. Removes the value at `path` if `value` is undefined. */
export interface JsonEdit {
  /** Member names and array indices, from the root. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/**
 * Applies edits to a JSON text with comments, in order. Keeps the rest of the text and its indentation style.
 *
 * @param order order of member names of the root object, for new members. Default: at the end
 * @param write transforms inserted text. Default: none
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
          ...(path.length === 1 && {
            getInsertionIndex: (names) => findInsertionIndex(names, path[0], order),
          }),
        }).map((edit) => ({ ...edit, content: write(edit.content) })),
      ),
    text,
  );
}

/** Returns the index after the last existing member that precedes `name` in `order`. */
function findInsertionIndex(names: readonly string[], name: unknown, order: readonly string[]): number {
  const rank = order.indexOf(String(name));
  if (rank < 0) return names.length;
  const before = names.findLastIndex((other) => order.indexOf(other) >= 0 && order.indexOf(other) < rank);
  return before + 1;
}
