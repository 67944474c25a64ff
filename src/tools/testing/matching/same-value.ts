/** Options of a comparison of IML values. */
export interface SameValueOptions {
  /** Whether a date equals its ISO 8601 text, as in results of runs. Default: false. */
  readonly datesAsText?: boolean;
}

/** In an expectation: null or undefined. */
export const NULLISH: unique symbol = Symbol('null or undefined');

/**
 * Equality of IML values: types must match, numbers may differ by a relative 1e-12, the order of members is
 * irrelevant, undefined members count as absent.
 *
 * @param a may contain `NULLISH`
 */
export function isSameValue(a: unknown, b: unknown, options: SameValueOptions = {}): boolean {
  if (a === NULLISH) return b === undefined || b === null;
  if (options.datesAsText === true) {
    if (a instanceof Date && typeof b === 'string') return a.toISOString() === b;
    if (b instanceof Date && typeof a === 'string') return b.toISOString() === a;
  }
  if (typeof a === 'number' && typeof b === 'number') return isSameNumber(a, b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (a instanceof Date || b instanceof Date) {
    return a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
  }
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isSameValue(item, b[index], options));
  }
  return haveSameMembers(a, b, options);
}

function isSameNumber(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  // An infinity equals itself.
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
}

function haveSameMembers(a: object, b: object, options: SameValueOptions): boolean {
  const members = new Map<string, unknown>(Object.entries(a));
  const others = new Map<string, unknown>(Object.entries(b));
  const names = new Set([...members.keys(), ...others.keys()]);
  return [...names].every((name) => isSameValue(members.get(name), others.get(name), options));
}
