import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { type CustomFunctions, loadCustomFunctions } from '../../../engine/custom-functions.js';
import type { App, FunctionComponent } from '../../../engine/document/app.js';
import { openAppFolder } from '../../../engine/loading/app-folder.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import type { RunObserver } from '../../../engine/run/engine-settings.js';
import { type Semantics, toEnvironment } from '../../../language/environment.js';
import { EngineError, SpecError } from '../../../shared/errors/engine-error.js';
import type { CaseReading, ReadCase } from '../cases/read-case.js';
import type { FixtureReport } from '../fixtures/play-fixture.js';
import { openCase, type TestPlace } from './find-tests.js';
import { absolute, type CaseRun, type CaseStage, type RunCase, runCase } from './run-case.js';
import { runFunctionTests } from './run-function-tests.js';
import type { RunTrace } from './run-trace.js';
import type { TestFailure, TestResult, TestSummary } from './test-result.js';
import { traceCase } from './trace-case.js';

/** Options of `runSuite`. */
export interface SuiteOptions {
  /** Filter by name. Default: all. */
  readonly filter?: ((name: string) => boolean) | undefined;
  /** Default: `iml.config.json` of the app, else `runtime`. */
  readonly semantics?: Semantics | undefined;
  /** Whether to stop after the first failure. Default: false. */
  readonly bail?: boolean | undefined;
  /** Called with each result in file order; awaited. */
  readonly onResult?: ((result: TestResult) => unknown) | undefined;
  /** Called before each test with its name. */
  readonly onStart?: ((name: string) => void) | undefined;
  /** Called with each case that ran, and its report. */
  readonly onCase?: ((read: ReadCase, report: FixtureReport, result: TestResult) => void) | undefined;
  /** Returns the observer of an app, for coverage. */
  readonly observe?: ((app: App, root: string) => RunObserver) | undefined;
  /** Called with the component of each case before it runs: `module:listOrders`. */
  readonly onComponent?: ((component: string, root: string) => void) | undefined;
  /** Runs a case. Default: against its exchanges. */
  readonly runCase?: RunCase | undefined;
  /** Whether to skip tests of custom functions. Default: false. */
  readonly casesOnly?: boolean | undefined;
  /** Number of concurrent cases. Default: 8. */
  readonly width?: number | undefined;
  /** Stores traces of cases. Default: none. */
  readonly traces?: CaseTraces | undefined;
  /** Aborts between two tests. */
  readonly signal?: AbortSignal | undefined;
  /** Clock for durations, in milliseconds. Default: the process clock. */
  readonly now?: (() => number) | undefined;
}

const DEFAULT_WIDTH = 8;

/** Which traces to store, and how. */
export interface CaseTraces {
  readonly of: 'failed' | 'all';
  /** @returns the path of the file, for `TestResult.trace` */
  readonly keep: (trace: RunTrace, result: TestResult) => Promise<string | undefined>;
}

/** Runs the tests of apps. An invalid file or app does not stop the others. */
export async function runSuite(
  places: readonly TestPlace[],
  options: SuiteOptions = {},
): Promise<TestSummary> {
  const run = new SuiteRun(options);
  for (const place of places) await run.addPlace(place);
  return run.summary();
}

class SuiteRun {
  readonly #options: SuiteOptions;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #files = new Map<string, string>();
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  #todo = 0;

  constructor(options: SuiteOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#startedAt = this.#now();
  }

  summary(): TestSummary {
    return {
      passed: this.#passed,
      failed: this.#failed,
      skipped: this.#skipped,
      todo: this.#todo,
      durationMs: this.#now() - this.#startedAt,
    };
  }

  get #isOver(): boolean {
    return (this.#options.bail === true && this.#failed > 0) || this.#options.signal?.aborted === true;
  }

