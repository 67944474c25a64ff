import { isPlainObject } from '../../util/plain-object.js';

/** What values of JSON look like that stand in one place: of which types, and with what inside. */
export interface AnswerShape {
  /** Of all values that were seen there. */
  readonly types: ReadonlySet<ShapeType>;
  /** Of objects: what stands under each name, and whether every object has it. */
  readonly members: ReadonlyMap<string, { readonly form: AnswerShape; readonly isAlways: boolean }>;
  /** Of lists: what their items look like together; undefined for lists without items. Objects with names that are data count as lists. */
  readonly items: AnswerShape | undefined;
}

export type ShapeType = 'text' | 'a number' | 'a boolean' | 'null' | 'an object' | 'a list';

/** Deeper values are taken for one another. */
const MAX_DEPTH = 60;

/** What values look like together; undefined for none. */
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

/** A name that begins with a digit, or is a UUID: an id, a day, a number. No service gives its fields such names. */
const NAME_OF_DATA = /^(?:\d|[0-9a-f]{8}-[0-9a-f]{4}-)/i;

/** Whether the names of an object are data, so that another time there are others. */
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
