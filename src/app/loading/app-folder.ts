import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { SourceLocation } from '../../errors/source-location.js';
import { isBelow } from '../../util/files/file-name.js';
import { readAppFile } from './read-app-file.js';

/** The folder an app is read from. */
export interface AppFolder {
  /** Absolute path without links. */
  readonly root: string;
  /** As `readAppFile` of this folder and those its options name; SPEC_READ rejects. */
  readonly read: (file: string, locationOf: () => SourceLocation) => Promise<string | undefined>;
}

/** How the files of an app are found. */
export interface LoadOptions {
  /**
   * Folders outside of the app's own that its manifest may name files in, relative to it: `['..']` or `['../shared']`.
   * Default: none. Hidden files and folders are never read, wherever they are.
   */
  readonly include?: readonly string[] | undefined;
  /** Texts that stand for files on disk, by absolute path: what an editor holds and has not saved. Default: none. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
}

/** How files of a folder are read that need not be an app's. */
export interface FolderOptions extends LoadOptions {
  /** What is told of a file that lies elsewhere, as the rest of a sentence about it. Default: that it is outside of the app's. */
  readonly outside?: string | undefined;
}

/** Opens the folder of an app. Files are read synchronously and only below this folder and those of `include`. */
export function openAppFolder(folder: string, options: FolderOptions = {}): AppFolder {
  const { include = [], outside = "lies outside of the app's folder" } = options;
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

/** An editor names files by the path it was opened with, which may lead through links. */
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

/** One that does not exist holds nothing that could be read. */
function resolveFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}
