/** Lines around a change that are shown. */
const CONTEXT = 2;
/** Pairs of lines looked at; beyond it a change is shown as a whole. */
const MAX_PAIRS = 4_000_000;

type Line = readonly [mark: ' ' | '-' | '+', text: string];

/** What changes from one text to another: lines with ` `, `-` or `+` in front, `...` where lines are left out. */
export function diffLines(before: string, after: string): readonly string[] {
  const lines = compareLines(before.split(/\r?\n/), after.split(/\r?\n/));
  const isShown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([mark]) => mark !== ' '),
  );
  const shown: string[] = [];
  for (const [index, [mark, text]] of lines.entries()) {
    if (isShown[index] === true) shown.push(`${mark} ${text}`);
    else if (shown.at(-1) !== '...') shown.push('...');
  }
  return shown;
}

function compareLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) {
    end++;
  }
  const same = (text: string): Line => [' ', text];
  return [
    ...before.slice(0, start).map(same),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** By the longest common subsequence. */
function compareMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > MAX_PAIRS) {
    return [...before.map((text): Line => ['-', text]), ...after.map((text): Line => ['+', text])];
  }
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      lines.push([' ', before[row++] ?? '']);
      column++;
    } else if (
      row < before.length &&
      (column === after.length || at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push(['-', before[row++] ?? '']);
    } else lines.push(['+', after[column++] ?? '']);
  }
  return lines;
}
