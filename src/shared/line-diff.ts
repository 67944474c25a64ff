import { structuredPatch } from 'diff';

/** Unchanged lines that are shown before and after a change. */
const CONTEXT = 2;
/** Added and removed lines that are searched; beyond it, the whole text is shown as replaced. */
const MAX_EDIT_LENGTH = 2000;

/** The changes from one text to another: lines with ` `, `-` or `+` in front, and `...` for omitted lines. */
export function diffLines(before: string, after: string): readonly string[] {
  // With a final newline in both texts, a missing one shows as a line, not as a remark.
  const [old, now] = [`${before}\n`, `${after}\n`];
  const options = { context: CONTEXT, stripTrailingCr: true };
  const hunks =
    structuredPatch('', '', old, now, undefined, undefined, { ...options, maxEditLength: MAX_EDIT_LENGTH })
      ?.hunks ?? replaceAll(old, now);
  const shown: string[] = [];
  let next = 1;
  for (const { oldStart, oldLines, lines } of hunks) {
    if (oldStart > next) shown.push('...');
    shown.push(...lines.map((line) => `${line[0]} ${line.slice(1)}`));
    next = oldStart + oldLines;
  }
  if (next < old.split('\n').length) shown.push('...');
  return shown;
}

function replaceAll(before: string, after: string): ReturnType<typeof structuredPatch>['hunks'] {
  const list = (text: string): string[] => text.split(/\r?\n/).slice(0, -1);
  const [removed, added] = [list(before), list(after)];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return [{ oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines }];
}
