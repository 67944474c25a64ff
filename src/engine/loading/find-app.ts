import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { SpecError } from '../../shared/errors/engine-error.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { readDocument } from '../document/jsonc.js';
import { type AppFolder, kindFolders, listFiles, SPEC_FILE } from './app-folder.js';
import { CODE_TYPES, COMPONENT_KINDS, type ComponentKind } from './code-types.js';
import { isFlat } from './read-component-files.js';
import { MANIFEST } from './read-manifest.js';

export interface AppLocation {
  /** Folder that paths of the app are relative to. */
  readonly folder: string;
  readonly layout: 'manifest' | 'exported' | 'flat';
}

/**
 * Finds the app that a path means: the folder itself or its `src/`, with a manifest, in the exported style or flat;
 * else the one manifest somewhere below, else the one flat app. The path of the manifest itself will do too.
 * Source: published apps. [app]
 *
 * @throws SpecError SPEC_MISSING if there is no app, or more than one, whose paths it then names; SPEC_READ.
 */
export async function findApp(given: string): Promise<AppLocation> {
  const start = path.resolve(given);
  const kind = await findKind(start, given);
  if (kind === 'file' && path.basename(start) === MANIFEST) {
    return { folder: path.dirname(start), layout: 'manifest' };
  }
  if (kind !== 'folder') throw new SpecError('SPEC_MISSING', `There is no folder "${given}".`);

  return (await findHere(start, given)) ?? findBelow(start, given);
}

/**
 * The app of a folder as `findApp` finds it, else the app in the nearest folder above it, or in its `src/`, up to the root
 * of the repository. Undefined without one.
 *
 * @throws SpecError SPEC_READ
 */
export async function findNearestApp(start: string): Promise<AppLocation | undefined> {
  const given = path.resolve(start);
  try {
    return await findApp(given);
  } catch (error) {
    if (!(error instanceof SpecError) || error.code !== 'SPEC_MISSING') throw error;
  }
  let folder = given;
  while (
    folder !== path.dirname(folder) &&
    (await findKind(path.join(folder, '.git'), given)) === undefined
  ) {
    folder = path.dirname(folder);
    const found = await findHere(folder, folder);
    if (found !== undefined) return found;
    const names = await readdir(folder).catch(() => []);
    if (isFlat(names)) return { folder, layout: 'flat' };
  }
  return undefined;
}

/** An app with a manifest or in the exported style, in the folder or its `src/`. */
async function findHere(start: string, given: string): Promise<AppLocation | undefined> {
  const candidates = [start, path.join(start, 'src')];
  for (const folder of candidates) {
    if ((await findKind(path.join(folder, MANIFEST), given)) === 'file')
      return { folder, layout: 'manifest' };
  }
  for (const folder of candidates) {
    if (await isExported(folder)) return { folder, layout: 'exported' };
  }
  return undefined;
}

async function findBelow(start: string, given: string): Promise<AppLocation> {
  const files = listFiles(start)
    .filter(({ isFolder }) => !isFolder)
    .map((entry) => entry.path);
  const manifests = files.filter((file) => path.posix.basename(file) === MANIFEST);
  const layout = manifests.length > 0 ? 'manifest' : 'flat';
  const folders =
    layout === 'manifest' ? manifests.map((file) => path.dirname(file)) : findFlatFolders(files);
  const [first, second] = folders;
  if (first === undefined) {
    const hint = `Expected ${MANIFEST}, or the folders of an exported app: module/NAME/api.imljson.`;
    throw new SpecError('SPEC_MISSING', `There is no app in "${given}". ${hint}`);
  }
  if (second !== undefined) {
    const named = folders.map((folder) => `  ${path.join(given, folder)}`);
    throw new SpecError(
      'SPEC_MISSING',
      `There are ${folders.length} apps in "${given}". Name one:\n${named.join('\n')}`,
    );
  }
  return { folder: path.join(start, first), layout };
}

/** Folders with the flat layout, nearest first. */
function findFlatFolders(files: readonly string[]): readonly string[] {
  const byFolder = new Map<string, string[]>();
  for (const file of files) {
    const folder = path.posix.dirname(file);
    const names = byFolder.get(folder);
    if (names === undefined) byFolder.set(folder, [path.posix.basename(file)]);
    else names.push(path.posix.basename(file));
  }
  const flat = [...byFolder].filter(([, names]) => isFlat(names)).map(([folder]) => folder);
  return flat.includes('.') ? ['.'] : flat;
}

