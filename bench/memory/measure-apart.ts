import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BYTES_PER_MB = 1e6;

/**
 * Runs a program that prints a number of bytes in a separate process, whose memory holds nothing else.
 *
 * @returns megabytes
 */
export async function measureApart(script: URL, args: readonly (string | number)[]): Promise<number> {
  const command = ['--expose-gc', fileURLToPath(script), ...args.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  const bytes = Number(stdout);
  if (stdout.trim() === '' || !Number.isFinite(bytes))
    throw new Error(`${script.href} must print a number, not: ${stdout}`);
  return bytes / BYTES_PER_MB;
}
