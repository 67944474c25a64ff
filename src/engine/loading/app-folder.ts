import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { isBelow } from '../../shared/file-name.js';
import { readAppFile } from './read-app-file.js';

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