async function findKind(target: string, given: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const stats = await stat(target);
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'other';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A path with a NUL byte does not exist.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ERR_INVALID_ARG_VALUE') return undefined;
    throw new SpecError('SPEC_READ', `"${given}" cannot be read (${code ?? 'unknown error'}).`, {
      cause: error,
    });
  }
}

/**
 * A spec file in a folder of a component kind, inside a component folder, identifies an exported app. [inf] A spec
 * file directly in the folder of a kind identifies an app, too, which is then refused with the reason.
 */
async function isExported(folder: string): Promise<boolean> {
  const kinds = new Set(COMPONENT_KINDS.flatMap(kindFolders));
  const entries = listFiles(folder, (_names, relative) => {
    const [kind] = relative.split('/');
    return relative === '' || (kind !== undefined && kinds.has(kind) && relative.split('/').length <= 2);
  });
  const files = entries.filter((entry) => !entry.isFolder).map((entry) => entry.path);
  const isSpec = (file: string): boolean =>
    file.split('/').length === 3 && (SPEC_FILE.test(file) || isCommunication(file));
  return files.some(isSpec) || findSingleFiles(files).length > 0;
}

/** `module/getUser/api.json`, as exports of one tool are named. Other plain JSON says nothing. [app] */
function isCommunication(file: string): boolean {
  return /(?:^|[/.])(?:api|communication|api-oauth|oauth-communication)\.jsonc?$/.test(file);
}

/** Specification files directly in the folder of a kind, such as `modules/createContact.imljson`. */
export function findSingleFiles(
  files: Iterable<string>,
): readonly { readonly kind: ComponentKind; readonly file: string }[] {
  return [...files].flatMap((file) => {
    const [folder = '', name = '', ...deeper] = file.split('/');
    const kind = COMPONENT_KINDS.find((one) => kindFolders(one).includes(folder));
    const isSpec = SPEC_FILE.test(name) && !/^(?:groups|base|common)\./.test(name);
    if (kind === undefined || deeper.length > 0 || isPartOfKind(kind, name)) return [];
    return isSpec ? [{ kind, file }] : [];
  });
}

/** Whether the folder of a kind is that of its only component: `connection/api.imljson`. */
function isPartOfKind(kind: ComponentKind, name: string): boolean {
  if (kind !== 'connection' && kind !== 'webhook') return false;
  const stem = name.replace(SPEC_FILE, '').replace(`${kind}.`, '');
  return Object.values(CODE_TYPES[kind]).some(({ part, section }) => stem === part || stem === section);
}

/**
 * Refuses an app with one file per component. Neither the editor nor Make has such a layout, so the meaning of its
 * members is unknown.
 *
 * @throws SpecError SPEC_INVALID with the found and the expected layout
 */
export async function refuseSingleFiles(folder: AppFolder, files: Iterable<string>): Promise<void> {
  const single = findSingleFiles(files);
  const [first] = single;
  if (first === undefined) return;
  const { kind, file } = first;
  const own = `${path.posix.dirname(file)}/${path.posix.basename(file).replace(SPEC_FILE, '')}`;
  const more = single.length === 1 ? '' : ` (and ${single.length - 1} more like it)`;
  const message = [
    `The ${kind} in "${file}"${more} is written in one file${await listMembers(folder, file)}.`,
    'Expected is a folder for each component, with a file for each of its parts:',
    `  ${own}/metadata.json     its metadata: {"label": "...", "type": "..."}`,
    `  ${own}/api.imljson       its communication: the request, or a list of them`,
    `  ${own}/${kind === 'module' ? 'expect.imljson   ' : 'parameters.imljson'} its parameters: a list of fields`,
    'or a makecomapp.json that names such files.',
  ].join('\n');
  throw new SpecError('SPEC_INVALID', message, { place: { file, line: 1, column: 1 } });
}

async function listMembers(folder: AppFolder, file: string): Promise<string> {
  try {
    const text = await folder.read(file, () => ({ file }));
    const { value } = readDocument(text ?? '', file, () => {});
    const names = isPlainObject(value) ? Object.keys(value).slice(0, 8) : [];
    return names.length === 0 ? '' : `, with ${names.join(', ')}`;
  } catch (error) {
    if (error instanceof SpecError) return '';
    throw error;
  }
}
