import type { EngineError } from '../errors/engine-error.js';
import { errnoOf } from './connections/private-file.js';
import { usageError } from './usage-error.js';

/** What a command says that got no port to listen on. */
export function cannotListen(port: number, error: unknown): EngineError {
  const why = errnoOf(error) === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${errnoOf(error)})`;
  return usageError(`The port ${port} ${why}. Choose another with --port, or any with --port 0.`, error);
}
