import { isPlainObject } from '../../util/plain-object.js';

/** The shape of JSON values: their types and members. */
export interface AnswerShape {
  /** Types of all values at this location. */
  readonly types: ReadonlySet<ShapeType>;
  /** For objects: shapes by name, and whether every object has the member. */
  readonly members: ReadonlyMap<string, { readonly form: AnswerShape; readonly isAlways: boolean }>;
  /**
   * For lists: the common shape of the items; undefined without items. Objects whose names are data count as lists.
   */
  readonly items: AnswerShape | undefined;
}

export type ShapeType = 'text' | 'a number' | 'a boolean' | 'null' | 'an object' | 'a list';

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
