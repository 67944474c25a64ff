import { printPath } from '../matching/compare-values.js';
import type { AnswerShape, ShapeType } from './answer-shape.js';
import type { Drift } from './drift.js';

/**
 * Differences between two shapes: a new field is `info`, a missing one a `warning`, another type an `error`. Members
 * that were empty or optional can go without notice.
 *
 * @param root name of the value in messages
 */
export function compareShapes(before: AnswerShape, after: AnswerShape, root: string): readonly Drift[] {
  const found: Drift[] = [];
  compareAt(before, after, root, found);
  return found;
}

function compareAt(before: AnswerShape, after: AnswerShape, path: string, found: Drift[]): void {
  const types = compareTypes(before.types, after.types, path);
  if (types !== undefined) found.push(types);
  if (before.items !== undefined && after.items !== undefined)
    compareAt(before.items, after.items, `${path}[]`, found);
  if (!before.types.has('an object') || !after.types.has('an object')) return;
  // An empty object promised nothing.
  for (const [name, { form, isAlways }] of before.members) {
    const now = after.members.get(name);
    const at = printPath(path, [name]);
    if (now !== undefined) compareAt(form, now.form, at, found);
    if (!isAlways || now?.isAlways === true) continue;
    found.push({
      severity: 'warning',
      path: at,
      message: now === undefined ? 'is not there any more' : 'is not always there any more',
    });
  }
  for (const [name, { form }] of after.members) {
    if (before.members.has(name)) continue;
    found.push({ severity: 'info', path: printPath(path, [name]), message: `is new: ${list(form.types)}` });
  }
}

function compareTypes(
  before: ReadonlySet<ShapeType>,
  after: ReadonlySet<ShapeType>,
  path: string,
): Drift | undefined {
  const others = [...after].filter((type) => !before.has(type));
  if (others.length === 0) return undefined;
  const message = `was ${list(before)}, is ${list(after)}`;
  const wasEmpty = before.size === 1 && before.has('null');
  // A field that was null had no type. A field that may be null now counts as missing.
  if (wasEmpty) return { severity: 'info', path, message };
  const isOnlyNull = others.length === 1 && others[0] === 'null';
  return { severity: isOnlyNull ? 'warning' : 'error', path, message };
}

function list(types: ReadonlySet<ShapeType>): string {
  return [...types].sort().join(' or ');
}
