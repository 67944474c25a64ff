import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Waits for the tarball that CI shares, or packs one into a folder. @returns its path */
export async function packPackage(folder: string): Promise<string> {
  const packed = process.env['IML_TEST_PACKED'];
  if (packed !== undefined) {
    while (!existsSync(packed)) await setTimeout(200);
    return packed;
  }
  const options = ['--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', ['pack', ...options], { cwd: ROOT });
  const [first] = JSON.parse(stdout) as { filename: string }[];
  return path.join(folder, first?.filename ?? '');
}
