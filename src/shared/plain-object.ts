/** An object as `JSON.parse` creates it. */
export type PlainObject = Record<string, unknown>;

/** Prototype of plain objects with case-insensitive lookup, such as headers. Has no members. */
export const CASELESS: object = Object.freeze(Object.create(null));

/**
 * Whether a value is a plain object: an object literal, a result of `JSON.parse`, an object without a prototype or one
 * with case-insensitive lookup. Arrays, dates, buffers and class instances are not.
 */
export function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype || prototype === CASELESS) return true;
  // Objects of another realm (node:vm, a test runner) have a different Object.prototype, itself without a prototype.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Whether a value is a plain object with case-insensitive lookup. Its names are in lower case. */
export function isCaseless(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === CASELESS;
}

/** Writes a member whose name may come from data. `__proto__` becomes an own member and never changes the prototype. */
export function setMember(target: PlainObject, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[name] = value;
  }
}

/** Reads an own member. Inherited names (`constructor`, `toString`) return undefined. */
export function ownMember(target: object, name: string): unknown {
  return Object.hasOwn(target, name) ? (target as PlainObject)[name] : undefined;
}

/** Reads a nested own member of plain objects: `readAt(request, 'response', 'error')`. */
export function readAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = isPlainObject(found) ? ownMember(found, name) : undefined;
  return found;
}

/** Copies JSON data with other leaves and names of members. */
export function mapLeaves(
  value: unknown,
  mapLeaf: (leaf: unknown) => unknown,
  mapName: (name: string) => string = String,
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, mapLeaf, mapName));
  if (!isPlainObject(value)) return mapLeaf(value);
  const mapped: PlainObject = {};
  for (const [name, member] of Object.entries(value)) {
    setMember(mapped, mapName(name), mapLeaves(member, mapLeaf, mapName));
  }
  return mapped;
}

/** Deeper levels are replaced instead of merged, which bounds recursion. */
const MAX_DEPTH = 64;

/**
 * Merges two objects into a new one. Plain objects merge by member; `later` replaces everything else, arrays included.
 */
export function deepMerge(earlier: PlainObject, later: PlainObject, depth = 0): PlainObject {
  const merged: PlainObject = {};
  const [kept, added] = [Object.keys(earlier), Object.keys(later)];
  for (const name of kept) setMember(merged, name, earlier[name]);
  for (const name of added) {
    const before = ownMember(merged, name);
    const value = later[name];
    const joins = depth < MAX_DEPTH && isPlainObject(before) && isPlainObject(value);
    setMember(merged, name, joins ? deepMerge(before, value, depth + 1) : value);
  }
  return merged;
}

/** Marks a `switch` as exhaustive. A value that arrives here is a defect of this package. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled case: ${JSON.stringify(value)}`);
}

/** Whether a value is an object of any kind, also an array or an instance of a class. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is text, a number or a boolean. */
export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
