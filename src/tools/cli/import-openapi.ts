import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import { MAX_FILE_BYTES, openAppFolder } from '../../engine/loading/app-folder.js';
import { loadApp } from '../../engine/loading/load-app.js';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { createFolderWriter, isBelow, readErrno, readRegularFile, relativePath } from '../../shared/files.js';
import { AUTHENTICATIONS } from '../life/connection-templates.js';
import {
  type Manifest,
  type NewAppFile,
  newManifest,
  readManifestText,
  recordsOf,
} from '../life/new-files.js';
import { type ImportedApp, importOpenApi, readServer } from '../life/openapi/import-openapi.js';
import {
  type ImportPlan,
  ImportPlanner,
  type ImportState,
  listDeleted,
  planImport,
  printState,
  readState,
  STATE_FILE,
} from '../life/openapi/import-state.js';
import { tagsOf } from '../life/openapi/operations.js';
import { type ReadBeside, readOpenApi } from '../life/openapi/read-openapi.js';
import { printReport, REPORT_FILE } from '../life/openapi/report.js';
import { listRunnable } from '../testing/cases/component-name.js';
import { makeSkeleton } from '../testing/cases/make-skeleton.js';
import { TEST_FOLDER } from '../testing/suite/find-tests.js';
import { type Arguments, EXIT, usageError } from './command.js';
import type { Io } from './io.js';
import { findOutputRoot, refuseWrite } from './output/output-file.js';
import { printableLine } from './output/terminal-text.js';
import { findCaseSchema } from './recording/write-case-files.js';
import { listTested } from './tests/first-tests.js';

/** The app to create or update, and its document. */
export interface OpenApiTarget {
  /** Absolute folder of the app, which may not exist. */
  readonly root: string;
  /** The folder as the user named it. */
  readonly given: string;
  /** The document, as the user named it. */
  readonly file: string;
  /** Reads `--base-url`, or prompts for it. */
  readonly readBaseUrl: (text: string | undefined) => Promise<string>;
}

/** Larger documents are refused. The largest public ones have 12 MB. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Options that the next import has too, unless it names others. */
const KEPT_OPTIONS = ['label', 'base-url', 'auth', 'account-path', 'extension'] as const;

/**
 * Creates an app of an OpenAPI document, or updates one that was created so.
 *
 * @throws EngineError (USAGE) before anything is written; SpecError for an unreadable document
 */
export async function importApp(args: Arguments, target: OpenApiTarget, io: Io): Promise<number> {
  const { root, given, file } = target;
  const before = await openExisting(root, given);
  const source = path.resolve(io.cwd, file);
  const document = readOpenApi(readText(source, file), file, createReader(path.dirname(source)));
  const options = collectOptions(args, before?.state);
  const imported = importOpenApi(document, {
    label: options['label'],
    baseUrl: await target.readBaseUrl(options['base-url'] ?? readServer(document)),
    authentication: AUTHENTICATIONS.find((one) => one === options['auth']),
    accountPath: options['account-path'],
    tags: options['tag']?.split('\n') ?? [],
    knownNames: new Map(Object.entries(before?.state.operations ?? {})),
    deleted: before === undefined ? new Set() : listDeleted(before.manifest, before.state),
    otherNames: before === undefined ? [] : [...recordsOf(before.manifest, 'module').keys()],
  });
  assertModules(imported);
  await warnLarge(imported, io);
  const read = before === undefined && !existsSync(root) ? async () => undefined : readFrom(root);
  const planner = new ImportPlanner(before?.state.digests ?? {}, read);
  const manifest =
    before?.manifest ?? newManifest(options['extension'] ?? '.iml.json', 'general/common.json');
  const plan = await planImport(imported, manifest, planner);
  if (before === undefined) assertNothingKept(plan, given);
  assertFits(plan, imported);
  const removed = listRemoved(before?.state, imported);
  const write = createWrite(root, io);
  const tests = await writeImport({ imported, plan, planner, options, before, root, write });
  await write(REPORT_FILE, printReport(imported, before && { ...plan, removed }));
  await printSummary(imported, { given, plan, tests, removed, isUpdate: before !== undefined }, io);
  return EXIT.ok;
}

/**
 * Reads files that the document names, inside of its folder only.
 *
 * @returns the text, or why a reference cannot be resolved
 */
function createReader(folder: string): ReadBeside {
  let left = MAX_BYTES;
  const root = realpathSync(folder);
  const isHidden = (file: string): boolean =>
    relativePath(root, file)
      .split('/')
      .some((step) => step.startsWith('.') || step === 'node_modules');
  return (file) => {
    const target = path.resolve(root, file);
    const outside = { problem: 'is outside of the folder of the document, or hidden' };
    if (file.includes('\0') || !isBelow(root, target) || isHidden(target)) return outside;
    try {
      const found = readRegularFile(target, left, (opened) => {
        if (!isBelow(root, opened) || isHidden(opened)) throw new Error(outside.problem);
      });
      if (!found.ok) return { problem: `is in a file that ${found.problem}` };
      left -= found.bytes.length;
      return { text: found.bytes.toString('utf8') };
    } catch (error) {
      const code = readErrno(error);
      return code === 'ENOENT' ? { problem: 'names a file that does not exist' } : outside;
    }
  };
}

