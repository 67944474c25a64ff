import { isUtf8 } from 'node:buffer';
import { type Dirent, existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { SpecError } from '../../shared/errors/engine-error.js';
import { formatLocation, type SourceLocation } from '../../shared/errors/source-location.js';
import { isBelow, readRegularFile } from '../../shared/files.js';

/** The folder an app is read from. */
export interface AppFolder {
  /** Absolute path with links resolved. */
  readonly root: string;
  /** As `readAppFile` of this folder and those its options name; SPEC_READ rejects. */
  readonly read: (file: string, locationOf: () => SourceLocation) => Promise<string | undefined>;
}

/** Options of `loadApp`. */
export interface LoadOptions {
  /**
   * Folders outside the app that its manifest may use, relative to it: `['..']` or `['../shared']`. Default: none.
   * Hidden files and folders are never read.
   */
  readonly include?: readonly string[] | undefined;
  /** Contents of unsaved files by absolute path. Default: none. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
}

/** Options of reading a folder that may not be an app. */
export interface FolderOptions extends LoadOptions {
  /** End of the error message for a file outside. Default: that it is outside the app. */
  readonly outside?: string | undefined;
}

/** Opens the folder of an app. Reads files synchronously, only in this folder and those of `include`. */
export function openAppFolder(folder: string, options: FolderOptions = {}): AppFolder {
  const { include = [], outside = "is outside the app's folder" } = options;
  const root = realpathSync(folder);
  const overlay = options.overlay && layOver(options.overlay, path.resolve(folder), root);
  const folders = [root, ...include.map((other) => resolveFolder(path.resolve(root, other)))];
  const realFolders = new Map<string, string>();
  return {
    root,
    read: async (file, locationOf) => {
      return readAppFile({ folders, overlay, outside, realFolders }, file, locationOf);
    },
  };
}

/** An editor uses the path of the opened file, which may contain links. */
function layOver(
  texts: ReadonlyMap<string, string>,
  given: string,
  root: string,
): ReadonlyMap<string, string> {
  if (given === root) return texts;
  return new Map(
    [...texts].map(([file, text]) => [
      isBelow(given, file) ? path.join(root, path.relative(given, file)) : file,
      text,
    ]),
  );
}

/** A missing folder contains nothing. */
function resolveFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** Maximum size of a file; real apps have up to 100 KB. [choice] */
export const MAX_FILE_BYTES: number = 1024 * 1024;

/** Allowed folders of an app. */
export interface OpenFolders {
  /** Absolute real paths, the app first. */
  readonly folders: readonly string[];
  /** Contents of unsaved files by absolute path. */
  readonly overlay: ReadonlyMap<string, string> | undefined;
  /** End of the error message for a file outside. */
  readonly outside: string;
  /** Real paths of folders, cached. */
  readonly realFolders: Map<string, string>;
}

type Refuse = (why: string, cause?: unknown) => SpecError;

/**
 * The text of a file in one of the folders, or undefined if it does not exist.
 *
 * @param file Path relative to the first folder, `/` or `\` between its steps.
 * @param locationOf Where the path is written; asked for only by an error.
 * @throws SpecError SPEC_READ for a path that leads out of the folders, to a hidden file, to a directory or device,
 * to a file that is too large, may not be read or is not UTF-8.
 */
function readAppFile(open: OpenFolders, file: string, locationOf: () => SourceLocation): string | undefined {
  const { folders, overlay } = open;
  const refuse: Refuse = (why, cause) => {
    const place = locationOf();
    return new SpecError('SPEC_READ', `${formatLocation(place)}: the file "${file}" ${why}.`, {
      place,
      cause,
    });
  };
  const relative = file.replaceAll('\\', '/');
  if (relative.includes('\0') || path.posix.isAbsolute(relative) || /^[a-zA-Z]:/.test(relative)) {
    throw refuse('is not a relative path');
  }
  const target = path.resolve(folders[0] ?? '', relative);
  const judge = (absolute: string): void => assertReadable(open, absolute, refuse);
  judge(target);
  const edited = overlay?.get(target);
  if (edited !== undefined) return edited;
  try {
    const { real, stats } = followLinks(open, target);
    // Checks the target of a link again.
    if (real !== target) judge(real);
    if (!stats.isFile()) throw refuse('is not a regular file');
    // The file may have been replaced: checks the opened one.
    const read = readRegularFile(real, MAX_FILE_BYTES, judge);
    if (!read.ok) throw refuse(read.problem);
    return decode(read.bytes, refuse);
  } catch (error) {
    if (error instanceof SpecError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refuse(`cannot be read (${code ?? 'unknown error'})`, error);
  }
}

/** Resolves each folder once. */
function followLinks(
  { realFolders }: OpenFolders,
  target: string,
): { readonly real: string; readonly stats: Stats } {
  const stats = lstatSync(target);
  if (stats.isSymbolicLink()) {
    const real = realpathSync.native(target);
    return { real, stats: statSync(real) };
  }
  const folder = path.dirname(target);
  const realFolder = realFolders.get(folder) ?? realpathSync.native(folder);
  realFolders.set(folder, realFolder);
  return { real: realFolder === folder ? target : path.join(realFolder, path.basename(target)), stats };
}

function assertReadable({ folders, outside }: OpenFolders, absolute: string, refuse: Refuse): void {
  const folder = folders.find((one) => isBelow(one, absolute));
  if (folder === undefined) throw refuse(outside);
  const problem = problemOfSteps(absolute.slice(folder.length).split(path.sep));
  if (problem !== undefined) throw refuse(problem);
}

/**
 * Why a path in a manifest names no file of the app, as the end of a sentence about the file; undefined if it names one.
 * The one rule for all files that a manifest names, read or written.
 *
 * @param file relative to the app, `/` or `\` between its steps
 */
export function problemOfPath(file: string): string | undefined {
  const normal = path.posix.normalize(file.replaceAll('\\', '/'));
  if (normal.includes('\0') || path.posix.isAbsolute(normal) || /^[a-zA-Z]:/.test(normal)) {
    return 'is not a relative path';
  }
  if (normal === '..' || normal.startsWith('../')) return "is outside the app's folder";
  return normal === '.' ? 'is a folder' : problemOfSteps(normal.split('/'));
}

/**
 * Hidden files contain credentials: `.secrets/apikey` of the editor, `.env`, `.docker/config.json`. Files below `.git` and
 * `node_modules` are run by programs. Some systems ignore case and format characters. Windows knows `.git` as `git~1` and
 * `node_modules` as `node_m~1`, and reads what follows a colon as the name of a stream.
 */
function problemOfSteps(steps: readonly string[]): string | undefined {
  for (const step of steps) {
    const plain = step
      .replace(/\p{Cf}/gu, '')
      .replace(/:.*/s, '')
      .toLowerCase();
    if (plain.startsWith('.') || /^git~\d/.test(plain)) {
      return `is hidden (${step}), and hidden files are no files of an app`;
    }
    if (/^node_m(?:odules[. ]*|~\d+)$/.test(plain)) return 'is in node_modules, where no files of an app are';
  }
  return undefined;
}

function decode(bytes: Buffer, refuse: Refuse): string {
  if (!isUtf8(bytes)) throw refuse('is not UTF-8 text');
  return bytes.toString('utf8');
}

/** Limits of a folder walk. [choice] */
const MAX_DEPTH = 8;
const MAX_ENTRIES = 20_000;

export interface FoundEntry {
  /** Relative to the start, with `/`. */
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * All files below a folder by name, without links, dot-folders and `node_modules`, within the limits.
 *
 * @param enter whether to enter a folder with these entries
 */
export function listFiles(
  folder: string,
  enter: (names: readonly string[], folder: string) => boolean = () => true,
): FoundEntry[] {
  const found: FoundEntry[] = [];
  const pending = [''];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const entries = readFolder(path.join(folder, next));
    const names = entries.map((entry) => entry.name);
    if (!enter(names, next)) continue;
    const folders: string[] = [];
    for (const entry of entries) {
      if (found.length >= MAX_ENTRIES) return found;
      const relative = next === '' ? entry.name : `${next}/${entry.name}`;
      found.push({ path: relative, isFolder: entry.isDirectory() });
      if (entry.isDirectory() && relative.split('/').length <= MAX_DEPTH) folders.push(relative);
    }
    pending.push(...folders.reverse());
  }
  return found;
}

/** An unreadable folder counts as empty; reading its files reports the error. */
function readFolder(folder: string): Dirent[] {
  return readEntries(folder)
    .filter((entry) => entry.isFile() || (entry.isDirectory() && !isSkipped(entry.name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Folders per kind: singular in exports, plural in some repositories. [src][app] */
export function kindFolders(kind: string): readonly string[] {
  return [`${kind}s`, kind];
}

/** Extensions of files in an app without a manifest. The first one that exists counts. */
export const SPEC_EXTENSIONS = ['.imljson', '.iml.json', '.iml.jsonc', '.json', '.jsonc'] as const;

/** Extensions of app files in all layouts. Other JSON counts only if a manifest names it. */
export const SPEC_FILE: RegExp = /\.(?:imljson|iml\.jsonc?)$/;
