import type { App } from '../../document/app.js';
import type { Warning } from '../../document/reading/document.js';
import { collectWarnings, limitWarnings } from '../../document/reading/warn.js';
import { assembleApp } from '../assembling/assemble-app.js';
import { type LoadOptions, openAppFolder } from './app-folder.js';
import { deriveAppName } from './app-name.js';
import { completeManifest } from './complete-manifest.js';
import { findApp } from './find-app.js';
import { readExported } from './read-exported.js';
import { readFlat } from './read-flat.js';
import { readManifest } from './read-manifest.js';
import { warnUndeclaredFiles } from './undeclared-files.js';

/** See `loadApp`. */
export async function readApp(folder: string, options: LoadOptions): Promise<App> {
  const location = await findApp(folder);
  const opened = openAppFolder(location.folder, options);
  const name = deriveAppName(opened.root);
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
