import path from 'node:path';
import { CaseError, SpecError } from '../../../shared/errors/engine-error.js';
import { formatLocation } from '../../../shared/errors/source-location.js';
import { escapeUnsafe } from '../../../shared/text.js';
import { convertHar, listReasons } from '../../testing/recording/har-exchanges.js';
import type { CoverageCollector } from '../../testing/suite/coverage.js';
import { findTests, TEST_FOLDER, type TestPlace } from '../../testing/suite/find-tests.js';
import { type RunCase, runCase } from '../../testing/suite/run-case.js';
import type { TestSummary } from '../../testing/suite/test-result.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import { ENGINE_OPTIONS, SEMANTICS_OPTION } from '../input/engine-options.js';
import { readText } from '../input/input-data.js';
import { withProjectOptions } from '../input/project-options.js';
import type { Io } from '../io.js';
import { findAppFolder, openApp } from '../open-app.js';
import { countNouns } from '../output/terminal-text.js';
import { describeSecrets } from '../recording/write-case-files.js';
import type { LiveRunner } from '../tests/live-tests.js';
import { COVERAGE_FORMAT, openCoverage } from '../tests/report-coverage.js';
import { REPORTER_NAMES } from '../tests/reporters.js';
import { readFilter, runTests, TRACE_MODE, watchTests } from '../tests/run-tests.js';
import { type FailedCase, readUpdateScope, UPDATE_SCOPE, updateCases } from '../tests/update-cases.js';

const DAY_MS = 86_400_000;

/**
 * The age of `--max-age` in milliseconds: `90d`, `12w`.
 *
 * @throws EngineError (USAGE)
 */
function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count = '', unit] = /^(\d{1,5})([dw])$/.exec(text) ?? [];
  if (count === '') throw usageError(`--max-age: "${text}" is not an age such as 90d or 12w.`);
  return Number(count) * (unit === 'w' ? 7 : 1) * DAY_MS;
}

/** Adds a note to cases that were recorded earlier. They do not fail. */
function noteAge(runCase: RunCase, maxAgeMs: number, nowMs: number): RunCase {
  return async (read, stage) => {
    const run = await runCase(read, stage);
    const at = read.written.recorded?.at;
    if (at === undefined) return run;
    const ageMs = nowMs - Date.parse(at);
    if (ageMs <= maxAgeMs) return run;
    const age = Number.isNaN(ageMs)
      ? `recorded.at is not a date: ${JSON.stringify(at)}.`
      : `It was recorded ${Math.floor(ageMs / DAY_MS)} days ago.`;
    return { ...run, notes: [...(run.notes ?? []), age] };
  };
}

/** The network options apply to --record-cases and --live; each case has its own timezone. */
const { timezone: _, ...SERVICE_OPTIONS } = ENGINE_OPTIONS;

