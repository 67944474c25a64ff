import type { PlainObject } from '../../util/plain-object.js';
import { textOfBytes } from './bytes.js';
import { isBuffer, toInstant, toText } from './coerce.js';
import { assertTextLength } from './size-limits.js';
import { listPresentNames, quotedText, type TreeStyle, treeText } from './tree-text.js';

/** A value to use as a member of a set: two values have the same key if they count as equal. */
export type IdentityKey = (value: unknown) => unknown;

/** What no text of the outside can start with, once `textKey` has seen it. */
const MARK = '\u0000';

/**
 * Keys for equality: primitives by type and value, null as undefined, dates by instant, buffers by their bytes, arrays
 * and collections by what they hold, objects of other kinds by identity. Linear in the size of the value. Numbers are texts
 * here: the host hashes numbers so that anybody can find thousands which share one place of a set, texts with a secret of the process.
 * The returned function remembers those other objects: make one for each comparison.
 *
 * @throws (the returned function) ImlError `IML_FUNCTION` for a value that holds itself, `IML_LIMIT` for one too large
 */
export function createEqualityKey(): IdentityKey {
  const style = createKeyStyle();
  const shorten = createLongTextKey(`${MARK}L`);
  return (value) => {
    switch (typeof value) {
      case 'string':
        return shorten(textKey(value));
      case 'object':
        return value === null ? undefined : shorten(MARK + treeText(value, style));
      case 'function':
        return undefined;
      case 'number':
        return `${MARK}n${value}`;
      default:
        return value;
    }
  };
}

/**
 * Keys for `distinct`: primitives as text, everything else as `createEqualityKey` has it.
 * [choice]
 */
export function createDistinctKey(): IdentityKey {
  const equalityKey = createEqualityKey();
  return (value) =>
    typeof value === 'number' || typeof value === 'boolean' ? toText(value) : equalityKey(value);
}

function textKey(text: string): string {
  return text.startsWith(MARK) ? `${MARK}"${text}` : text;
}

/** Text stands in quotes in a tree, so no other kind of leaf can look like it. */
function createKeyStyle(): TreeStyle {
  const others = new Map<unknown, number>();
  const leaf = (value: unknown): string => {
    if (typeof value === 'string') return quotedText(value);
    if (isBuffer(value)) {
      assertTextLength(value.length);
      return `b${textOfBytes(value, 'base64')}`;
    }
    const instant = toInstant(value);
    if (instant !== undefined) return `d${instant}`;
    if (value === undefined || value === null || typeof value === 'function') return 'null';
    if (typeof value !== 'object') return `${typeof value} ${String(value)}`;
    const number = others.get(value) ?? others.size;
    others.set(value, number);
    return `#${number}`;
  };
  return { listNames: sortedNames, leaf };
}

function sortedNames(collection: PlainObject): string[] {
  return listPresentNames(collection).sort();
}

/** V8 hashes longer strings by their length alone, so that a set of them degrades to a list. */
const MAX_HASHED_LENGTH = 16_000;

/**
 * Replaces each long text by a short one: equal texts by the same, different texts by different ones.
 *
 * @param mark a prefix that no short text has
 */
function createLongTextKey(mark: string): (text: string) => string {
  const known = new Map<string, string[]>();
  return (text) => {
    if (text.length <= MAX_HASHED_LENGTH) return text;
    const hash = hashText(text);
    const alike = known.get(hash) ?? [];
    known.set(hash, alike);
    const at = alike.indexOf(text);
    return `${mark}${hash} ${at === -1 ? alike.push(text) - 1 : at}`;
  };
}

/** Two hashes of 32 bits each: texts that share both are compared. */
function hashText(text: string): string {
  let [first, second] = [0x811c9dc5, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x5f356495);
    second ^= second >>> 15;
  }
  return `${text.length} ${first} ${second}`;
}
