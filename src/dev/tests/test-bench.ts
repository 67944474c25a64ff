import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../errors/engine-error.js';
import { collectSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor } from '../../redaction/redact.js';
import { findAffected } from '../../testing/suite/find-affected.js';
import { findTests, type TestPlace } from '../../testing/suite/find-tests.js';
import { nameCase } from '../../testing/suite/open-case.js';
import { runSuite } from '../../testing/suite/run-suite.js';
import type { TestResult } from '../../testing/suite/test-result.js';
import { describeTestFailure } from '../../testing/suite/trace-case.js';
import type { ShownTest, TestDetail, TestsState } from '../protocol.js';
import { keepTrace } from '../runs/kept-trace.js';
import type { WorkshopParts } from '../runs/workshop-parts.js';

/** The tests of the app: run when somebody asks, and when a file they depend on was saved. */
export interface TestBench {
  /** All tests with how they stand; the first call runs them. */
  readonly state: () => Promise<TestsState>;
  /** @throws EngineError (HOST_MISSING) for a test that is not there */
  readonly find: (id: string) => Promise<TestDetail>;
  /** Runs one test, or all. Resolves when they are over. @throws EngineError (HOST_MISSING) */
  readonly run: (id?: string) => Promise<void>;
  /**
   * Files were saved, paths absolute: what depends on them is run again, once tests were asked for at all. Resolves when
   * that is over.
   */
  readonly touch: (changed: readonly string[]) => Promise<void>;
  /** Ends what is under way. */
  readonly close: () => Promise<void>;
}

interface Entry extends TestDetail {
  /** Absolute. */
  readonly path: string;
}

/** Changes that are told of together. */
const TELL_EVERY_MS = 150;

/** No test has run yet. */
export function createTestBench(parts: WorkshopParts): TestBench {
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
  /** One after another, so that each finds what the one before has left. */
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
  const runPlaces = (choose: (place: TestPlace) => Promise<TestPlace> | TestPlace): Promise<void> =>
    enqueue(async () => {
      if (abort.signal.aborted) return;
      const [place] = await findTests([parts.setting().root]);
      if (place === undefined) return;
      listCases(place, entries, parts.setting().root);
      const chosen = await choose(place);
      const files = new Set(chosen.caseFiles);
      for (const entry of entries.values()) {
        if (files.has(entry.path)) put({ ...entry, status: 'running' });
      }
      const seen = await runTests(chosen, { entries, put, parts, signal: abort.signal });
      if (chosen.functionTests === true && !abort.signal.aborted) dropFunctions(entries, seen);
    });
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
    run: async (id) => {
      await start();
      const only = id === undefined ? undefined : find(id);
      await runPlaces((place) =>
        only === undefined
          ? place
          : {
              ...place,
              caseFiles: place.caseFiles.filter((file) => file === only.path),
              functionTests: only.kind === 'function' ? [only.path] : false,
            },
      );
    },
    touch: async (changed) => {
      if (first !== undefined) await runPlaces((place) => findAffected(place, changed));
    },
    close: async () => {
      abort.abort();
      clearTimeout(timer);
      await working;
    },
  };
}

function summarize({ path: _, failures: __, ...test }: Entry): ShownTest {
  return test;
}

/** Cases are known by their files before they run; those whose file is gone are forgotten. */
function listCases({ caseFiles, testFolders }: TestPlace, entries: Map<string, Entry>, root: string): void {
  const known = new Set(caseFiles);
  for (const { id, kind, path: file } of [...entries.values()]) {
    if (kind === 'case' && !known.has(file)) entries.delete(id);
  }
  for (const file of caseFiles) {
    const id = relative(root, file);
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

/** Tests of custom functions are known by what ran. */
function dropFunctions(entries: Map<string, Entry>, seen: ReadonlySet<string>): void {
  for (const { id, kind } of [...entries.values()]) {
    if (kind === 'function' && !seen.has(id)) entries.delete(id);
  }
}

/** How tests stood when they ran last, before this start. */
async function recall(entries: Map<string, Entry>, { history }: WorkshopParts): Promise<void> {
  // Oldest first: what came later counts.
  for (const { id: run, test } of [...(await history.list({ source: 'tests', limit: 200 }))].reverse()) {
    if (test === undefined) continue;
    const known = entries.get(test.file) ?? emptyEntry(test.file, '', test.name);
    entries.set(test.file, { ...known, run, ...(test.status === 'passed' && { passedRun: run }) });
  }
}

interface RunningTests {
  readonly entries: Map<string, Entry>;
  readonly put: (entry: Entry) => void;
  readonly parts: WorkshopParts;
  readonly signal: AbortSignal;
}

/** @returns the tests that ran */
async function runTests(
  place: TestPlace,
  { entries, put, parts, signal }: RunningTests,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const dropped: string[] = [];
  const { root } = parts.setting();
  await runSuite([place], {
    signal,
    traces: { of: 'all', keep: (trace) => keepTrace(trace, { source: 'test' }, parts) },
    onResult: async (result) => {
      if (result.kind === 'app') return;
      const file = relative(root, result.file);
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
        status: result.status === 'skipped' ? 'waiting' : result.status,
        durationMs: result.durationMs,
        failureCount: result.failures.length,
        failures: await describeFailures(result, parts),
      });
    },
  });
  // The app does not load: the page says so, and tests stand as they stood.
  for (const entry of entries.values()) {
    if (entry.status === 'running') put({ ...entry, status: 'waiting' });
  }
  await parts.history.removeAll(dropped);
  return seen;
}

async function describeFailures(
  { file, failures }: TestResult,
  { setting }: WorkshopParts,
): Promise<TestDetail['failures']> {
  if (failures.length === 0) return [];
  const { app, root } = setting();
  const redactor = createRedactor({ secrets: collectSecrets(app.common?.value) });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return Promise.all(
    failures.slice(0, 100).map((failure) => describeTestFailure(failure, { text, file }, root, redactor)),
  );
}

function relative(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join('/');
}
