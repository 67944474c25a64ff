import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { SpecError } from '../../shared/errors/engine-error.js';
import { kindFolders, listFiles, SPEC_FILE } from './app-folder.js';
import { COMPONENT_KINDS } from './code-types.js';
import { findFlatFiles, isFlat } from './read-component-files.js';
import { MANIFEST } from './read-manifest.js';
import { explainMissing, explainZip, findSingleFiles } from './refused-layouts.js';

export interface AppLocation {
  /** Folder that paths of the app are relative to. */
  readonly folder: string;
  readonly layout: 'manifest' | 'exported' | 'flat';
}

/**
 * Finds the app that a path means: the folder itself or its `src/`, with a manifest, in the exported style or flat;
 * else the one manifest somewhere below, else the one exported or flat app. The path of the manifest itself will do too.
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
  if (kind !== 'folder') {
    throw new SpecError('SPEC_MISSING', explainZip(given, kind) ?? `There is no folder "${given}".`);
  }

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

/** Below the folder: the apps with a manifest, or without any the exported and flat ones. */
async function findBelow(start: string, given: string): Promise<AppLocation> {
  const files = listFiles(start)
    .filter(({ isFolder }) => !isFolder)
    .map((entry) => entry.path);
  const manifests = files.filter((file) => path.posix.basename(file) === MANIFEST);
  const exported = findExportedFolders(files).map((folder) => ({ folder, layout: 'exported' as const }));
  const flat = findFlatFolders(files).map((folder) => ({ folder, layout: 'flat' as const }));
  const found: readonly AppLocation[] =
    manifests.length > 0
      ? manifests.map((file) => ({ folder: path.dirname(file), layout: 'manifest' }))
      : [...exported, ...flat.filter(({ folder }) => exported.every((one) => one.folder !== folder))];
  const [first, second] = found;
  if (first === undefined) throw new SpecError('SPEC_MISSING', explainMissing(start, given, files));
  if (second !== undefined) {
    const named = found.map(({ folder }) => `  ${path.join(given, folder)}`);
    throw new SpecError(
      'SPEC_MISSING',
      `There are ${found.length} apps in "${given}". Name one:\n${named.join('\n')}`,
    );
  }
  return { folder: path.join(start, first.folder), layout: first.layout };
}

/** Folders of exported apps below the start, such as the one that an unpacked export holds. */
function findExportedFolders(files: readonly string[]): readonly string[] {
  const folders = files.flatMap((file) => {
    const steps = file.split('/');
    const own = [2, 3].find((count) => count < steps.length && isExportedFile(steps.slice(-count).join('/')));
    return own === undefined ? [] : [steps.slice(0, -own).join('/')];
  });
  return [...new Set(folders)];
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
 * A spec file in a folder of a component kind, inside a component folder, identifies an exported app, and so does the
 * communication of a component in the folder of its kind. [inf] A spec file directly in the folder of a kind without
 * a section in its name identifies an app, too, which is then refused with the reason.
 */
async function isExported(folder: string): Promise<boolean> {
  const kinds = new Set(COMPONENT_KINDS.flatMap(kindFolders));
  const entries = listFiles(folder, (_names, relative) => {
    const [kind] = relative.split('/');
    return relative === '' || (kind !== undefined && kinds.has(kind) && relative.split('/').length <= 2);
  });
  const files = entries.filter((entry) => !entry.isFolder).map((entry) => entry.path);
  return files.some(isExportedFile) || findSingleFiles(files).length > 0;
}

/** Whether a path relative to a folder makes it an exported app: `module/getUser/api.json`. Other plain JSON says nothing. [app] */
function isExportedFile(file: string): boolean {
  const [kind = '', , name] = file.split('/');
  if (!COMPONENT_KINDS.some((one) => kindFolders(one).includes(kind))) return false;
  if (name === undefined) return findFlatFiles([file]).some((flat) => flat.name === 'communication');
  return (
    SPEC_FILE.test(name) ||
    /^(?:.*\.)?(?:api|communication|api-oauth|oauth-communication)\.jsonc?$/.test(name)
  );
}