  async addPlace(place: TestPlace): Promise<void> {
    if (this.#isOver) {
      this.#skipped += place.caseFiles.length;
      return;
    }
    const startedAt = this.#now();
    let app: App;
    try {
      const loaded = await loadApp(place.root);
      app = { ...loaded, semantics: this.#options.semantics ?? loaded.semantics };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.#skipped += place.caseFiles.length;
      await this.#tell(appFailure(error, place.root, this.#now() - startedAt));
      return;
    }
    const shared = shareFunctions(app);
    try {
      const stage: CaseStage = {
        app,
        root: place.root,
        observer: this.#options.observe?.(app, place.root),
        functionsFor: shared.of,
      };
      await this.#runCases(place, stage);
      await this.#runFunctions(place, app);
    } finally {
      await shared.close();
    }
  }

  async #runCases({ caseFiles, testFolders }: TestPlace, stage: CaseStage): Promise<void> {
    const { width = DEFAULT_WIDTH, filter, bail } = this.#options;
    const all = await pLimit(DEFAULT_WIDTH).map(caseFiles, (file) => openCase(file, testFolders));
    const readings = all.filter((reading) => filter?.(nameOf(reading)) ?? true);
    const limit = pLimit(width);
    let isStopped = false;
    const results = readings.map((reading) =>
      limit(async () => {
        if (isStopped || this.#isOver) return undefined;
        const result = await this.#runReading(reading, stage);
        if (bail === true && result.status === 'failed') isStopped = true;
        return result;
      }),
    );
    // Shared functions are closed after all cases have ended.
    const allEnded = Promise.allSettled(results);
    let told = 0;
    try {
      for (const running of results) {
        const result = await running;
        if (result === undefined) break;
        told++;
        await this.#tell(result);
        if (this.#isOver) break;
      }
    } finally {
      isStopped = true;
      await allEnded;
    }
    this.#skipped += readings.length - told;
  }

  async #runReading(reading: CaseReading, stage: CaseStage): Promise<TestResult> {
    const startedAt = this.#now();
    const { file } = reading.ok ? reading.case : reading;
    const name = nameOf(reading);
    this.#options.onStart?.(name);
    const resultOf = (failures: readonly TestFailure[]): TestResult => ({
      kind: 'case',
      name,
      file,
      failures,
      status: failures.length === 0 ? 'passed' : 'failed',
      durationMs: this.#now() - startedAt,
    });
    if (!reading.ok) {
      return resultOf(
        reading.errors.map(({ message, place }) => ({
          message,
          isDifference: false,
          origin: undefined,
          place: place ?? { file },
        })),
      );
    }
    const other = this.#claim(name, file);
    if (other !== undefined) {
      const place = reading.case.document.locationOf('/name', undefined, 'key');
      const message = `Another case has the name "${name}": ${other}.`;
      return resultOf([{ message, isDifference: false, place, origin: undefined }]);
    }
    const { todo } = reading.case.written;
    if (todo !== undefined) return { ...resultOf([]), status: 'todo', notes: [todo] };
    const { component } = reading.case.played;
    if (component !== undefined) {
      const text = typeof component === 'string' ? component : `${component.type}:${component.name}`;
      this.#options.onComponent?.(text, stage.root);
    }
    const { runCase: run = runCase, traces } = this.#options;
    const ran = await run(reading.case, traces?.of === 'all' ? { ...stage, trace: 'deep' } : stage);
    const { failures, report, notes, isSkipped = false } = ran;
    const result: TestResult = {
      ...resultOf(failures),
      ...(notes !== undefined && { notes }),
      ...(isSkipped && { status: 'skipped' as const }),
    };
    if (report !== undefined) this.#options.onCase?.(reading.case, report, result);
    return this.#keepTrace(reading.case, ran, result, stage);
  }

  /** Reruns the case with a deep trace, because most cases need none. */
  async #keepTrace(read: ReadCase, ran: CaseRun, result: TestResult, stage: CaseStage): Promise<TestResult> {
    const { traces } = this.#options;
    // A case that could not run, or ran live, has no trace.
    if (traces === undefined || ran.fixture === undefined) return result;
    if (traces.of === 'failed' && result.status !== 'failed') return result;
    const again: CaseStage = { ...stage, observer: undefined, trace: 'deep' };
    const { fixture, report } = traces.of === 'all' ? ran : await runCase(read, again);
    if (fixture === undefined || report === undefined) return result;
    const traced = { read, fixture, report, failures: ran.failures };
    return { ...result, trace: await traces.keep(await traceCase(traced, stage), result) };
  }

