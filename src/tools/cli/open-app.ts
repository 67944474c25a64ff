import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { App } from '../../engine/document/app.js';
import { findApp, findNearestApp } from '../../engine/loading/find-app.js';
import { loadApp } from '../../engine/loading/load-app.js';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { relativePath } from '../../shared/files.js';
import { type Arguments, type PositionalSpec, usageError } from './command.js';
import type { Io } from './io.js';

export interface LoadedApp {
  readonly app: App;
  /** Absolute folder that paths of the app are relative to. */
  readonly root: string;
  /** The path as the user would type it. */
  readonly showPath: (file: string) => string;
}

/** The argument of commands for one app. */
export const APP_FOLDER: PositionalSpec = {
  name: 'app folder',
  help: 'Folder of the app or of its repository. Default: the app in the current folder, or in the nearest folder above it.',
  isOptional: true,
};

/**
 * The given folder, else the nearest folder above the current one that is or contains an app. `.` if the current folder
 * contains an app, or if no folder does; `openApp` then reports the missing app.
 */
export async function findAppFolder(given: string | undefined, io: Pick<Io, 'cwd'>): Promise<string> {
  if (given !== undefined) return given;
  const found = await findNearestApp(io.cwd);
  const relative = found === undefined ? '' : path.relative(io.cwd, found.folder);
  return relative.startsWith('..') ? relative : '.';
}

/**
 * Splits the arguments `[app folder] <name>`.
 *
 * @throws EngineError (USAGE) for a folder without a name
 */
export async function readAppAndName(
  { positionals }: Pick<Arguments, 'positionals'>,
  name: PositionalSpec,
  io: Pick<Io, 'cwd'>,
): Promise<readonly [folder: string, name: string]> {
  const [first = '', second] = positionals;
  if (second !== undefined) return [first, second];
  if (await isFolder(first, io)) throw usageError(`Missing <${name.name}>: ${name.help}`);
  return [await findAppFolder(undefined, io), first];
}

/** Splits the arguments `[app folder] [name]`. A single argument is a folder if it is a path or names an app. */
export async function readAppAndOptionalName(
  { positionals }: Pick<Arguments, 'positionals'>,
  io: Pick<Io, 'cwd'>,
): Promise<readonly [folder: string, name: string | undefined]> {
  const [first, second] = positionals;
  if (first === undefined) return [await findAppFolder(undefined, io), undefined];
  if (second !== undefined) return [first, second];
  const isPath = /[/\\]|^\.{1,2}$/.test(first) || first === MANIFEST;
  if (isPath || (await holdsApp(path.resolve(io.cwd, first)))) return [first, undefined];
  // Without an app to look for the name in, the argument can only be a folder.
  if ((await findNearestApp(io.cwd)) === undefined) return [first, undefined];
  return [await findAppFolder(undefined, io), first];
}

async function holdsApp(target: string): Promise<boolean> {
  return findApp(target).then(
    () => true,
    () => false,
  );
}

export async function isFolder(target: string, { cwd }: Pick<Io, 'cwd'>): Promise<boolean> {
  return stat(path.resolve(cwd, target)).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Loads the app of an argument.
 *
 * @throws EngineError (USAGE) if there is no app; SpecError if it cannot be loaded
 */
export async function openApp(given: string, io: Io): Promise<LoadedApp> {
  const { folder: root } = await locateApp(given, io);
  const showPath = (file: string): string => pathFrom(io.cwd, path.join(root, file)) || file;
  return { app: await loadApp(root), root, showPath };
}

/** `openApp` for the argument `[app folder]`. */
export async function openNearest(given: string | undefined, io: Io): Promise<LoadedApp> {
  return openApp(await findAppFolder(given, io), io);
}

/** Finds the app of an argument without loading it. @throws EngineError (USAGE) if there is no app */
export function locateApp(given: string, { cwd }: Pick<Io, 'cwd'>): ReturnType<typeof findApp> {
  return findApp(path.resolve(cwd, given)).catch(refuseMissing);
}

/** An argument that names no app is a wrong command line. */
export function refuseMissing(error: unknown): never {
  throw error instanceof SpecError && error.code === 'SPEC_MISSING' ? usageError(error.message) : error;
}

/** Relative, unless the absolute path is shorter. */
function pathFrom(folder: string, file: string): string {
  const relative = relativePath(folder, file);
  return relative.startsWith('..') && relative.length > file.length ? file : relative;
}
