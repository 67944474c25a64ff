import {
  ANY_TEXT,
  checkOptions,
  checkValue,
  type OptionShapes,
  objectWithFunctions,
  TEXT_LIST,
} from '../../shared/errors/check-options.js';
import type { App } from '../document/app.js';
import type { LoadOptions } from './app-folder.js';

const SHAPES: OptionShapes<LoadOptions> = {
  include: TEXT_LIST,
  overlay: objectWithFunctions(['get', 'entries']),
};

/**
 * Loads a custom app as it lies on disk: with a `makecomapp.json` as the editor clones it, in the style of an export, or
 * flat in one folder (`module.NAME.api.imljson`), with a warning.
 *
 * Defects that need not stop a run become `warnings` of the app, each with its file and, where there is one, its line
 * and column: unknown keys, wrong types, templates that do not parse, names of components that do not exist,
 * optional files that are missing, components and files the manifest does not name.
 *
 * @param folder The app's folder, its repository, or its manifest. Where several apps lie below, the error names them.
 * @param options Folders outside of it that may be read, too. Default: none.
 * @throws SpecError SPEC_MISSING (no app, or a file the app cannot run without), SPEC_JSON (with line and column),
 * SPEC_INVALID (a manifest that is no object, an object of too many names), SPEC_READ (a file outside the app, unreadable or too large).
 *
 * @example
 * const app = await loadApp('./my-app');
 * for (const { message, place } of app.warnings) console.warn(place.file, place.line, message);
 */
export async function loadApp(folder: string, options: LoadOptions = {}): Promise<App> {
  checkValue(folder, ANY_TEXT, 'The folder of loadApp');
  checkOptions(options, SHAPES, 'The options of loadApp');
  // Loaded lazily: `defineApp` needs no file access.
  const { readApp } = await import('./read-app.js');
  return readApp(folder, options);
}
