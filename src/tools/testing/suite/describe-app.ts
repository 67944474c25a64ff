import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { TEST_FOLDER } from './find-tests.js';
import { runFixtures, type TestReport } from './run-fixtures.js';
import { printTestFailures } from './test-result.js';

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
    throw new EngineError(
      'USAGE',
      `There are no tests in "${folder}": files tests/COMPONENT/NAME.test.json.`,
    );
  }
  functions.describe(path.basename(root), () => {
    for (const file of [...cases, ...functionTests]) {
      functions.it(path.relative(root, file).split(path.sep).join('/'), async () => {
        assertPassed(await runFixtures(file));
      });
    }
  });
}

/** @throws Error with all failures */
function assertPassed({ ok, results }: TestReport): void {
  if (ok) return;
  const texts = results.map(printTestFailures).filter((text) => text !== '');
  throw new Error(texts.length === 0 ? 'There is no test in this file.' : texts.join('\n'));
}

function globalFunctions(): TestFunctions {
  const { describe, it } = globalThis as Partial<TestFunctions>;
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  throw new EngineError(
    'USAGE',
    "This runner has no global describe and it: import them and write describeApp('./my-app', { describe, it }).",
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
