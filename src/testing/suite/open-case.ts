import path from 'node:path';
import { CaseError } from '../../errors/engine-error.js';
import { readRegularFile } from '../../util/files/read-regular-file.js';
import { readBodyFile } from '../cases/body-files.js';
import { type CaseReading, readCase } from '../cases/read-case.js';

/** Maximum size of a case file. [choice] */
const MAX_CASE_BYTES = 32 * 1024 * 1024;

/** Reads a case file. Never rejects because of its content. */
export async function openCase(file: string, testFolders: readonly string[]): Promise<CaseReading> {
  const name = nameCase(file, testFolders);
  const fail = (message: string, cause?: unknown): CaseReading => ({
    ok: false,
    name,
    file,
    errors: [new CaseError(message, { place: { file, line: 1, column: 1 }, cause })],
  });
  try {
    const read = readRegularFile(file, MAX_CASE_BYTES);
    if (!read.ok) return fail(`The file ${read.problem}.`);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read.bytes);
    return await readCase(text, { file, name, readBody: (body) => readBodyFile(file, body) });
  } catch (error) {
    if (error instanceof TypeError) return fail('The file is not UTF-8 text.', error);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return fail(`The file cannot be read (${code}).`, error);
  }
}

/** `listOrders/paging` for `tests/listOrders/paging.test.json`. */
export function nameCase(file: string, testFolders: readonly string[]): string {
  const folder = testFolders.find((candidate) => file.startsWith(candidate + path.sep));
  const relative = folder === undefined ? path.basename(file) : path.relative(folder, file);
  return relative
    .split(path.sep)
    .join('/')
    .replace(/\.test\.jsonc?$/, '');
}
