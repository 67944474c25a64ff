import path from 'node:path';
import type { App } from '../../document/app.js';
import type { Warning } from '../../document/reading/document.js';
import { collectWarnings, limitWarnings } from '../../document/reading/warn.js';
import { assembleApp } from '../assembling/assemble-app.js';
import { type LoadOptions, openAppFolder } from './app-folder.js';
import { completeManifest } from './complete-manifest.js';
import { findApp } from './find-app.js';
import { readExported } from './read-exported.js';
import { readFlat } from './read-flat.js';
import { readManifest } from './read-manifest.js';
import { warnUndeclaredFiles } from './undeclared-files.js';

/**
 * Loads a custom app as it lies on disk: with a `makecomapp.json` as the editor clones it, in the style of an export, or
 * flat in one folder (`module.NAME.api.imljson`), which is told of.
 *
 * Defects that need not stop a run become `warnings` of the app, each with its file and, where there is one, its line
 * and column: unknown keys, wrong types, templates that do not parse, names of components that do not exist,
 * optional files that are missing, components and files the manifest does not name.
 *
 * @param folder The app's folder, its repository, or its manifest. Where several apps lie below, the error names them.
 * @param options Folders outside of it that may be read, too. Default: none.
 * @throws SpecError SPEC_MISSING (no app, or a file the app cannot run without), SPEC_JSON (with line and column),
 * SPEC_INVALID (a manifest that is no object), SPEC_READ (a file outside the app, unreadable or too large).
 *
 * @example
 * const app = await loadApp('./my-app');
 * for (const { message, place } of app.warnings) console.warn(place.file, place.line, message);
 */
export async function loadApp(folder: string, options: LoadOptions = {}): Promise<App> {
  const location = await findApp(folder);
  const opened = openAppFolder(location.folder, options);
  const name = deriveName(opened.root);
  if (location.layout !== 'manifest') {
    const read = location.layout === 'flat' ? readFlat : readExported;
    return assembleApp({ ...(await read(opened, name)), identity: opened.root });
  }

  const parts = await completeManifest(opened, await readManifest(opened, name));
  const undeclared: Warning[] = [];
  await warnUndeclaredFiles(opened.root, parts.declared, limitWarnings(collectWarnings(undeclared)));
  const app = assembleApp({ ...parts, identity: opened.root });
  return { ...app, warnings: [...app.warnings, ...undeclared] };
}

/** An app in `my-app/src` is called after `my-app`. */
function deriveName(root: string): string {
  const name = path.basename(root);
  return name === 'src' ? path.basename(path.dirname(root)) : name;
}
