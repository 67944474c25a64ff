import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  checkOptions,
  type OptionShapes,
  SIGNAL,
} from '../../../shared/errors/check-options.js';
import { findTests } from './find-tests.js';
import { runSuite, type SuiteOptions } from './run-suite.js';
import type { TestResult, TestSummary } from './test-result.js';

/** Results of the tests of an app. */
export interface TestReport extends TestSummary {
  /** Whether at least one test ran and none failed. */
  readonly ok: boolean;
  readonly results: readonly TestResult[];
}

/** Options of `runFixtures`. */
export type RunFixturesOptions = Pick<SuiteOptions, 'filter' | 'bail' | 'onResult' | 'signal'>;

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
