import { stat } from 'node:fs/promises';
import path from 'node:path';

/** Where the extension looks for the command `iml`. */
interface ImlSearch {
  /** Folders of apps. The search goes up from each to the folder of the workspace. */
  readonly apps: readonly string[];
  /** The folders of the workspace. */
  readonly roots: readonly string[];
  /** Value of the setting `iml.path`, relative to the first folder of the workspace; empty if unset. */
  readonly setting: string;
  /** Value of the environment variable `PATH`. */
  readonly searchPath: string;
  readonly platform: NodeJS.Platform;
}

/** The file of the command `iml`: of the workspace, else of the setting, else of `PATH`. Undefined without one. */
export async function findIml(search: ImlSearch): Promise<string | undefined> {
  const { apps, roots, setting, searchPath, platform } = search;
  const names = platform === 'win32' ? ['iml.cmd', 'iml.exe'] : ['iml'];
  const inFolder = (folder: string): readonly string[] => names.map((name) => path.join(folder, name));
  const installed = [...apps, ...roots].flatMap((folder) => listUpTo(folder, roots));
  const files = [
    ...installed.flatMap((folder) => inFolder(path.join(folder, 'node_modules', '.bin'))),
    ...(setting === '' ? [] : [path.resolve(roots[0] ?? '', setting)]),
    ...searchPath.split(path.delimiter).filter(path.isAbsolute).flatMap(inFolder),
  ];
  for (const file of files) {
    const stats = await stat(file).catch(() => undefined);
    if (stats?.isFile() === true) return file;
  }
  return undefined;
}

/** A folder and the folders above it, up to one of the roots. */
function listUpTo(folder: string, roots: readonly string[]): readonly string[] {
  const above = path.dirname(folder);
  return roots.includes(folder) || folder === above ? [folder] : [folder, ...listUpTo(above, roots)];
}

/** What `spawn` starts. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly shell: boolean;
}

/** Node.js starts batch files, as npm writes them on Windows, only through a shell. */
export function toCommandLine(file: string, args: readonly string[], platform: NodeJS.Platform): CommandLine {
  if (platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(file)) return { command: file, args, shell: false };
  // File names of Windows contain no quotes.
  const quote = (text: string): string => `"${text}"`;
  return { command: quote(file), args: args.map(quote), shell: true };
}
