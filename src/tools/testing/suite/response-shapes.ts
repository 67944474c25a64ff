import { isPlainObject } from '../../../shared/plain-object.js';
import { printPath } from '../matching/compare-values.js';

/** Severity of an API change: `info` for additions, `warning` for removals, `error` for another type or a failure. */
export type DriftSeverity = 'info' | 'warning' | 'error';

/** A difference between the API and a recorded case. Contains types and names, never values. */
interface Drift {
  readonly severity: DriftSeverity;
  /** The path in the case: `exchanges[0].response.body.items[].id`. */
  readonly path: string;
  /** The change, as the end of a sentence. */
  readonly message: string;
}

/** A drift with its location in the file of the case. */
export interface PlacedDrift extends Drift {
  /** JSON pointer. */
  readonly pointer: string;
}

/** The shape of JSON values: their types and members. */
interface AnswerShape {
  /** Types of all values at this location. */
  readonly types: ReadonlySet<ShapeType>;
  /** For objects: shapes by name, and whether every object has the member. */
  readonly members: ReadonlyMap<string, { readonly form: AnswerShape; readonly isAlways: boolean }>;
  /**
   * For lists: the common shape of the items; undefined without items. Objects whose names are data count as lists.
   */
  readonly items: AnswerShape | undefined;
}

type ShapeType = 'text' | 'a number' | 'a boolean' | 'null' | 'an object' | 'a list';

/** Deeper values are treated as equal. */
const MAX_DEPTH = 60;

/** The common shape of values; undefined for an empty list. */
export function describeShape(values: readonly unknown[], depth = 0): AnswerShape | undefined {
  if (values.length === 0) return undefined;
  const types = new Set(values.map(nameType));
  if (depth >= MAX_DEPTH) return { types, members: new Map(), items: undefined };
  const objects = values.filter(isPlainObject);
  const tables = objects.filter(isTable);
  const records = objects.filter((value) => !isTable(value));
  const items = [
    ...values.filter((value): value is unknown[] => Array.isArray(value)).flat(1),
    ...tables.flatMap((table) => Object.values(table)),
  ];
  return { types, members: describeMembers(records, depth), items: describeShape(items, depth + 1) };
}

function describeMembers(records: readonly object[], depth: number): AnswerShape['members'] {
  const found = new Map<string, unknown[]>();
  for (const record of records) {
    for (const [name, member] of Object.entries(record)) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [member]);
      else known.push(member);
    }
  }
  const members = new Map<string, { readonly form: AnswerShape; readonly isAlways: boolean }>();
  for (const [name, values] of found) {
    const form = describeShape(values, depth + 1);
    if (form !== undefined) members.set(name, { form, isAlways: values.length === records.length });
  }
  return members;
}

/** A name that starts with a digit or is a UUID is data (an ID, a date), not a field name. */
const NAME_OF_DATA = /^(?:\d|[0-9a-f]{8}-[0-9a-f]{4}-)/i;

/** Whether the names of an object are data, which differ from time to time. */
function isTable(value: object): boolean {
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => NAME_OF_DATA.test(name));
}

function nameType(value: unknown): ShapeType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}

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
