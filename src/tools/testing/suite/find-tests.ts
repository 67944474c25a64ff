import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import { findApp } from '../../../engine/loading/find-app.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { CaseError, SpecError } from '../../../shared/errors/engine-error.js';
import { isBelow, readRegularFile, relativePath } from '../../../shared/files.js';
import { bodiesFolder, readBodyFile } from '../cases/body-files.js';
import { listRunnable } from '../cases/component-name.js';
import { type CaseReading, readCase } from '../cases/read-case.js';

/** The tests of one app, with absolute paths. */
export interface TestPlace {
  /** The folder of the app. */
  readonly root: string;
  /** Case files in order. */
  readonly caseFiles: readonly string[];
  /** Folders that names of cases are relative to. */
  readonly testFolders: readonly string[];
  /** Whether to run tests of custom functions; a list selects files. */
  readonly functionTests: boolean | readonly string[];
}

const CASE_FILE = /\.test\.jsonc?$/;
const FUNCTION_TEST = /\.test\.js$/;
/** Name of the folder of cases. */
export const TEST_FOLDER = 'tests';

/**
 * Finds tests: all tests of an app folder, or a folder or file of cases of the surrounding app or `app`.
 *
 * @throws SpecError (SPEC_MISSING) without an app; CaseError for a path that is not a test
 */
export async function findTests(paths: readonly string[], app?: string): Promise<readonly TestPlace[]> {
  const places = new Map<string, Draft>();
  for (const given of paths.length === 0 ? [app ?? '.'] : paths) {
    const found = await findOne(path.resolve(given), app);
    const place = places.get(found.root);
    places.set(found.root, place === undefined ? found : joined(place, found));
  }
  return [...places.values()].map((place) => ({
    ...place,
    caseFiles: [...new Set(place.caseFiles)].sort(),
    testFolders: [...new Set(place.testFolders)],
  }));
}

type Draft = TestPlace;

function joined(a: Draft, b: Draft): Draft {
  const both = [a.functionTests, b.functionTests];
  return {
    root: a.root,
    caseFiles: [...a.caseFiles, ...b.caseFiles],
    testFolders: [...a.testFolders, ...b.testFolders],
    functionTests: both.includes(true) ? true : both.flatMap((files) => (Array.isArray(files) ? files : [])),
  };
}

async function findOne(target: string, app: string | undefined): Promise<Draft> {
  const info = await stat(target).catch(() => undefined);
  if (info === undefined) throw new SpecError('SPEC_MISSING', `There is no file or folder "${target}".`);
  if (info.isFile()) return findFile(target, app);
  const own = app === undefined ? await rootOf(target) : undefined;
  if (own !== undefined) {
    const testFolders = await existing([
      path.join(own, TEST_FOLDER),
      path.join(target, TEST_FOLDER),
      ...(path.basename(own) === 'src' ? [path.join(path.dirname(own), TEST_FOLDER)] : []),
    ]);
    const caseFiles = (await Promise.all(testFolders.map(listCases))).flat();
    return { root: own, caseFiles, testFolders, functionTests: true };
  }
  const root = app === undefined ? await rootAbove(target) : await rootOf(path.resolve(app));
  if (root === undefined) throw noApp(app ?? target);
  const isApp = path.resolve(app ?? '.') === target;
  const caseFiles = await listCases(isApp ? path.join(target, TEST_FOLDER) : target);
  return { root, caseFiles, testFolders: foldersAbove(target, root), functionTests: isApp };
}

async function findFile(file: string, app: string | undefined): Promise<Draft> {
  const root = app === undefined ? await rootAbove(path.dirname(file)) : await rootOf(path.resolve(app));
  if (root === undefined) throw noApp(app ?? file);
  const testFolders = foldersAbove(path.dirname(file), root);
  if (CASE_FILE.test(file)) return { root, caseFiles: [file], testFolders, functionTests: false };
  if (FUNCTION_TEST.test(file)) return { root, caseFiles: [], testFolders, functionTests: [file] };
  throw new CaseError(
    `"${file}" is not a test: cases end in .test.json, tests of custom functions in .test.js.`,
  );
}

function noApp(given: string): SpecError {
  return new SpecError('SPEC_MISSING', `No app in or above "${given}". Pass one with --app.`);
}

async function rootOf(folder: string): Promise<string | undefined> {
  try {
    return (await findApp(folder)).folder;
  } catch (error) {
    if (error instanceof SpecError && error.code === 'SPEC_MISSING' && !error.message.includes(' apps in ')) {
      return undefined;
    }
    throw error;
  }
}

