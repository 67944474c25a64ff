import { homedir } from 'node:os';
import path from 'node:path';
import type { Io } from '../io.js';

/**
 * Folder of the user's configuration: `iml-runtime` in `XDG_CONFIG_HOME` or `~/.config`, on Windows in `APPDATA`. A
 * relative XDG_CONFIG_HOME is ignored. Source: XDG Base Directory Specification.
 */
export function configFolder(env: Io['env'], platform: string = process.platform): string {
  const home = env['HOME'] || homedir();
  const given = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  const standard = platform === 'win32' ? ['AppData', 'Roaming'] : ['.config'];
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(home, ...standard);
  return path.join(base, 'iml-runtime');
}
