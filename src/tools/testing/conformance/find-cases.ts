import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';
import type { Fixture } from '../fixtures/fixture.js';
import { fixtureProblems, isSoundFixture, vectorProblems } from '../fixtures/fixture-shape.js';
import { type RunFixtureOptions, runFixture } from '../fixtures/run-fixture.js';
import { runVector, type Vector } from '../fixtures/run-vector.js';

/** A case of a file, ready to run. */
export interface ConformanceCase {
  /** Unique: the ID of a vector, or folder and name of a fixture. */
  readonly id: string;
  readonly title: string;
  readonly file: string;
  /** Whether the file marks the case as disputed. */
  readonly isMarked: boolean;
  /** @returns the differences from the expectation */
  readonly run: (options?: RunFixtureOptions) => Promise<readonly string[]>;
}

/** A file in an unknown format. */
export interface UnreadableFile {
  readonly file: string;
  readonly problem: string;
}

export interface FoundCases {
  readonly cases: readonly ConformanceCase[];
  readonly unreadable: readonly UnreadableFile[];
}

/** Reads vectors, fixtures and app fixtures from files, and from all JSON files below folders. */
export async function findCases(paths: readonly string[]): Promise<FoundCases> {
  const cases: ConformanceCase[] = [];
  const unreadable: UnreadableFile[] = [];
  const read = async <T>(file: string, reader: () => Promise<readonly T[]>): Promise<readonly T[]> => {
    try {
      return await reader();
    } catch (error) {
      unreadable.push({ file, problem: error instanceof Error ? error.message : String(error) });
      return [];
    }
  };
  const files = new Set<string>();
  for (const start of paths) {
    for (const file of await read(start, () => jsonFiles(start))) files.add(path.normalize(file));
  }
  const ids = new Map<string, string>();
  for (const file of files) {
    for (const [index, found] of (await read(file, () => readCases(file))).entries()) {
      const other = ids.get(found.id);
      ids.set(found.id, other ?? file);
      cases.push(
        other === undefined
          ? found
          : brokenCase(file, index, [`another case has this ID: ${other}`], found.id),
      );
    }
  }
  return { cases, unreadable };
}

async function readCases(file: string): Promise<readonly ConformanceCase[]> {
  const cases = listCases(await readJson(file), file);
  if (cases.length === 0) throw new Error('This file contains no case.');
  return cases;
}

/** Files may start with a byte order mark. */
async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  return JSON.parse(text.replace(/^\ufeff/, ''));
}

/** Lists of cases in the same folder. */
const LISTS: ReadonlySet<string> = new Set(['known-gaps.json', 'disputed.json']);

