import { applyEdits, type FormattingOptions, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';

/** An edit of a JSON text. Removes the value at `path` if `value` is undefined. */
export interface JsonEdit {
  /** Member names and array indices, from the root. A last index of -1 appends an item. */
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
  return edits.reduce((changed, { path, value }) => {
    const appended = path.at(-1) === -1 ? appendItem(changed, path, value, formattingOptions) : undefined;
    return (
      appended ??
      applyEdits(
        changed,
        modify(changed, [...path], value, {
          formattingOptions,
          ...(path.length === 1 && {
            getInsertionIndex: (names) => findInsertionIndex(names, path[0], order),
          }),
        }).map((edit) => ({ ...edit, content: write(edit.content) })),
      )
    );
  }, text);
}

/**
 * Appends an item in the style of the last one, without a change of other lines: `modify` formats the line again to which it
 * adds. Undefined for an empty array.
 */
function appendItem(
  text: string,
  path: JsonEdit['path'],
  value: unknown,
  { insertSpaces = true, tabSize = 2, eol = '\n' }: FormattingOptions,
): string | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const last = root && findNodeAtLocation(root, path.slice(0, -1))?.children?.at(-1);
  if (last === undefined) return undefined;
  const end = last.offset + last.length;
  const indent = /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(0, last.offset))?.[1];
  const isMultiline = /[\r\n]/.test(text.slice(last.offset, end));
  const unit = insertSpaces ? tabSize : '\t';
  const printed = isMultiline
    ? JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent ?? ''}`)
    : JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
  const start = indent === undefined ? ' ' : eol + indent;
  // A comment stays beside its item.
  const [rest = '', comma = ''] =
    (indent !== undefined && /^\s*?(,?)[ \t]*\/\/[^\r\n]*/.exec(text.slice(end))) || [];
  const after = text.slice(end + rest.length);
  const separated = rest === '' || comma !== '' ? rest : `,${rest}`;
  return `${text.slice(0, end)}${separated === '' ? ',' : separated}${start}${printed}${comma}${after}`;
}

/** Returns the index after the last existing member that precedes `name` in `order`. */
function findInsertionIndex(names: readonly string[], name: unknown, order: readonly string[]): number {
  const rank = order.indexOf(String(name));
  if (rank < 0) return names.length;
  const before = names.findLastIndex((other) => order.indexOf(other) >= 0 && order.indexOf(other) < rank);
  return before + 1;
}
