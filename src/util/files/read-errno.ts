/** `ENOENT` and the like; `unknown error` for anything that is no error of the system. */
export function readErrno(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