  /** Another file with the same name. */
  #claim(name: string, file: string): string | undefined {
    const other = this.#files.get(name);
    if (other === undefined) this.#files.set(name, file);
    return other === file ? undefined : other;
  }

  async #runFunctions({ root, functionTests }: TestPlace, app: App): Promise<void> {
    if (functionTests === false || this.#options.casesOnly === true) return;
    for (const written of app.functions.values()) {
      const component = await this.#openTest(written, root);
      if (component?.test === undefined || component.test.trim() === '') continue;
      const file = path.resolve(root, component.testFile ?? '');
      if (Array.isArray(functionTests) && !functionTests.includes(file)) continue;
      if (this.#isOver) {
        this.#skipped++;
        continue;
      }
      this.#options.onStart?.(component.name);
      const startedAt = this.#now();
      const results = await runFunctionTests(app, component);
      const durationMs = (this.#now() - startedAt) / results.length;
      for (const { name, message, place } of results) {
        if (!(this.#options.filter?.(name) ?? true)) continue;
        const failure: TestFailure | undefined =
          message === undefined
            ? undefined
            : {
                message,
                isDifference: false,
                origin: undefined,
                place: absolute(place, root) ?? { file },
              };
        await this.#tell({
          kind: 'function',
          name,
          file,
          durationMs,
          status: failure === undefined ? 'passed' : 'failed',
          failures: failure === undefined ? [] : [failure],
        });
      }
    }
  }

  /** @returns undefined if the test file cannot be read, which is reported */
  async #openTest(written: FunctionComponent, root: string): Promise<FunctionComponent | undefined> {
    try {
      return await withTest(written, root);
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      const { message, place = { file: root } } = error;
      await this.#tell({
        kind: 'function',
        name: written.name,
        file: path.resolve(root, written.file ?? ''),
        durationMs: 0,
        status: 'failed',
        failures: [
          { message, isDifference: false, origin: undefined, place: absolute(place, root) ?? { file: root } },
        ],
      });
      return undefined;
    }
  }

  async #tell(result: TestResult): Promise<void> {
    if (result.status === 'passed') this.#passed++;
    else if (result.status === 'skipped') this.#skipped++;
    else if (result.status === 'todo') this.#todo++;
    else this.#failed++;
    await this.#options.onResult?.(result);
  }
}

function nameOf(reading: CaseReading): string {
  return reading.ok ? reading.case.name : reading.name;
}

function appFailure(error: EngineError, root: string, durationMs: number): TestResult {
  const place = (error.place && absolute(error.place, root)) ?? { file: root };
  return {
    kind: 'app',
    name: path.basename(root),
    file: place.file ?? root,
    status: 'failed',
    durationMs,
    failures: [
      {
        message: `The app does not load: ${error.message}`,
        isDifference: false,
        place,
        origin: undefined,
      },
    ],
  };
}

/**
 * The test of a function may be beside it without a declaration.
 *
 * @throws SpecError SPEC_READ for a link out of the app folder and other unreadable files
 */
async function withTest(component: FunctionComponent, root: string): Promise<FunctionComponent> {
  if (component.test !== undefined || component.file === undefined) return component;
  const folder = path.posix.dirname(component.file);
  const names = await readdir(path.join(root, folder)).catch(() => []);
  const name = names.find((candidate) => candidate.endsWith('.test.js'));
  if (name === undefined) return component;
  const testFile = path.posix.join(folder, name);
  const test = await openAppFolder(root).read(testFile, () => ({ file: testFile }));
  return test === undefined ? component : { ...component, test, testFile };
}

/** Cases share one sandbox per timezone, because opening one takes longer than a case. */
function shareFunctions(app: App): {
  readonly of: CaseStage['functionsFor'];
  readonly close: () => Promise<void>;
} {
  const opened = new Map<string, Promise<CustomFunctions>>();
  return {
    of: async (timezone) => {
      const known = opened.get(timezone) ?? loadCustomFunctions(app, toEnvironment({ timezone }));
      opened.set(timezone, known);
      return known;
    },
    close: async () => {
      for (const loading of opened.values()) {
        await loading.then(
          (functions) => functions.close(),
          () => {},
        );
      }
    },
  };
}
