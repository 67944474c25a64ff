/** An object with own members only, as JSON gives it. */
export type PlainObject = Record<string, unknown>;

/** The prototype of a plain object whose members expressions look up without case, as those of headers. It has no members. */
export const CASELESS: object = Object.freeze(Object.create(null));

/**
 * True for `{}`-like objects: those made by a literal, by `JSON.parse`, without a prototype, or looked up without case. Arrays, dates,
 * buffers and class instances are none.
 */
export function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype || prototype === CASELESS) return true;
  // Objects of another realm (node:vm, a test runner) have their own Object.prototype: nothing stands above it.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** True for a plain object that is looked up without case. Its names are in lower case. */
export function isCaseless(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === CASELESS;
}

/**
 * Writes a member under a name that may come from data.
 * `__proto__` becomes an ordinary own member instead of a change of the prototype.
 */
export function setMember(target: PlainObject, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[name] = value;
  }
}

/** Reads an own member; inherited ones (`constructor`, `toString`) read as undefined. */
export function ownMember(target: object, name: string): unknown {
  return Object.hasOwn(target, name) ? (target as PlainObject)[name] : undefined;
}

/** Levels that are joined; below, the later side stands whole. Keeps data of any depth off the host's stack. */
const MAX_DEPTH = 64;

/**
 * Joins two objects into a new one: plain objects member by member, everything else (arrays too) taken from `later`.
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

/** Marks a switch over `kind` as complete: a value that reaches it is a defect of ours, not of the input. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled case: ${JSON.stringify(value)}`);
}
