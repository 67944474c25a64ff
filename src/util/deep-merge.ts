import { isPlainObject, ownMember, type PlainObject, setMember } from './plain-object.js';

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
