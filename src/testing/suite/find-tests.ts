import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { findApp } from '../../app/loading/find-app.js';
import { CaseError, SpecError } from '../../errors/engine-error.js';

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
    `"${file}" is no test: those end in .test.json, tests of custom functions in .test.js.`,
  );
}

function noApp(given: string): SpecError {
  return new SpecError('SPEC_MISSING', `There is no app in or above "${given}". Name one with --app.`);
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
