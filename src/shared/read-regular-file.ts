import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';

/** The bytes of a file, or the problem as the end of a sentence about the file. */
type RegularFile =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly problem: string };

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a regular file through one descriptor, so that the file cannot be exchanged between check and read. Pipes,
 * devices and files beyond `maxBytes` are refused without waiting.
 *
 * @param assertAllowed receives the resolved path of the opened file and throws if it may not be read
 * @throws errors of `assertAllowed` and of the system (`ENOENT`)
 */
export function readRegularFile(
  file: string,
  maxBytes: number,
  assertAllowed: (opened: string) => void = () => {},
): RegularFile {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    assertAllowed(findOpened(descriptor, file));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { ok: false, problem: 'is not a regular file' };
    const bytes = stats.size > maxBytes ? undefined : readUpTo(descriptor, stats.size, maxBytes);
    return bytes === undefined
      ? { ok: false, problem: `has more than ${maxBytes} bytes` }
      : { ok: true, bytes };
  } finally {
    closeSync(descriptor);
  }
}

/** Linux exposes the path of a descriptor. Elsewhere the path is resolved again. */
function findOpened(descriptor: number, file: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return realpathSync.native(file);
  }
}

/** @returns undefined if the file grew beyond `maxBytes` */
function readUpTo(descriptor: number, size: number, maxBytes: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    // One extra byte detects the end of a file that did not grow.
    const chunk = Buffer.allocUnsafe(length === 0 ? size + 1 : CHUNK_BYTES);
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks, length);
    length += read;
    if (length > maxBytes) return undefined;
    chunks.push(chunk.subarray(0, read));
  }
}

/** Returns the error name of the system (`ENOENT`), or `unknown error`. */
export function readErrno(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
