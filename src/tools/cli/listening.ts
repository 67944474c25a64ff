import { EngineError } from '../../shared/errors/engine-error.js';
import { readErrno } from '../../shared/files.js';
import { usageError } from './command.js';
import { type Io, UserInterruption } from './io.js';

/**
 * The message of a command that cannot listen on its port.
 *
 * @param hostname the requested address, if it may be the reason
 */
export function cannotListen(port: number, error: unknown, hostname?: string): EngineError {
  // An error with a complete message, such as another host on the same data.
  if (error instanceof EngineError) return error;
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

/** Resolves at Ctrl-C or SIGTERM. */
export async function untilInterrupted(io: Pick<Io, 'interruptible'>): Promise<void> {
  await io.interruptible(untilAborted).catch((error: unknown) => {
    if (!(error instanceof UserInterruption)) throw error;
  });
}

/** Rejects with the reason of the signal. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * The number of `--port`; 0 chooses a free port.
 *
 * @throws EngineError (USAGE)
 */
export function readPort(text: string | undefined, standard: number): number {
  if (text === undefined) return standard;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw usageError(`--port: "${text}" is not a port. Expected a number from 0 to 65535.`);
}
