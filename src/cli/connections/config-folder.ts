import { homedir } from 'node:os';
import path from 'node:path';
import type { Io } from '../io.js';

/**
 * Where the command keeps what belongs to the user of this machine: `XDG_CONFIG_HOME` or `~/.config` with
 * `iml-runtime` in it, on Windows `APPDATA`. A relative XDG_CONFIG_HOME counts as absent.
 * Source: XDG Base Directory Specification.
 */
export function configFolder(env: Io['env'], platform: string = process.platform): string {
  const home = env['HOME'] || homedir();
  const given = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  const standard = platform === 'win32' ? ['AppData', 'Roaming'] : ['.config'];
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(home, ...standard);
  return path.join(base, 'iml-runtime');
}