/** The nearest parent folder that is an app or contains one in `src`. */
async function rootAbove(start: string): Promise<string | undefined> {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const root = await rootOf(folder).catch(() => undefined);
    // Only an app that contains the tests or is beside them; further up there may be others.
    if (root !== undefined && [folder, path.join(folder, 'src')].includes(root)) return root;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** The surrounding `tests` folder, else the folder itself. */
function foldersAbove(start: string, root: string): readonly string[] {
  for (let folder = start; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (path.basename(folder) === TEST_FOLDER) return [folder];
    if (folder === root) break;
  }
  return [start];
}

async function existing(folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of new Set(folders)) {
    if ((await stat(folder).catch(() => undefined))?.isDirectory() === true) found.push(folder);
  }
  return found;
}

async function listCases(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && CASE_FILE.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${path.sep}node_modules${path.sep}`))
    .sort();
}

/**
 * The tests that changed files affect: a case itself, the cases of a component, or all tests of the app.
 *
 * @param changed absolute paths
 */
export async function findAffected(place: TestPlace, changed: readonly string[]): Promise<TestPlace> {
  const { root, caseFiles, testFolders } = place;
  const cases = new Set<string>();
  const functionTests: string[] = [];
  const ofApp: string[] = [];
  for (const file of changed) {
    const own = caseFiles.find((other) => other === file || isBelow(bodiesFolder(other), file));
    if (own !== undefined) cases.add(own);
    else if (file.endsWith('.test.js')) functionTests.push(file);
    else if (!testFolders.some((folder) => isBelow(folder, file))) ofApp.push(file);
  }
  const components = await componentsOf(root, ofApp);
  if (components === undefined) return place;
  for (const file of components.size === 0 ? [] : caseFiles) {
    const reading = await openCase(file, testFolders);
    const component = reading.ok ? reading.case.played.component : undefined;
    const name = typeof component === 'object' ? `${component.type}:${component.name}` : component;
    if (name === undefined || components.has(name)) cases.add(file);
  }
  return { ...place, caseFiles: caseFiles.filter((file) => cases.has(file)), functionTests };
}

/** The components of files; undefined if a file belongs to all, or the app does not load. */
async function componentsOf(
  root: string,
  files: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  if (files.length === 0) return found;
  const app = await loadApp(root).catch(() => undefined);
  if (app === undefined) return undefined;
  const owners = listOwners(app);
  for (const file of files) {
    const own = owners.get(relativePath(root, file));
    if (own === undefined) return undefined;
    for (const component of own) found.add(component);
  }
  return found;
}

/** Components by document file. */
function listOwners(app: App): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const { type, name } of listRunnable(app)) {
    for (const part of Object.values(app[`${type}s` as const].get(name) ?? {})) {
      const file: unknown =
        typeof part === 'object' && part !== null && 'file' in part ? part.file : undefined;
      if (typeof file === 'string') owners.set(file, [...(owners.get(file) ?? []), `${type}:${name}`]);
    }
  }
  return owners;
}

/** Maximum size of a case file. [choice] */
const MAX_CASE_BYTES = 32 * 1024 * 1024;

/** Reads a case file. Never rejects because of its content. */
export async function openCase(file: string, testFolders: readonly string[]): Promise<CaseReading> {
  const name = nameCase(file, testFolders);
  const fail = (message: string, cause?: unknown): CaseReading => ({
    ok: false,
    name,
    file,
    errors: [new CaseError(message, { place: { file, line: 1, column: 1 }, cause })],
  });
  try {
    const read = readRegularFile(file, MAX_CASE_BYTES);
    if (!read.ok) return fail(`The file ${read.problem}.`);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read.bytes);
    return await readCase(text, { file, name, readBody: (body) => readBodyFile(file, body) });
  } catch (error) {
    if (error instanceof TypeError) return fail('The file is not UTF-8 text.', error);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return fail(`The file cannot be read (${code}).`, error);
  }
}

/** `listOrders/paging` for `tests/listOrders/paging.test.json`. */
export function nameCase(file: string, testFolders: readonly string[]): string {
  const folder = testFolders.find((candidate) => isBelow(candidate, file));
  const name = folder === undefined ? path.basename(file) : relativePath(folder, file);
  return name.replace(/\.test\.jsonc?$/, '');
}
