import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { loadApp } from '../../app/load-app.js';
import type { App } from '../../spec/app.js';
import { isPlainObject } from '../../util/plain-object.js';
import type { Fixture } from '../fixture.js';
import { runFixture } from '../run-fixture.js';
import { runVector, type Vector } from '../run-vector.js';

/** One case found in a file, ready to run. */
export interface ConformanceCase {
  /** Unique among all cases: a vector's id, or folder and name of a fixture. */
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly disputed: boolean;
  /** @returns what differs from the expectation */
  readonly run: () => Promise<readonly string[]>;
}

/** A file that is none of the known forms. */
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
  for (const start of paths) {
    for (const file of await read(start, () => jsonFiles(start)))
      cases.push(...(await read(file, async () => casesOf(await readJson(file), file))));
  }
  return { cases, unreadable };
}

/** Foreign files may begin with a byte order mark. */
async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  return JSON.parse(text.replace(/^\ufeff/, ''));
}

async function jsonFiles(start: string): Promise<readonly string[]> {
  const info = await stat(start);
  if (!info.isDirectory()) return [start];
  const entries = await readdir(start, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json') && entry.name !== 'known-gaps.json')
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** The three forms of the conformance folder; told apart by shape, as a foreign file may be named anyhow. */
function casesOf(content: unknown, file: string): readonly ConformanceCase[] {
  if (Array.isArray(content)) return content.map((entry, index) => vectorOrFixture(entry, file, index));
  if (isPlainObject(content) && Array.isArray(content['fixtures'])) return appCases(content, file);
  return [vectorOrFixture(content, file, 0)];
}

function vectorOrFixture(entry: unknown, file: string, index: number): ConformanceCase {
  if (isPlainObject(entry) && 'template' in entry) return vectorCase(entry as unknown as Vector, file);
  if (isFixture(entry)) {
    const fixture = fixtureOf(entry, path.basename(file, '.json'));
    const id = `${path.basename(path.dirname(path.resolve(file)))}/${fixture.name}`;
    return fixtureCase(fixture, id, file, () => Promise.resolve(undefined));
  }
  return brokenCase(file, index, 'is neither a vector (template) nor a fixture (kind, expect)');
}

function isFixture(entry: unknown): entry is Readonly<Record<string, unknown>> {
  return isPlainObject(entry) && 'kind' in entry && isPlainObject(entry['expect']);
}

/** One entry that cannot be run fails alone: those beside it do run. */
function brokenCase(file: string, index: number, problem: string): ConformanceCase {
  const id = `${path.basename(file, '.json')}/${index + 1}`;
  const run = () => Promise.resolve([`Entry ${index + 1} ${problem}.`]);
  return { id, title: 'not readable', file, disputed: false, run };
}

/** A fixture without a name goes by `name`, one without input is given nothing. */
function fixtureOf(entry: Readonly<Record<string, unknown>>, name: string): Fixture {
  return { name, input: {}, ...entry } as unknown as Fixture;
}

function vectorCase(vector: Vector, file: string): ConformanceCase {
  const title = JSON.stringify(vector.template);
  const disputed = vector.disputed !== undefined || vector.certainty === 'disputed';
  return { id: vector.id, title, file, disputed, run: async () => runVector(vector) };
}

/** An app file names its app by a path from the folder that holds `corpus/` and `conformance/`. */
function appCases(content: Record<string, unknown>, file: string): readonly ConformanceCase[] {
  const reference = isPlainObject(content['app']) ? content['app']['corpus'] : undefined;
  if (typeof reference !== 'string') throw new TypeError('app.corpus has to name the folder of the app.');
  let loading: Promise<App> | undefined;
  const load = (): Promise<App> => {
    loading ??= findAbove(path.dirname(path.resolve(file)), reference).then(loadApp);
    return loading;
  };
  const name = path.basename(file, '.json');
  return (content['fixtures'] as readonly unknown[]).map((entry, index) => {
    if (!isFixture(entry)) return brokenCase(file, index, 'is no fixture (kind, expect)');
    const fixture = fixtureOf(entry, String(index + 1));
    return fixtureCase(fixture, `apps/${name}/${fixture.name}`, file, load);
  });
}

function fixtureCase(
  fixture: Fixture,
  id: string,
  file: string,
  load: () => Promise<App | undefined>,
): ConformanceCase {
  const title = fixture.title ?? fixture.name;
  return { id, title, file, disputed: false, run: async () => runFixture(fixture, await load()) };
}

/** The nearest folder upward that holds `reference`; a foreign file may lie at another depth than ours. */
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