export const TEST_COMMAND: Command = {
  name: 'test',
  about: 'Runs the tests of an app: its cases, and the tests of its custom functions.',
  positionals: [
    {
      name: 'folder or file',
      help: 'Folder of an app, or folders and files of its tests. Default: the nearest app, or the tests in the current folder.',
      isOptional: true,
      isRepeated: true,
    },
  ],
  options: {
    app: { value: 'FOLDER', help: 'Folder of the app, if the tests are elsewhere.' },
    filter: { value: 'TEXT', multiple: true, help: 'Runs tests whose name contains the text.' },
    bail: { help: 'Stops at the first failure.' },
    verbose: { help: 'Lists passed tests too.' },
    watch: { help: 'Reruns the tests that a changed file affects.' },
    'record-cases': {
      help: 'Runs cases with "record": true against the API, shows the completed cases, and writes them after confirmation.',
    },
    live: {
      help: 'Runs cases against the API and reports how its responses have changed. Writes nothing.',
    },
    'max-age': { value: 'AGE', help: 'Lists cases recorded earlier: 90d, 12w.' },
    connection: {
      value: 'NAME|JSON|@FILE',
      multiple: true,
      help: '--record-cases, --live: a stored connection, or the data of one. Repeatable.',
    },
    ...SERVICE_OPTIONS,
    ...SEMANTICS_OPTION,
    update: {
      value: 'expect|exchanges|all',
      looksLikeValue: UPDATE_SCOPE,
      help: 'Shows how failed cases would pass and writes them after confirmation. Default: all.',
    },
    yes: { help: 'Confirms --update and --record-cases.' },
    coverage: {
      value: 'text|json[=FILE]|lcov[=FILE]',
      looksLikeValue: COVERAGE_FORMAT,
      multiple: true,
      help: 'Reports the parts of the app that no case reaches. Default: text; files in coverage/.',
    },
    'trace-files': {
      value: 'on-failure|always|off[=FOLDER]',
      looksLikeValue: TRACE_MODE,
      help: 'Writes runs of cases as files for iml dev. Default: on-failure, in test-traces/.',
    },
    'from-har': {
      value: 'FILE',
      help: 'Runs nothing; prints the exchanges of a HAR file for a case.',
    },
    reporter: {
      value: `${REPORTER_NAMES}[=FILE]`,
      multiple: true,
      help: 'Format of the results, and a file. Default: human.',
    },
  },
  examples: [
    'iml test ./my-app',
    'iml test ./my-app --filter listOrders --bail',
    'iml test ./my-app --reporter human --reporter junit=report.xml',
    'iml test ./my-app --trace-files on-failure=traces',
  ],
  notes: [
    'Cases are files tests/COMPONENT/NAME.test.json in the app; tests of custom functions are functions/NAME/NAME.test.js. Only --record-cases and --live use the network.',
    '--record-cases and --live read other secrets from the environment: {{secret:api-key}} is IML_SECRET_API_KEY.',
  ],
  exitCodes: {
    0: 'all tests passed',
    1: 'a test failed; with --record-cases one was not written, with --live one could not be compared',
    2: 'there is no test, no test ran, or the command line is wrong',
    3: 'with --live: the API has changed',
  },
  run: testApps,
};

