import path from 'node:path';
import { CaseError } from '../../errors/case-error.js';
import { printPlace } from '../../errors/place.js';
import { SpecError } from '../../errors/spec-error.js';
import type { CoverageCollector } from '../../testing/coverage/collect-coverage.js';
import { findTests, type TestPlace } from '../../testing/suite/find-tests.js';
import type { Arguments, Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { printHarExchanges } from '../recording/print-har.js';
import { COVERAGE_FORMAT, openCoverage } from '../tests/report-coverage.js';
import { REPORTER_NAMES } from '../tests/reporters.js';
import { runTests } from '../tests/run-tests.js';
import { type FailedCase, readUpdateScope, UPDATE_SCOPE, updateCases } from '../tests/update-cases.js';
import { watchTests } from '../tests/watch-tests.js';
import { usageError } from '../usage-error.js';

export const TEST_COMMAND: Command = {
  name: 'test',
  about: 'Runs the tests of an app: its cases, and the tests of its custom functions.',
  positionals: [
    {
      name: 'folder or file',
      help: 'The folder of an app, or folders and files of its tests. Default: this folder.',
      isOptional: true,
      isRepeated: true,
    },
  ],
  options: {
    app: { value: 'FOLDER', help: 'The app, where the tests do not lie in it.' },
    filter: { value: 'TEXT', multiple: true, help: 'Runs tests whose name holds the text.' },
    bail: { help: 'Stops at the first failure.' },
    verbose: { help: 'Lists tests that passed, too.' },
    watch: { help: 'Runs again what a changed file touches, until Ctrl-C.' },
    update: {
      value: 'expect|exchanges|all',
      looksLikeValue: UPDATE_SCOPE,
      help: 'Shows how failed cases would pass, asks, and writes them. Default: all.',
    },
    yes: { help: 'Writes what --update shows without asking.' },
    coverage: {
      value: 'text|json[=FILE]|lcov[=FILE]',
      looksLikeValue: COVERAGE_FORMAT,
      multiple: true,
      help: 'Tells what of the app no case reaches. Default: text; files in coverage/.',
    },
    'from-har': {
      value: 'FILE',
      help: 'Runs nothing: prints exchanges for a case, made of a HAR that a browser or proxy wrote.',
    },
    reporter: {
      value: `${REPORTER_NAMES}[=FILE]`,
      multiple: true,
      help: 'How results are written, and where. Default: human.',
    },
  },
  examples: [
    'iml test ./my-app',
    'iml test ./my-app --filter listOrders --bail',
    'iml test ./my-app --reporter human --reporter junit=report.xml',
  ],
  notes: [
    'Cases are files tests/COMPONENT/NAME.test.json beside the app; tests of custom functions are functions/NAME/NAME.test.js. Nothing goes over a network.',
  ],
  exitCodes: {
    0: 'all tests passed',
    1: 'a test failed',
    2: 'there is no test, or the command line is wrong',
  },
  run: testApps,
};

async function testApps(args: Arguments, io: Io): Promise<number> {
  const har = args.text('from-har');
  if (har !== undefined) return printHarExchanges(har, args.positionals[0] ?? args.text('app') ?? '.', io);
  const scope = readUpdateScope(args, io);
  const coverage = openCoverage(args, io);
  const places = await findPlaces(args, io);
  if (args.isSet('watch')) {
    if (scope !== undefined || coverage !== undefined) {
      throw usageError('--watch goes with neither --update nor --coverage.');
    }
    return io.interruptible(async (signal) => {
      const run = (touched: readonly TestPlace[]): Promise<unknown> =>
        runTests(touched, args, io, { signal });
      await run(places);
      await watchTests(() => findPlaces(args, io), run, io, signal);
      throw signal.reason;
    });
  }
  return io.interruptible(async (signal) => {
    const failed: FailedCase[] = [];
    const collectors = new Map<string, CoverageCollector>();
    const summary = await runTests(places, args, io, {
      signal,
      ...(coverage !== undefined && {
        observe: (app, root) => {
          const collector = coverage.ofApp(app, root);
          collectors.set(root, collector);
          return collector.observer;
        },
        onComponent: (component, root) => collectors.get(root)?.onComponent(component),
      }),
      onCase: (read, report, { status }) => {
        if (scope !== undefined && status === 'failed') failed.push({ read, report });
      },
    });
    signal.throwIfAborted();
    if (summary.passed + summary.failed + summary.skipped === 0) throw noTests(args);
    await coverage?.write(io);
    const mended = scope === undefined ? 0 : await updateCases(failed, scope, args, io);
    return summary.failed === mended ? EXIT.ok : EXIT.failed;
  });
}

async function findPlaces(args: Arguments, io: Io): Promise<readonly TestPlace[]> {
  const app = args.text('app');
  const given = args.positionals.length === 0 && app === undefined ? ['.'] : args.positionals;
  try {
    return await findTests(
      given.map((target) => path.resolve(io.cwd, target)),
      app === undefined ? undefined : path.resolve(io.cwd, app),
    );
  } catch (error) {
    if (error instanceof CaseError) throw usageError(error.message);
    if (!(error instanceof SpecError)) throw error;
    const where = error.place === undefined ? '' : `${printPlace(error.place)}: `;
    throw usageError(where + error.message);
  }
}

function noTests(args: Arguments): Error {
  const filters = args.texts('filter');
  if (filters.length > 0)
    return usageError(`No test has a name with ${filters.map((text) => `"${text}"`).join(' or ')}.`);
  return usageError('There are no tests. iml init tests writes one for each component.');
}
