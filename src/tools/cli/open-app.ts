import path from 'node:path';
import type { App } from '../../engine/document/app.js';
import { findApp } from '../../engine/loading/find-app.js';
import { loadApp } from '../../engine/loading/load-app.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import type { Io } from './io.js';
import { usageError } from './usage-error.js';

export interface LoadedApp {
  readonly app: App;
  /** Absolute folder that paths of the app are relative to. */
  readonly root: string;
  /** The path as the user would type it. */
  readonly showPath: (file: string) => string;
}

/**
 * Loads the app of an argument.
 *
 * @throws EngineError (USAGE) if there is no app; SpecError if it cannot be loaded
 */
export async function openApp(given: string, io: Io): Promise<LoadedApp> {
  const target = path.isAbsolute(given) ? given : path.resolve(io.cwd, given);
  const { folder: root } = await findApp(target).catch((error: unknown) => {
    throw error instanceof SpecError && error.code === 'SPEC_MISSING' ? usageError(error.message) : error;
  });
  const showPath = (file: string): string => pathFrom(io.cwd, path.join(root, file)) || file;
  return { app: await loadApp(root), root, showPath };
}

/** Relative, unless the absolute path is shorter. */
function pathFrom(folder: string, file: string): string {
  const relative = path.relative(folder, file);
  return relative.startsWith('..') && relative.length > file.length ? file : relative;
}
