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
