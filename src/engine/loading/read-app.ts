import { SEMANTICS, type Semantics } from '../../language/environment/environment.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { assembleApp } from '../assembling/assemble-app.js';
import type { App } from '../document/app.js';
import { collectWarnings, limitWarnings, type Warning } from '../document/document.js';
import { readDocument } from '../document/jsonc.js';
import { type AppFolder, type LoadOptions, openAppFolder } from './app-folder.js';
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
  const semantics = await readSemantics(opened);
  if (location.layout !== 'manifest') {
    const read = location.layout === 'flat' ? readFlat : readExported;
    return { ...assembleApp({ ...(await read(opened, name)), identity: opened.root }), semantics };
  }

  const parts = await completeManifest(opened, await readManifest(opened, name));
  const undeclared: Warning[] = [];
  await warnUndeclaredFiles(opened.root, parts.declared, limitWarnings(collectWarnings(undeclared)));
  const app = assembleApp({ ...parts, identity: opened.root });
  return { ...app, semantics, warnings: [...app.warnings, ...undeclared] };
}

/** Setting `semantics` beside the manifest. `iml check` reports other problems of the file. */
async function readSemantics(folder: AppFolder): Promise<Semantics | undefined> {
  const text = await folder.read(CONFIG_FILE, () => ({ file: CONFIG_FILE }));
  if (text === undefined) return undefined;
  const { value, locationOf } = readDocument(text, CONFIG_FILE);
  const setting = isPlainObject(value) ? value['semantics'] : undefined;
  const semantics = SEMANTICS.find((known) => known === setting);
  if (semantics !== undefined || setting === undefined) return semantics;
  const message = `semantics in ${CONFIG_FILE} is ${SEMANTICS.join(' or ')}.`;
  throw new SpecError('SPEC_INVALID', message, { place: locationOf('/semantics') });
}

const CONFIG_FILE = 'iml.config.json';
