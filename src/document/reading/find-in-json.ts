import type { JsonSource } from './json-tokens.js';
import { walkJson } from './walk-json.js';

/** Where one value of a JSON text is written. Offsets are 0-based UTF-16 units. */
export interface JsonLocation {
  readonly offset: number;
  /** Offset of the member's name; undefined in an array and at the root. */
  readonly keyOffset: number | undefined;
  /** Whether the whole path led here, or only its beginning. */
  readonly exact: boolean;
}

interface Level {
  name: string;
  index: number;
  readonly kind: 'object' | 'array';
  keyOffset: number | undefined;
}

/**
 * Finds the value at a path (unescaped steps of a JSON pointer) by reading the text again:
 * places are asked for seldom, and a table of all of them would outweigh the app.
 * Of members with one name the last counts, as it does for the value.
 */
export function findInJson(source: JsonSource, path: readonly string[]): JsonLocation {
  const found: Omit<JsonLocation, 'exact'>[] = [];
  const levels: Level[] = [];
  // How many of the open containers, counted from the root, lie on the path.
  let onPath = 0;

  const meet = (offset: number): boolean => {
    const depth = levels.length;
    const level = levels.at(-1);
    if (level?.kind === 'array') level.name = String(level.index++);
    if (onPath !== depth || (level !== undefined && level.name !== path[depth - 1])) return false;
    found.length = depth;
    found.push({ offset, keyOffset: level?.keyOffset });
    return true;
  };

  walkJson(source, {
    key: (name, offset) => {
      const level = levels.at(-1);
      if (level === undefined) return;
      level.name = name;
      level.keyOffset = offset;
    },
    enter: (kind, offset) => {
      if (meet(offset)) onPath++;
      levels.push({ kind, name: '', index: 0, keyOffset: undefined });
    },
    leave: () => {
      levels.pop();
      onPath = Math.min(onPath, levels.length);
    },
    scalar: (_value, offset) => void meet(offset),
  });
  const last = found.at(-1) ?? { offset: 0, keyOffset: undefined };
  return { ...last, exact: found.length === path.length + 1 };
}

/** The offset in the file of a character of a text: escapes of the written text take more room than what they stand for. */
export function offsetInString(text: string, stringOffset: number, characterOffset: number): number {
  let raw = stringOffset + 1;
  for (let seen = 0; seen < characterOffset && text[raw] !== '"' && raw < text.length; seen++) {
    if (text[raw] === '\\') raw += text[raw + 1] === 'u' ? 6 : 2;
    else raw++;
  }
  return raw;
}
