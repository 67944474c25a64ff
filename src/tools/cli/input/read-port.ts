import { usageError } from '../usage-error.js';

/**
 * The number of `--port`; 0 chooses a free port.
 *
 * @throws EngineError (USAGE)
 */
export function readPort(text: string | undefined, standard: number): number {
  if (text === undefined) return standard;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw usageError(`--port: "${text}" is no port: a number from 0 to 65535 is expected.`);
}