async function testApps(args: Arguments, io: Io): Promise<number> {
  const har = args.text('from-har');
  if (har !== undefined)
    return printHarExchanges(har, await findAppFolder(args.positionals[0] ?? args.text('app'), io), io);
  assertTogether(args);
  if (args.isSet('record-cases')) {
    const { recordCases } = await import('../tests/record-cases.js');
    const places = await findPlaces(args, io);
    const isMeant = readFilter(args) ?? (() => true);
    return recordCases(places, isMeant, await withServiceOptions(args, places, io), io);
  }
  const scope = readUpdateScope(args, io);
  const coverage = openCoverage(args, io);
  const maxAgeMs = readMaxAge(args.text('max-age'));
  const places = await findPlaces(args, io);
  if (args.isSet('watch')) {
    if (scope !== undefined || coverage !== undefined) {
      throw usageError('--watch cannot be combined with --update or --coverage.');
    }
    return io.interruptible(async (signal) => {
      const run = (touched: readonly TestPlace[]): Promise<unknown> =>
        runTests(touched, args, io, {
          signal,
          ...(maxAgeMs !== undefined && { runCase: noteAge(runCase, maxAgeMs, Date.now()) }),
        });
      await run(places);
      await watchTests(() => findPlaces(args, io), run, io, signal);
      throw signal.reason;
    });
  }
  return io.interruptible(async (signal) => {
    const live = args.isSet('live')
      ? await openLive(await withServiceOptions(args, places, io), io, signal)
      : undefined;
    const failed: FailedCase[] = [];
    const collectors = new Map<string, CoverageCollector>();
    const summary = await runTests(places, args, io, {
      signal,
      ...(live !== undefined && { casesOnly: true, width: 1 }),
      runCase:
        maxAgeMs === undefined ? live?.runCase : noteAge(live?.runCase ?? runCase, maxAgeMs, Date.now()),
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
    if (summary.passed + summary.failed === 0) throw noTests(args, summary);
    await coverage?.write(io);
    if (live !== undefined && live.drifted() > 0) return EXIT.drift;
    const mended = scope === undefined ? 0 : await updateCases(failed, scope, args, io);
    if (mended > 0) {
      const noun = mended === 1 ? 'failed case was' : 'failed cases were';
      await io.stderr.write(
        `${mended} ${noun} updated. Read the changes: a case may now expect a mistake.\n`,
      );
    }
    return summary.failed === mended ? EXIT.ok : EXIT.failed;
  });
}

/** The options of the app for its API. Tests of several apps take none. */
async function withServiceOptions(args: Arguments, places: readonly TestPlace[], io: Io): Promise<Arguments> {
  const [place, other] = places;
  if (place === undefined || other !== undefined) return args;
  return withProjectOptions(args, TEST_COMMAND.options, place, io);
}

/** Requests are sent one at a time. Loaded lazily, because most runs need no network. */
async function openLive(args: Arguments, io: Io, signal: AbortSignal): Promise<LiveRunner> {
  const { createLiveRunner } = await import('../tests/live-tests.js');
  const { openService } = await import('../tests/service-access.js');
  return createLiveRunner(await openService(args, io), signal);
}

/** @throws EngineError (USAGE) for options that conflict or require another one */
function assertTogether(args: Arguments): void {
  const modes = ['live', 'record-cases', 'update', 'watch', 'coverage', 'trace-files'].filter(args.isSet);
  if (modes.length > 1 && (modes[0] === 'live' || modes[0] === 'record-cases')) {
    throw usageError(
      `--${modes[0]} cannot be combined with ${modes
        .slice(1)
        .map((mode) => `--${mode}`)
        .join(', ')}.`,
    );
  }
  if (args.isSet('live') || args.isSet('record-cases')) return;
  const alone = ['connection', ...Object.keys(SERVICE_OPTIONS)].find(args.isSet);
  if (alone !== undefined)
    throw usageError(`--${alone} requires --record-cases or --live: other runs do not use the network.`);
}

/** The current folder if it is in the folder of tests, else the nearest app. */
async function findTarget(io: Io): Promise<string> {
  const folder = await findAppFolder(undefined, io);
  const steps = path.relative(path.resolve(io.cwd, folder), io.cwd).split(path.sep);
  return steps.includes(TEST_FOLDER) ? '.' : folder;
}

async function findPlaces(args: Arguments, io: Io): Promise<readonly TestPlace[]> {
  const app = args.text('app');
  const given =
    args.positionals.length === 0 && app === undefined ? [await findTarget(io)] : args.positionals;
  try {
    return await findTests(
      given.map((target) => path.resolve(io.cwd, target)),
      app === undefined ? undefined : path.resolve(io.cwd, app),
    );
  } catch (error) {
    if (error instanceof CaseError) throw usageError(error.message);
    if (!(error instanceof SpecError)) throw error;
    const where = error.place === undefined ? '' : `${formatLocation(error.place)}: `;
    throw usageError(where + error.message);
  }
}

function noTests(args: Arguments, { skipped, todo }: TestSummary): Error {
  if (skipped + todo > 0) return usageError('No test ran, so nothing was tested.');
  const filters = args.texts('filter');
  if (filters.length > 0)
    return usageError(`No test has a name with ${filters.map((text) => `"${text}"`).join(' or ')}.`);
  return usageError('There are no tests. iml init tests writes one for each component.');
}

/**
 * Prints the exchanges of a HAR file, and on standard error what was skipped and what to review.
 *
 * @throws EngineError (USAGE) for a file that cannot be read or is not a HAR or has no calls; RecordingError
 */
async function printHarExchanges(har: string, folder: string, io: Io): Promise<number> {
  const { app } = await openApp(folder, io);
  const text = await readText(har, '--from-har', io);
  const { text: exchanges, count, skipped, ...found } = convertHar(text, har, app);
  await io.stdout.write(escapeUnsafe(exchanges));
  const total = skipped.reduce((sum, entries) => sum + entries.count, 0);
  const left = total === 0 ? '' : `, ${total} left out: entries ${listReasons(skipped)}`;
  await io.stderr.write(`${countNouns(count, 'exchange')}${left}. ${describeSecrets(found)}`);
  return EXIT.ok;
}
