import path from 'node:path';
import { SEMANTICS, type Semantics } from '../../language/environment.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { isPlainObject } from '../../shared/plain-object.js';
import type { App } from '../document/app.js';
import {
  collectWarnings,
  type Document,
  limitWarnings,
  type Warn,
  type Warning,
} from '../document/document.js';
import { readDocument } from '../document/jsonc.js';
import { type AppFolder, type LoadOptions, listFiles, openAppFolder, SPEC_FILE } from './app-folder.js';
import { assembleApp } from './assemble-app.js';
import type { ComponentPart } from './code-types.js';
import { findApp } from './find-app.js';
import { type CodeFile, type CodeReader, createCodeReader, readFlat } from './read-component-files.js';
import {
  type FoundComponent,
  findLyingFiles,
  linkComponents,
  readExported,
  readFound,
} from './read-exported.js';
import { MANIFEST, type ManifestParts, readManifest } from './read-manifest.js';
import { findSingleFiles, refuseSingleFiles } from './refused-layouts.js';

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

/** Name of an app by its absolute folder: `my-app` for `my-app/src`. */
function deriveAppName(root: string): string {
  const name = path.basename(root);
  return name === 'src' ? path.basename(path.dirname(root)) : name;
}

/**
 * Adds components in the app's folder that its manifest does not list, each with a warning (`undeclared-component`):
 * manifests in repositories are empty, contain lists, or are older than the folders. A null in a manifest is a
 * record: the part is omitted on purpose.
 *
 * @throws SpecError SPEC_INVALID if the folder has only single-file components
 */
async function completeManifest(folder: AppFolder, parts: ManifestParts): Promise<ManifestParts> {
  const lying = await findLyingFiles(folder);
  const single = findSingleFiles(lying.files).filter(({ file }) => !parts.declared.has(file));
  if (parts.components.length === 0 && lying.components.length === 0) {
    await refuseSingleFiles(
      folder,
      single.map(({ file }) => file),
    );
  }
  const warn = limitWarnings(collectWarnings(parts.warnings));
  const reader = createCodeReader(folder, warn);
  const declared = new Set(parts.declared);
  const isDeclared = ({ file }: CodeFile): boolean => parts.declared.has(file);

  const general = lying.general.filter((code) => code.name !== 'readme' && !parts.named.has(code.name));
  const documents = new Map<string, Document>();
  for (const code of general) {
    const read = await reader
      .read('the app', [code])
      .catch((error) => tellBroken(error, code.name, code, warn));
    const document = read?.documents.get(code.name);
    if (document === undefined) continue;
    documents.set(code.name, document);
    declared.add(code.file);
    warn(
      'undeclared-component',
      `${MANIFEST} does not name the ${code.name}; it is read from here.`,
      code.locationOf,
    );
  }
  const components: ComponentPart[] = [];
  for (const found of lying.components) {
    const name = deriveName(found);
    if (found.files.length === 0 || found.files.some(isDeclared) || parts.named.has(`${found.kind} ${name}`))
      continue;
    const part = await readUndeclared(folder, reader, found, warn);
    if (part === undefined) continue;
    components.push({ ...part, name });
    for (const { file } of found.files) declared.add(file);
    if (found.metadata !== undefined) declared.add(found.metadata);
  }
  const linked = linkComponents([...parts.components, ...components]);
  return {
    ...parts,
    base: parts.base ?? documents.get('base'),
    common: parts.common ?? documents.get('common'),
    groups: parts.groups ?? documents.get('groups'),
    components: [...parts.components, ...linked.slice(parts.components.length)],
    declared,
  };
}

async function readUndeclared(
  folder: AppFolder,
  reader: CodeReader,
  found: FoundComponent,
  warn: Warn,
): Promise<ComponentPart | undefined> {
  const [first] = found.files;
  if (first === undefined) return undefined;
  try {
    // A cloned folder has no metadata: warns about guesses.
    const part = await readFound(folder, reader, found, (code, message, place) => {
      if (code !== 'missing-file') warn(code, message, place);
    });
    const message = `${MANIFEST} has no record of the ${found.kind} "${deriveName(found)}"; it is loaded from ${found.folder}, its type and connection as far as they show.`;
    warn('undeclared-component', message, first.locationOf);
    return part;
  } catch (error) {
    return tellBroken(error, `${found.kind} "${deriveName(found)}"`, first, warn);
  }
}

/** An undeclared component does not prevent loading. */
function tellBroken(error: unknown, what: string, { locationOf }: CodeFile, warn: Warn): undefined {
  if (!(error instanceof SpecError)) throw error;
  const message = `${MANIFEST} has no record of the ${what}, and it cannot be read: ${error.message}`;
  warn('undeclared-component', message, () => error.place ?? locationOf());
  return undefined;
}

/** Ids of modules, RPCs and functions have no dashes; a clone writes their folders with some: `get-thing` is `getThing`. [src] */
function deriveName({ kind, folder }: FoundComponent): string {
  const name = path.posix.basename(folder);
  const hasDashes = kind === 'connection' || kind === 'webhook';
  return hasDashes ? name : name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const CODE_FILE = /\.(?:jsonc?|js)$/;

/**
 * Tells of files that look like parts of the app and that its manifest does not name (`undeclared-file`):
 * they are not deployed, and here they are not read. Those are spec files anywhere below the manifest,
 * and JSON or JavaScript in a folder that holds a named file. Folders of other apps are left out.
 */
async function warnUndeclaredFiles(root: string, declared: ReadonlySet<string>, warn: Warn): Promise<void> {
  const named = new Set([...declared].map((file) => path.posix.normalize(file.replaceAll('\\', '/'))));
  const folders = new Set([...named].map((file) => path.posix.dirname(file)));
  folders.delete('.');
  const entries = listFiles(root, (names, folder) => folder === '' || !names.includes(MANIFEST));
  for (const entry of entries) {
    if (entry.isFolder || named.has(entry.path)) continue;
    const looksDeclared = CODE_FILE.test(entry.path) && folders.has(path.posix.dirname(entry.path));
    if (!looksDeclared && !SPEC_FILE.test(entry.path)) continue;
    warn('undeclared-file', `${MANIFEST} does not name this file, so it is not part of the app.`, () => ({
      file: entry.path,
    }));
  }
}