/** @throws Error for a folder without JSON files */
async function jsonFiles(start: string): Promise<readonly string[]> {
  const info = await stat(start);
  if (!info.isDirectory()) return [start];
  const entries = await readdir(start, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json') && !LISTS.has(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new Error('This folder contains no JSON file.');
  return files;
}

/** Detects the three formats by their structure, because files can have any name. */
function listCases(content: unknown, file: string): readonly ConformanceCase[] {
  if (Array.isArray(content)) return content.map((entry, index) => vectorOrFixture(entry, file, index));
  if (isPlainObject(content) && Array.isArray(content['fixtures'])) return appCases(content, file);
  return [vectorOrFixture(content, file, 0)];
}

function vectorOrFixture(entry: unknown, file: string, index: number): ConformanceCase {
  if (isPlainObject(entry) && 'template' in entry) {
    const problems = vectorProblems(entry);
    if (!isSoundVector(entry, problems)) return brokenCase(file, index, problems, entry['id']);
    return vectorCase(entry, file);
  }
  if (!isPlainObject(entry) || !('kind' in entry)) return brokenCase(file, index, NEITHER);
  const name = typeof entry['name'] === 'string' ? entry['name'] : path.basename(file, '.json');
  const id = `${path.basename(path.dirname(path.resolve(file)))}/${name}`;
  const problems = fixtureProblems(entry);
  if (!isSoundFixture(entry, problems)) return brokenCase(file, index, problems, id);
  return fixtureCase(toFixture(entry, name), id, file, () => Promise.resolve(undefined));
}

/** Whether an entry is a valid vector. */
function isSoundVector(entry: PlainObject, problems: readonly string[]): entry is PlainObject & Vector {
  return problems.length === 0 && 'template' in entry;
}

const NEITHER: readonly string[] = ['it is neither a vector (template) nor a fixture (kind)'];

/** An invalid entry fails alone; the others run. */
function brokenCase(
  file: string,
  index: number,
  problems: readonly string[],
  name?: unknown,
): ConformanceCase {
  // A separate ID: a list that excuses the case does not excuse an invalid file.
  const id = `${path.basename(file, '.json')}/entry-${index + 1}`;
  const title = `${typeof name === 'string' ? name : 'an entry'} is not a valid case`;
  const run = () => Promise.resolve(problems.map((problem) => `${problem}.`));
  return { id, title, file, isMarked: false, run };
}

/** Defaults: `name` from the file, no input. */
function toFixture(entry: PlainObject & Partial<Fixture>, name: string): Fixture {
  return { input: {}, ...entry, name } as Fixture;
}

function vectorCase(vector: Vector, file: string): ConformanceCase {
  const { id, template } = vector;
  return {
    id,
    title: JSON.stringify(template),
    file,
    isMarked: isMarked(vector),
    run: async () => runVector(vector),
  };
}

/** Whether the file marks the case as disputed. */
function isMarked(entry: Pick<Vector, 'disputed' | 'certainty'>): boolean {
  return entry.disputed !== undefined || entry.certainty === 'disputed';
}

/** App files refer to their app by a path from the folder of `corpus/` and `conformance/`. */
function appCases(content: Record<string, unknown>, file: string): readonly ConformanceCase[] {
  const { app, formatVersion = 1 } = content;
  if (formatVersion !== 1) throw new TypeError(`formatVersion must be 1; got ${String(formatVersion)}.`);
  const reference = isPlainObject(app) ? app['corpus'] : undefined;
  if (typeof reference !== 'string') throw new TypeError('app.corpus has to name the folder of the app.');
  let loading: Promise<App> | undefined;
  const load = (): Promise<App> => {
    loading ??= findAbove(path.dirname(path.resolve(file)), reference).then(loadApp);
    return loading;
  };
  const folder = `apps/${path.basename(file, '.json')}`;
  return (content['fixtures'] as readonly unknown[]).map((entry, index) => {
    if (!isPlainObject(entry)) return brokenCase(file, index, ['it is not a fixture']);
    const name = typeof entry['name'] === 'string' ? entry['name'] : String(index + 1);
    const problems = [...fixtureProblems(entry), ...appRunProblems(entry)];
    if (problems.length > 0) return brokenCase(file, index, problems, `${folder}/${name}`);
    return fixtureCase(toFixture(entry, name), `${folder}/${name}`, file, load);
  });
}

/** Additional rules for runs of real apps. Source: conformance/apps/README.md. */
function appRunProblems(entry: PlainObject): readonly string[] {
  const problems: string[] = [];
  if ('app' in entry) problems.push('the app stands once, at the top of the file');
  if (!('component' in entry)) problems.push('component has to say which part of the app is run');
  return problems;
}

function fixtureCase(
  fixture: Fixture,
  id: string,
  file: string,
  load: () => Promise<App | undefined>,
): ConformanceCase {
  return {
    id,
    title: fixture.title ?? fixture.name,
    file,
    isMarked: isMarked(fixture),
    run: async (options) => runFixture(fixture, await load(), options),
  };
}

/** The nearest parent folder that contains `reference`. */
async function findAbove(start: string, reference: string): Promise<string> {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, reference);
    const found = await stat(candidate).then(
      () => true,
      () => false,
    );
    if (found) return candidate;
    if (folder === path.dirname(folder))
      throw new Error(`The app ${reference} is not in any folder above ${start}.`);
  }
}
