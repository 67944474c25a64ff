import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';

/** What parts paths, what some systems refuse in a name, and what steers a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a name.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069<>:"|?*/\\]/g;

/** Halves of characters, which stand for nothing alone. */
const LONE = /\p{Surrogate}/gu;

/** Devices of Windows, whatever their extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Systems take 255, and endings are added. */
const MAX_BYTES = 200;

/**
 * What somebody else has called a thing as the name of a file or folder, which lies where it is put: no hidden one, none above.
 * `_` where nothing is left of it.
 */
export function toFileName(name: string): string {
  return cutBytes(toSafeName(name), MAX_BYTES) || '_';
}

/** The same, however long it is; empty where nothing is left. */
export function toSafeName(name: string): string {
  const safe = name.replace(UNSAFE, '_').replace(LONE, '_');
  // A pattern anchored at the end would take quadratic time for a long run of dots.
  let start = 0;
  let end = safe.length;
  while (start < end && isTrimmed(safe[start])) start++;
  while (end > start && isTrimmed(safe[end - 1])) end--;
  return safe.slice(start, end).replace(RESERVED, '_$&');
}

function isTrimmed(character: string | undefined): boolean {
  return character !== undefined && /[\s.]/.test(character);
}

/** Whole characters up to a number of bytes. */
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
 * Whether a path below a folder still lies below it when links are followed. What is not there yet leads nowhere else; a
 * link to nothing might.
 *
 * @param target absolute, below `folder`
 */
export async function staysBelow(folder: string, target: string): Promise<boolean> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return true;
  for (let at = target; at !== folder && at !== path.dirname(at); at = path.dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return isBelow(root, real);
    if ((await lstat(at).catch(() => undefined)) !== undefined) return false;
  }
  return true;
}

/** By the names of two absolute paths alone; a folder is below itself. */
export function isBelow(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
