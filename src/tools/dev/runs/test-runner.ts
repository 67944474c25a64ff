import { readFile } from 'node:fs/promises';
import { createRedactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { relativePath } from '../../../shared/files.js';
import { findAffected, findTests, nameCase, type TestPlace } from '../../testing/suite/find-tests.js';
import { runSuite } from '../../testing/suite/run-suite.js';
import type { TestResult } from '../../testing/suite/test-result.js';
import { describeTestFailure } from '../../testing/suite/trace-case.js';
import type { ShownTest, TestDetail, TestsState } from '../protocol.js';
import { keepTrace } from './kept-trace.js';
import type { RecordParts } from './runner-parts.js';

/** Runs the tests of the app on request and when files change. */
export interface TestRunner {
  /** Status of all tests; the first call runs them. */
  readonly state: () => Promise<TestsState>;
  /** @throws EngineError (HOST_MISSING) for an unknown test */
  readonly find: (id: string) => Promise<TestDetail>;
  /** Runs selected tests or all. Resolves with the status of all tests. */
  readonly run: (isWanted?: (test: ShownTest) => boolean) => Promise<readonly TestDetail[]>;
  /**
   * Reruns tests that changed files (absolute paths) affect, after tests were requested once. Resolves when they are
   * done.
   */
  readonly touch: (changed: readonly string[]) => Promise<void>;
  /** Stops running tests. */
  readonly close: () => Promise<void>;
}

interface Entry extends TestDetail {
  /** Absolute path. */
  readonly path: string;
}

/** Selects tests. */
type Choose = (place: TestPlace) => Promise<TestPlace> | TestPlace;

/** Interval of batched notifications. */
const TELL_EVERY_MS = 150;

/** Creates a runner without results. */
export function createTestRunner(parts: RecordParts): TestRunner {
  const entries = new Map<string, Entry>();
  const abort = new AbortController();
  let first: Promise<void> | undefined;
  let working: Promise<void> = Promise.resolve();
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;

  const tell = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      parts.hub.publish({ type: 'tests' });
    }, TELL_EVERY_MS);
  };
  const put = (entry: Entry): void => {
    entries.set(entry.id, entry);
    tell();
  };
  /** One after another, so that each sees the results of the previous one. */
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    underWay++;
    tell();
    const done = working.then(work).finally(() => {
      underWay--;
      tell();
    });
    working = done.catch(() => {});
    return done;
  };
  /** Replaced runs are removed after the next batch, because a page may still request them. */
  let replaced: readonly string[] = [];
  const forgetReplaced = async (): Promise<void> => {
    const gone = replaced;
    replaced = [];
    await parts.history.removeAll(gone);
  };
  /** Requests for the next batch, which share it. */
  const asked: Choose[] = [];
  const runPlaces = (choose: Choose): Promise<void> => {
    asked.push(choose);
    return enqueue(async () => {
      const [place] = asked.length === 0 ? [] : await findTests([parts.setting().root]);
      if (place === undefined || abort.signal.aborted) return;
      listCases(place, entries, parts.setting().root);
      const chosen = joinPlaces(place, await Promise.all(asked.splice(0).map((one) => one(place))));
      const files = new Set(chosen.caseFiles);
      for (const entry of entries.values()) {
        if (files.has(entry.path)) put({ ...entry, status: 'running' });
      }
      await forgetReplaced();
      const { seen, dropped } = await runTests(chosen, { entries, put, parts, signal: abort.signal });
      replaced = dropped;
      if (chosen.functionTests === true && !abort.signal.aborted) dropFunctions(entries, seen);
    });
  };
  const start = (): Promise<void> => {
    first ??= enqueue(() => recall(entries, parts)).then(() => runPlaces((place) => place));
    return first;
  };
  const find = (id: string): Entry => {
    const entry = entries.get(id);
    if (entry === undefined) throw new EngineError('HOST_MISSING', `There is no test "${id}".`);
    return entry;
  };

  return {
    state: async () => {
      const [place] = entries.size === 0 ? await findTests([parts.setting().root]) : [];
      if (place !== undefined) listCases(place, entries, parts.setting().root);
      start().catch(parts.onProblem);
      const tests = [...entries.values()].map(summarize);
      return { tests: tests.sort((a, b) => (a.id < b.id ? -1 : 1)), isRunning: underWay > 0 };
    },
    find: async (id) => {
      const { path: _, ...detail } = find(id);
      return detail;
    },
    run: async (isWanted) => {
      const list = (): readonly Entry[] => [...entries.values()].filter((test) => isWanted?.(test) ?? true);
      // The first batch runs all tests.
      if (first === undefined) await start();
      else await runPlaces((place) => (isWanted === undefined ? place : pickTests(place, list())));
      return list().map(({ path: _, ...detail }) => detail);
    },
    touch: async (changed) => {
      if (first !== undefined) await runPlaces((place) => findAffected(place, changed));
    },
    close: async () => {
      abort.abort();
      clearTimeout(timer);
      await working;
      await forgetReplaced();
    },
  };
}

