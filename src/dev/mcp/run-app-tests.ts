import path from 'node:path';
import { EngineError } from '../../errors/engine-error.js';
import type { Redactor } from '../../redaction/redact.js';
import { findTests } from '../../testing/suite/find-tests.js';
import { printTestFailures } from '../../testing/suite/print-failures.js';
import { runSuite } from '../../testing/suite/run-suite.js';

/**
 * Runs the tests of the app in a folder as `iml test` does; nothing goes over a network.
 *
 * @param filter tests whose name holds this text
 * @throws EngineError (USAGE) where there is no test, or none of such a name
 */
export async function runAppTests(
  root: string,
  { filter, redactor, signal }: RunTestsOptions,
): Promise<unknown> {
  const tests: unknown[] = [];
  const summary = await runSuite(await findTests([root]), {
    signal,
    filter: filter === undefined ? undefined : (name) => name.includes(filter),
    onResult: (result) => {
      const { kind, name, status, durationMs } = result;
      const file = path.relative(root, result.file);
      const failures = redactor.text(printTestFailures(result).replaceAll(`${root}${path.sep}`, ''));
      tests.push({ kind, name, file, status, durationMs, failures: failures === '' ? undefined : failures });
    },
  });
  if (tests.length > 0) return { ok: summary.failed === 0, ...summary, tests };
  throw new EngineError(
    'USAGE',
    filter === undefined
      ? 'There are no tests. iml init tests writes one for each component.'
      : `No test has a name with "${filter}".`,
  );
}

export interface RunTestsOptions {
  readonly filter: string | undefined;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}
