import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isBelow, readRegularFile } from '../../../shared/files.js';

/** Maximum size of a body file. [choice] */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The content of a body file, or the end of a sentence about why it cannot be read. */
export type BodyFile =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string };

/** The folder of the body files of a case: `list.bodies` for `list.test.json`. */
export function bodiesFolder(caseFile: string): string {
  return `${caseFile.replace(/(?:\.test)?\.jsonc?$/, '')}.bodies`;
}

/** Reads a body file. Refuses files outside the folder, also through links. */
export async function readBodyFile(caseFile: string, name: string): Promise<BodyFile> {
  const folder = bodiesFolder(caseFile);
  const target = path.resolve(folder, name);
  if (name.includes('\0') || !isInside(folder, target)) return outside(folder);
  try {
    const [home, realFolder, real] = await Promise.all(
      [path.dirname(folder), folder, target].map((one) => realpath(one)),
    );
    if (home === undefined || realFolder === undefined || real === undefined) return outside(folder);
    // The folder itself may be a link.
    if (!isInside(home, realFolder) || !isInside(realFolder, real)) return outside(folder);
    return readRegularFile(real, MAX_BODY_BYTES, (opened) => {
      if (!isInside(realFolder, opened)) throw new OutsideError();
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

/** Another file replaced the checked one. */
class OutsideError extends Error {}

function outside(folder: string): BodyFile {
  return { ok: false, problem: `is outside ${path.basename(folder)}/` };
}

function isInside(folder: string, target: string): boolean {
  return target !== folder && isBelow(folder, target);
}