/** @throws EngineError (USAGE) for a document whose operations are not in it */
function assertModules({ modules, leftOut, unresolved }: ImportedApp): void {
  if (modules.length > 0) return;
  const reasons = [...leftOut.map(({ key, reason }) => `${key}: ${reason}`), ...unresolved];
  throw usageError(
    [
      'No operation of the document becomes a module, so nothing was written.',
      ...shorten([...new Set(reasons)]).map((reason) => `  ${printableLine(reason.trim())}`),
    ].join('\n'),
  );
}

/** Modules above which a user of the app no longer finds one, and a review refuses it. [choice] */
const MANY_MODULES = 150;

/** Warns about an app that is too large, before anything is written, and names its parts. */
async function warnLarge({ modules }: ImportedApp, io: Io): Promise<void> {
  if (modules.length <= MANY_MODULES) return;
  const counts = new Map<string, number>();
  for (const { operation } of modules) {
    for (const tag of tagsOf(operation)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const tags = [...counts].sort((a, b) => b[1] - a[1]).map(([tag, count]) => `  --tag "${tag}": ${count}`);
  const parts = tags.length === 0 ? '' : ' Import a part of it by its tags:';
  const lines = [
    `The app has ${modules.length} modules, more than one app can sensibly hold (${MANY_MODULES}).${parts}`,
    ...shorten(tags),
  ];
  await io.stderr.write(lines.map((text) => `${printableLine(text)}\n`).join(''));
}

/** @throws EngineError (USAGE) if a new app would replace files */
function assertNothingKept({ kept: [conflict] }: ImportPlan, given: string): void {
  if (conflict === undefined) return;
  throw usageError(`init app: "${conflict.path}" exists already in "${given}". Nothing was written.`);
}

/** @throws EngineError (USAGE) for a manifest that no app can have */
function assertFits({ manifest }: ImportPlan, { modules }: ImportedApp): void {
  if (Buffer.byteLength(manifest.text) <= MAX_FILE_BYTES) return;
  throw usageError(
    `The app would have ${modules.length} modules, and its ${MANIFEST} more than ${MAX_FILE_BYTES} bytes. Import a part of the document with --tag NAME.`,
  );
}

interface ImportWriting {
  readonly imported: ImportedApp;
  readonly plan: ImportPlan;
  readonly planner: ImportPlanner;
  readonly options: ImportState['options'];
  readonly before: ExistingApp | undefined;
  readonly root: string;
  readonly write: Write;
}

/** Writes the files of an app. @returns the number of written tests */
async function writeImport(writing: ImportWriting): Promise<number> {
  const { imported, plan, planner, options, before, root, write } = writing;
  const named = imported.modules.map(({ name, operation }) => [operation.key, name] as const);
  const operations = { ...before?.state.operations, ...Object.fromEntries(named) };
  const writeState = (adding: Readonly<Record<string, string>>): Promise<void> =>
    write(STATE_FILE, printState({ options, operations, digests: planner.digests }, adding));
  // The editor of the platform keeps API keys in this folder.
  const isIgnoring = before !== undefined || existsSync(path.join(root, '.gitignore'));
  if (!isIgnoring) await write('.gitignore', '.secrets/\n');
  await writeAll(plan.writes, write);
  // Before the manifest, so that an interrupted import can be repeated.
  await writeState(Object.fromEntries(plan.added.map((added) => [added.name, added.kind])));
  await write(MANIFEST, plan.manifest.text);
  const tests = await writeTests(imported, { root, planner, write });
  await writeState({});
  return tests;
}

interface ExistingApp {
  readonly manifest: Manifest;
  readonly state: ImportState;
}

/** @throws EngineError (USAGE) for an app that no import created */
async function openExisting(root: string, given: string): Promise<ExistingApp | undefined> {
  const file = path.join(root, MANIFEST);
  if (!existsSync(file)) return undefined;
  const state = path.join(root, STATE_FILE);
  if (!existsSync(state)) {
    throw usageError(
      `There is an app in "${given}" already, and ${STATE_FILE} is missing: only an app that was created with --openapi can be updated.`,
    );
  }
  const manifest = readManifestText(readText(file, MANIFEST));
  return { manifest, state: readState(readText(state, STATE_FILE), manifest) };
}

/** @throws EngineError (USAGE) */
function readText(file: string, shown: string): string {
  try {
    const found = readRegularFile(file, MAX_BYTES);
    if (found.ok) return found.bytes.toString('utf8');
    throw usageError(`"${shown}" ${found.problem}.`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'USAGE') throw error;
    throw usageError(`Cannot read "${shown}": ${readErrno(error)}.`, error);
  }
}

function collectOptions(args: Arguments, state: ImportState | undefined): Readonly<Record<string, string>> {
  const entries = KEPT_OPTIONS.flatMap((name) => {
    const value = args.text(name) ?? state?.options[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const tags = args.isSet('tag') ? args.texts('tag').join('\n') : state?.options['tag'];
  return { ...Object.fromEntries(entries), ...(tags !== undefined && { tag: tags }) };
}

function readFrom(root: string): (file: string) => Promise<string | undefined> {
  const folder = openAppFolder(root);
  return (file) => folder.read(file, () => ({ file }));
}

type Write = (file: string, content: string) => Promise<void>;

function createWrite(root: string, io: Io): Write {
  const writer = createFolderWriter(findOutputRoot(io.cwd, root));
  return (file, content) =>
    writer.replace(path.join(root, file), content).catch(refuseWrite('init app', printableLine(file)));
}

/** Files that are written at a time: each waits until it is on the disk. */
const PARALLEL_WRITES = 16;

async function writeAll(files: readonly NewAppFile[], write: Write): Promise<void> {
  const limit = pLimit(PARALLEL_WRITES);
  await Promise.all(files.map(({ path: file, content }) => limit(() => write(file, content))));
}

interface TestWriting {
  readonly root: string;
  readonly planner: ImportPlanner;
  readonly write: Write;
}

/** Writes a first test for each imported component, and replaces tests that were not edited. */
async function writeTests(
  { components }: ImportedApp,
  { root, planner, write }: TestWriting,
): Promise<number> {
  const app = await loadApp(root);
  const names = new Set(components.map(({ kind, name }) => `${kind}:${name}`));
  const tested = await listTested(root, root);
  const schema = findCaseSchema(path.join(root, TEST_FOLDER, 'component', 'case.test.json'));
  const files: NewAppFile[] = [];
  for (const subject of listRunnable(app)) {
    const component = `${subject.type}:${subject.name}`;
    const key = `test/${subject.type}/${subject.name}`;
    if (!names.has(component) || (tested.has(component) && !planner.isKnown(key))) continue;
    const { file, text } = await makeSkeleton(app, subject, schema);
    const target = `${TEST_FOLDER}/${file}`;
    if (await planner.addText(key, target, text)) files.push({ path: target, content: text });
  }
  await writeAll(files, write);
  return files.length;
}

function listRemoved(
  state: ImportState | undefined,
  { modules, leftOut }: ImportedApp,
): readonly (readonly [operation: string, module: string])[] {
  const current = new Set([
    ...modules.map(({ operation }) => operation.key),
    ...leftOut.map(({ key }) => key),
  ]);
  return Object.entries(state?.operations ?? {}).filter(([key]) => !current.has(key));
}

interface Summary {
  readonly given: string;
  readonly plan: ImportPlan;
  readonly tests: number;
  readonly removed: readonly (readonly [operation: string, module: string])[];
  readonly isUpdate: boolean;
}

/** Operations that the summary names; the report has all. */
const MAX_SHOWN = 10;

async function printSummary(
  { title, modules, leftOut, notes, unresolved }: ImportedApp,
  { given, plan, tests, removed, isUpdate }: Summary,
  io: Io,
): Promise<void> {
  const total = modules.length + leftOut.length;
  const files = plan.writes.length;
  const checks = notes.length + modules.reduce((sum, module) => sum + module.notes.length, 0);
  const lines = [
    `${title}: ${modules.length} of ${total} operations are modules.`,
    ...shorten(leftOut.map(({ key, reason }) => `  left out: ${key}: ${reason}`)),
    ...shorten(unresolved.map((note) => `  ${note}`)),
    ...(isUpdate ? listUpdates(plan, removed) : []),
    `${files} files and ${tests} tests written in ${given}. ${checks} notes to check: ${path.join(given, REPORT_FILE)}`,
  ];
  await io.stdout.write(lines.map((text) => `${printableLine(text)}\n`).join(''));
  const folder = printableLine(given);
  await io.stderr.write(
    `Next: iml check ${folder}; iml test ${folder}; iml check ${folder} --profile review\n`,
  );
}

function listUpdates({ added, changed, kept }: ImportPlan, removed: Summary['removed']): readonly string[] {
  return [
    ...shorten(added.map(({ kind, name }) => `  added: ${kind} ${name}`)),
    ...shorten(changed.map((name) => `  updated: ${name}`)),
    ...shorten(kept.map(({ path: file }) => `  kept, as it was changed by hand: ${file}`)),
    ...shorten(removed.map(([operation, module]) => `  no longer imported: ${operation} (${module} stays)`)),
  ];
}

function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_SHOWN) return lines;
  return [...lines.slice(0, MAX_SHOWN), `  ... and ${lines.length - MAX_SHOWN} more`];
}
