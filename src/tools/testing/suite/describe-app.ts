import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  checkOptions,
  type OptionShapes,
  SIGNAL,
} from '../../../shared/errors/check-options.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { relativePath } from '../../../shared/files.js';
import { findTests, TEST_FOLDER } from './find-tests.js';
import { runSuite, type SuiteOptions } from './run-suite.js';
import { printTestFailures, type TestResult, type TestSummary } from './test-result.js';

/** Results of the tests of an app. */
export interface TestReport extends TestSummary {
  /** Whether at least one test ran and none failed. */
  readonly ok: boolean;
  readonly results: readonly TestResult[];
}

/** Options of `runFixtures`. */
type RunFixturesOptions = Pick<SuiteOptions, 'filter' | 'bail' | 'onResult' | 'signal'>;

const SHAPES: OptionShapes<RunFixturesOptions> = {
  filter: ANY_FUNCTION,
  bail: ANY_BOOLEAN,
  onResult: ANY_FUNCTION,
  signal: SIGNAL,
};

/**
 * Runs the tests of an app as `iml test` does: its cases and those of its custom functions. Goes over no network.
 *
 * @param paths folders of apps, folders and files of tests
 * @throws SpecError (SPEC_MISSING) where there is no app; CaseError for a file that is no test
 * @example
 * const { ok, results } = await runFixtures('./my-app');
 * if (!ok) console.log(results.filter(({ status }) => status === 'failed').map(printTestFailures).join('\n'));
 */
export async function runFixtures(
  paths: string | readonly string[],
  options: RunFixturesOptions = {},
): Promise<TestReport> {
  checkOptions(options, SHAPES, 'The options of runFixtures');
  const results: TestResult[] = [];
  const summary = await runSuite(await findTests([paths].flat()), {
    ...options,
    onResult: async (result) => {
      results.push(result);
      await options.onResult?.(result);
    },
  });
  return { ...summary, ok: summary.failed === 0 && results.length > 0, results };
}

/** Functions of a test runner: vitest, jest or node:test. */
export interface TestFunctions {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, run: () => Promise<void>) => unknown;
}

/**
 * Converts the tests of an app to tests of another runner: one for each case, one for the tests of custom functions. A test
 * that fails throws an error that says what `iml test` says.
 *
 * @param folder of the app, from the working directory
 * @param functions of the runner. Default: those it has made global
 * @throws EngineError (USAGE) where there are no such functions, or no tests
 * @example
 * import { describe, it } from 'vitest';
 * import { describeApp } from 'iml-runtime/testing';
 * describeApp('./my-app', { describe, it });
 */
export function describeApp(folder: string, functions: TestFunctions = globalFunctions()): void {
  const root = path.resolve(folder);
  const cases = [root, path.join(root, 'src')].flatMap((place) =>
    listFiles(path.join(place, TEST_FOLDER), /\.test\.jsonc?$/),
  );
  const functionTests = [root, path.join(root, 'src')].flatMap((place) =>
    listFiles(path.join(place, 'functions'), /\.test\.js$/),
  );
  if (cases.length + functionTests.length === 0) {
    throw new EngineError('USAGE', `No tests in "${folder}": expected files tests/COMPONENT/NAME.test.json.`);
  }
  functions.describe(path.basename(root), () => {
    for (const file of [...cases, ...functionTests]) {
      functions.it(relativePath(root, file), async () => {
        assertPassed(await runFixtures(file));
      });
    }
  });
}

/** @throws Error with all failures */
function assertPassed({ ok, results }: TestReport): void {
  if (ok) return;
  const texts = results.map(printTestFailures).filter((text) => text !== '');
  throw new Error(texts.length === 0 ? 'This file contains no test.' : texts.join('\n'));
}

function globalFunctions(): TestFunctions {
  const { describe, it } = globalThis as Partial<TestFunctions>;
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  throw new EngineError(
    'USAGE',
    "This runner has no global describe and it: import them and call describeApp('./my-app', { describe, it }).",
  );
}

/** Synchronous, because test runners collect tests before they run. */
function listFiles(folder: string, pattern: RegExp): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => path.join(folder, name))
    .sort();
}
