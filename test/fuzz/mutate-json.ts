import fc from 'fast-check';
import { isPlainObject } from '../plain-object.js';
import { jsonValues } from './arbitrary-json.js';

/** One change of a JSON value; `at` counts its places, over and over. */
export interface Edit {
  readonly at: number;
  readonly change: 'replace' | 'remove' | 'wrap' | 'rename' | 'graft';
  readonly by: unknown;
}

export const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    at: fc.nat(),
    change: fc.constantFrom('replace', 'replace', 'remove', 'wrap', 'rename', 'graft'),
    by: jsonValues,
  }),
  { minLength: 1, maxLength: 4 },
);

interface Slot {
  readonly parent: Record<string, unknown> | unknown[];
  readonly key: string;
}

/** A copy with the edits made one after the other. */
export function mutateJson(value: unknown, changes: readonly Edit[]): unknown {
  const root: Record<string, unknown> = { value: structuredClone(value) };
  for (const edit of changes) applyEdit(root, edit);
  return root['value'];
}

function applyEdit(root: Record<string, unknown>, { at, change, by }: Edit): void {
  const slots = listSlots(root, []);
  const slot = slots[at % slots.length];
  if (slot === undefined) return;
  const { parent, key } = slot;
  const old = read(slot);
  switch (change) {
    case 'replace':
      return write(parent, key, by);
    case 'wrap':
      return write(parent, key, isPlainObject(by) ? { ...by, inner: old } : [old, by]);
    case 'graft': {
      // Another part of the document in the place of this one: right in itself, wrong here.
      const other = slots[(at * 31 + 7) % slots.length];
      return write(parent, key, other === undefined ? by : structuredClone(read(other)));
    }
    case 'rename':
      if (isPlainObject(parent)) write(parent, typeof by === 'string' ? by : `${key}x`, old);
      break;
    case 'remove':
      break;
  }
  if (parent === root) return;
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

function listSlots(parent: Record<string, unknown> | unknown[], slots: Slot[]): Slot[] {
  for (const key of Object.keys(parent)) {
    const slot: Slot = { parent, key };
    slots.push(slot);
    const value = read(slot);
    if (Array.isArray(value) || isPlainObject(value)) listSlots(value, slots);
  }
  return slots;
}

function read({ parent, key }: Slot): unknown {
  return Object.getOwnPropertyDescriptor(parent, key)?.value;
}

function write(parent: Record<string, unknown> | unknown[], key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}
