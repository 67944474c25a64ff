import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';

/** The bytes of a file, or why they are not had, as the rest of a sentence about it. */
type RegularFile =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly problem: string };

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads what was opened and nothing that takes its place meanwhile: a pipe is not waited for, a device has no end, a file that grows
 * is read up to its bound, and where a path leads is judged once it is open.
 *
 * @param judge is told the path without links of what was opened, and throws where that may not be read
 * @throws what `judge` throws, and errors of the system (`ENOENT`)
 */
export function readRegularFile(
  file: string,
  maxBytes: number,
  judge: (opened: string) => void = () => {},
): RegularFile {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    judge(findOpened(descriptor, file));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { ok: false, problem: 'is no regular file' };
    const bytes = stats.size > maxBytes ? undefined : readUpTo(descriptor, stats.size, maxBytes);
    return bytes === undefined
      ? { ok: false, problem: `has more than ${maxBytes} bytes` }
      : { ok: true, bytes };
  } finally {
    closeSync(descriptor);
  }
}

/** Linux knows where a descriptor leads; elsewhere the path is asked once more. */
function findOpened(descriptor: number, file: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return realpathSync.native(file);
  }
}

/** @returns undefined for a file that has grown beyond what may be read */
function readUpTo(descriptor: number, size: number, maxBytes: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    // One byte more than there should be tells the end of a file that has not grown.
    const chunk = Buffer.allocUnsafe(length === 0 ? size + 1 : CHUNK_BYTES);
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks, length);
    length += read;
    if (length > maxBytes) return undefined;
    chunks.push(chunk.subarray(0, read));
  }
}

/** `ENOENT` and the like; `unknown error` for anything that is no error of the system. */
export function readErrno(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
