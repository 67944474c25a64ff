import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';

/** Path separators, characters that some systems reject in names, and terminal control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a name.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069<>:"|?*/\\]/g;

/** Lone surrogates. */
const LONE = /\p{Surrogate}/gu;

/** Reserved device names of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** File systems allow 255 bytes; callers append suffixes. */
const MAX_BYTES = 200;

/**
 * Converts an untrusted string into a safe file name: never hidden, never a parent folder. Returns `_` if nothing
 * remains.
 */
export function toFileName(name: string): string {
  return cutBytes(toSafeName(name), MAX_BYTES) || '_';
}

/** Same as `toFileName` without a length limit. Returns empty text if nothing remains. */
export function toSafeName(name: string): string {
  const safe = name.replace(UNSAFE, '_').replace(LONE, '_');
  // Loops, as a pattern anchored at the end takes quadratic time on a long run of dots.
  let start = 0;
  let end = safe.length;
  while (start < end && isTrimmed(safe[start])) start++;
  while (end > start && isTrimmed(safe[end - 1])) end--;
  return safe.slice(start, end).replace(RESERVED, '_$&');
}

function isTrimmed(character: string | undefined): boolean {
  return character !== undefined && /[\s.]/.test(character);
}

/** Cuts text to a number of UTF-8 bytes, at a character boundary. */
export function cutBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = '';
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > maxBytes) break;
    kept += char;
  }
  return kept;
}

/**
 * Whether a path below a folder stays below it after resolving symbolic links. A path that does not exist stays; a
 * dangling link may not.
 *
 * @param target absolute path below `folder`
 */
export async function staysBelow(folder: string, target: string): Promise<boolean> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return true;
  for (let at = target; at !== folder && at !== path.dirname(at); at = path.dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return isBelow(root, real);
    if ((await lstat(at).catch(() => undefined)) !== undefined) {
      // A dangling link, or a folder that another writer has just created.
      const created = await realpath(at).catch(() => undefined);
      return created !== undefined && isBelow(root, created);
    }
  }
  return true;
}

/** Whether one absolute path is below another by name alone. A folder counts as below itself. */
export function isBelow(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
