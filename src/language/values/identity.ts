import type { PlainObject } from '../../shared/plain-object.js';
import { textOfBytes } from './bytes.js';
import { assertTextLength } from './size-limits.js';
import { listPresentNames, quotedText, type TreeStyle, treeText } from './tree-text.js';
import { isBuffer, toInstant, toText } from './value.js';

/** Converts a value to a key for a `Set`: equal values have the same key. */
export type IdentityKey = (value: unknown) => unknown;

/** Prefix of all keys that are not plain text. `textKey` escapes text that starts with it. */
const MARK = '\u0000';

/**
 * Creates keys for equality: primitives by type and value, null like undefined, dates by instant, buffers by bytes,
 * arrays and collections by content, other objects by identity. Takes time linear in the size of the value.
 *
 * Numbers become text, because V8 hashes numbers predictably: an attacker could choose numbers whose hashes collide.
 * Hashes of text are seeded per process. The returned function keeps references to other objects, so create one per
 * comparison.
 *
 * @throws (the returned function) ImlError `IML_FUNCTION` for a circular value, `IML_LIMIT` for a value that is too large
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

/** Creates keys for `distinct`: numbers and booleans by text, other values as in `createEqualityKey`. [choice] */
export function createDistinctKey(): IdentityKey {
  const equalityKey = createEqualityKey();
  return (value) =>
    typeof value === 'number' || typeof value === 'boolean' ? toText(value) : equalityKey(value);
}

function textKey(text: string): string {
  return text.startsWith(MARK) ? `${MARK}"${text}` : text;
}

/** Text leaves are quoted, so that no other kind of leaf has the same key. */
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

/** V8 hashes longer strings by their length alone, so that lookups in a set of them take linear time. */
const MAX_HASHED_LENGTH = 16_000;

/**
 * Maps each long text to a unique short text.
 *
 * @param mark a prefix that no short text has
 */
function createLongTextKey(mark: string): (text: string) => string {
  const textsByHash = new Map<string, string[]>();
  return (text) => {
    if (text.length <= MAX_HASHED_LENGTH) return text;
    const hash = hashText(text);
    const texts = textsByHash.get(hash) ?? [];
    textsByHash.set(hash, texts);
    const index = texts.indexOf(text);
    return `${mark}${hash} ${index === -1 ? texts.push(text) - 1 : index}`;
  };
}

/** Combines two hashes of 32 bits. Texts with the same hash are compared. */
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