/** The selected tests of an app; a test of a custom function selects its whole file. */
function pickTests(place: TestPlace, wanted: readonly Entry[]): TestPlace {
  const files = new Set(wanted.map(({ path: file }) => file));
  const functionFiles = wanted.filter(({ kind }) => kind === 'function').map(({ path: file }) => file);
  return {
    ...place,
    caseFiles: place.caseFiles.filter((file) => files.has(file)),
    functionTests: [...new Set(functionFiles)],
  };
}

/** Merges selections of an app. */
function joinPlaces(place: TestPlace, chosen: readonly TestPlace[]): TestPlace {
  const files = new Set(chosen.flatMap(({ caseFiles }) => caseFiles));
  const functionTests = chosen.map((part) => part.functionTests);
  const functionFiles = functionTests.flatMap((files) => (typeof files === 'boolean' ? [] : files));
  return {
    ...place,
    caseFiles: place.caseFiles.filter((file) => files.has(file)),
    functionTests: functionTests.includes(true) || [...new Set(functionFiles)],
  };
}

function summarize({ path: _, failures: __, ...test }: Entry): ShownTest {
  return test;
}

/** Adds cases by file and removes those whose file is gone. */
function listCases({ caseFiles, testFolders }: TestPlace, entries: Map<string, Entry>, root: string): void {
  const known = new Set(caseFiles);
  for (const { id, kind, path: file } of [...entries.values()]) {
    if (kind === 'case' && !known.has(file)) entries.delete(id);
  }
  for (const file of caseFiles) {
    const id = relativePath(root, file);
    if (entries.get(id)?.path === file) continue;
    const { run, passedRun, ...kept } = entries.get(id) ?? emptyEntry(id, file, nameCase(file, testFolders));
    entries.set(id, { ...kept, run, passedRun, path: file });
  }
}

function emptyEntry(id: string, file: string, name: string): Entry {
  return {
    id,
    name,
    kind: 'case',
    file: id,
    path: file,
    status: 'waiting',
    failureCount: 0,
    failures: [],
    run: undefined,
    passedRun: undefined,
    durationMs: undefined,
  };
}

/** Tests of custom functions are only known after a run. */
function dropFunctions(entries: Map<string, Entry>, seen: ReadonlySet<string>): void {
  for (const { id, kind } of [...entries.values()]) {
    if (kind === 'function' && !seen.has(id)) entries.delete(id);
  }
}

/** Restores the results of earlier starts. */
async function recall(entries: Map<string, Entry>, { history }: RecordParts): Promise<void> {
  // Oldest first: later results override.
  for (const { id: run, test } of [...(await history.list({ source: 'tests', limit: 200 }))].reverse()) {
    if (test === undefined) continue;
    const known = entries.get(test.file) ?? emptyEntry(test.file, '', test.name);
    entries.set(test.file, { ...known, run, ...(test.status === 'passed' && { passedRun: run }) });
  }
}

interface RunningTests {
  readonly entries: Map<string, Entry>;
  readonly put: (entry: Entry) => void;
  readonly parts: RecordParts;
  readonly signal: AbortSignal;
}

/** @returns the tests that ran, and the replaced runs */
async function runTests(
  place: TestPlace,
  { entries, put, parts, signal }: RunningTests,
): Promise<{ readonly seen: ReadonlySet<string>; readonly dropped: readonly string[] }> {
  const seen = new Set<string>();
  const dropped: string[] = [];
  const { root } = parts.setting();
  const suite = runSuite([place], {
    signal,
    traces: { of: 'all', keep: (trace) => keepTrace(trace, { source: 'test' }, parts) },
    onResult: async (result) => {
      if (result.kind === 'app') return;
      const file = relativePath(root, result.file);
      const id = result.kind === 'case' ? file : `${file} > ${result.name}`;
      seen.add(id);
      const before = entries.get(id) ?? emptyEntry(id, result.file, result.name);
      const run = result.trace;
      const passedRun = result.status === 'passed' ? run : before.passedRun;
      for (const old of [before.run, before.passedRun]) {
        if (old !== undefined && old !== run && old !== passedRun) dropped.push(old);
      }
      put({
        id,
        name: result.name,
        kind: result.kind,
        file,
        path: result.file,
        run,
        passedRun,
        status: result.status === 'skipped' || result.status === 'todo' ? 'waiting' : result.status,
        durationMs: result.durationMs,
        failureCount: result.failures.length,
        failures: await describeFailures(result, parts),
      });
    },
  });
  await suite.finally(() => {
    // The app does not load or the history is full: no test is running any more.
    for (const entry of entries.values()) {
      if (entry.status === 'running') put({ ...entry, status: 'waiting' });
    }
  });
  return { seen, dropped };
}

async function describeFailures(
  { file, failures }: TestResult,
  { setting }: RecordParts,
): Promise<TestDetail['failures']> {
  if (failures.length === 0) return [];
  const { app, root } = setting();
  const redactor = createRedactor({ secrets: collectSecrets(app.common?.value) });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return Promise.all(
    failures.slice(0, 100).map((failure) => describeTestFailure(failure, { text, file }, root, redactor)),
  );
}
