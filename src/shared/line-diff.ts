import { diffArrays, structuredPatch } from 'diff';

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

const MARKERS = { here: '<<<<<<< here\n', middle: '=======\n', there: '>>>>>>> there\n' };

/** Both texts in one: where they differ, the lines of each between the conflict markers of git. */
export function mergeLines(here: string, there: string): string {
  const [own, other] = [here, there].map((text) => text.split(/(?<=\n)/));
  const parts = diffArrays(own ?? [], other ?? [], { maxEditLength: MAX_EDIT_LENGTH }) ?? [
    { removed: true, added: false, value: own ?? [] },
    { removed: false, added: true, value: other ?? [] },
  ];
  const end = (lines: readonly string[]): string => lines.join('').replace(/[^\n]$/, '$&\n');
  let merged = '';
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined) break;
    if (!part.removed && !part.added) {
      merged += part.value.join('');
      continue;
    }
    const next = part.removed && parts[index + 1]?.added === true ? parts[++index] : undefined;
    const [removed, added] = part.removed ? [part.value, next?.value ?? []] : [[], part.value];
    merged += MARKERS.here + end(removed) + MARKERS.middle + end(added) + MARKERS.there;
  }
  return merged;
}

/** Whether a text has conflict markers of `mergeLines`. */
export function hasMarkers(text: string): boolean {
  return text.startsWith(MARKERS.here) || text.includes(`\n${MARKERS.here}`);
}

function replaceAll(before: string, after: string): ReturnType<typeof structuredPatch>['hunks'] {
  const list = (text: string): string[] => text.split(/\r?\n/).slice(0, -1);
  const [removed, added] = [list(before), list(after)];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return [{ oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines }];
}
