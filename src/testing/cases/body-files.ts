import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../../util/files/read-regular-file.js';

/** Bytes of one body file. [choice] */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** What a body file holds, or why it cannot be read, as the rest of a sentence about it. */
export type BodyFile =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string };

/** The folder beside a case that its bodies lie in: `list.test.json` has `list.bodies`. */
export function bodiesFolder(caseFile: string): string {
  return `${caseFile.replace(/(?:\.test)?\.jsonc?$/, '')}.bodies`;
}

/** Reads a body file; nothing outside of the folder is read, wherever links lead. */
export async function readBodyFile(caseFile: string, name: string): Promise<BodyFile> {
  const folder = bodiesFolder(caseFile);
  const target = path.resolve(folder, name);
  if (name.includes('\0') || !isBelow(folder, target)) return outside(folder);
  try {
    const [realFolder, real] = await Promise.all([realpath(folder), realpath(target)]);
    if (!isBelow(realFolder, real)) return outside(folder);
    return readRegularFile(real, MAX_BODY_BYTES, (opened) => {
      if (!isBelow(realFolder, opened)) throw new OutsideError();
    });
  } catch (error) {
    if (error instanceof OutsideError) return outside(folder);
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return {
      ok: false,
      problem: isMissing
        ? `is not in ${path.basename(folder)}/`
        : `cannot be read (${code ?? 'unknown error'})`,
    };
  }
}

/** Something else has taken the place of the file. */
class OutsideError extends Error {}

function outside(folder: string): BodyFile {
  return { ok: false, problem: `lies outside of ${path.basename(folder)}/` };
}

function isBelow(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
