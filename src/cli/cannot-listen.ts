import type { EngineError } from '../errors/engine-error.js';
import { readErrno } from '../util/files/read-regular-file.js';
import { usageError } from './usage-error.js';

/**
 * The message of a command that cannot listen on its port.
 *
 * @param hostname the requested address, if it may be the reason
 */
export function cannotListen(port: number, error: unknown, hostname?: string): EngineError {
  const errno = readErrno(error);
  if (hostname !== undefined && ADDRESS_ERRORS.has(errno)) {
    return usageError(
      `This machine has no address "${hostname}" to listen on (${errno}). Choose another with --host.`,
      error,
    );
  }
  const why = errno === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${errno})`;
  return usageError(`The port ${port} ${why}. Choose another with --port, or any with --port 0.`, error);
}

const ADDRESS_ERRORS: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']);
