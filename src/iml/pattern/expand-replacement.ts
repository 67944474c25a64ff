import type { PatternMatch } from './match-pattern.js';
import type { TextBuilder } from './text-builder.js';

/** A part of a replacement: fixed text, a group by number (0 is the whole match), or the text around the match. */
export type ReplacementPart = string | number | typeof BEFORE | typeof AFTER;

const BEFORE: unique symbol = Symbol('text before the match');
const AFTER: unique symbol = Symbol('text after the match');

const REFERENCE = /\$(?:([$&`'])|(\d)(\d)?)/g;

/**
 * Reads `$$`, `$&`, `` $` ``, `$'` and `$1` to `$99`. A number no group has stands for itself; of two digits the second
 * belongs to the text if only the first names a group.
 * Source: ECMA-262, GetSubstitution; https://help.make.com/text-and-binary-functions, `replace`. [doc]
 */
export function parseReplacement(replacement: string, groupCount: number): readonly ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let done = 0;
  for (const reference of replacement.matchAll(REFERENCE)) {
    const [, sign, first = '', second = ''] = reference;
    const isGroup = (digits: string): boolean => Number(digits) >= 1 && Number(digits) <= groupCount;
    const digits = [first + second, first].find(isGroup);
    if (sign === undefined && digits === undefined) continue;
    parts.push(
      replacement.slice(done, reference.index),
      sign === undefined ? Number(digits) : signPart(sign),
    );
    done = reference.index + 1 + (sign ?? digits ?? '').length;
  }
  parts.push(replacement.slice(done));
  return parts.filter((part) => part !== '');
}

function signPart(sign: string): ReplacementPart {
  if (sign === '`') return BEFORE;
  if (sign === "'") return AFTER;
  return sign === '&' ? 0 : '$';
}

/**
 * Appends what stands for one match.
 * @throws IML_LIMIT if the result gets too long.
 */
export function appendReplacement(
  parts: readonly ReplacementPart[],
  match: PatternMatch,
  text: string,
  result: TextBuilder,
): void {
  for (const part of parts) {
    if (typeof part === 'string') result.append(part);
    else if (typeof part === 'number') result.append(match[part] ?? '');
    else if (part === BEFORE) result.append(text.slice(0, match.index));
    else result.append(text.slice(match.index + (match[0] ?? '').length));
  }
}
