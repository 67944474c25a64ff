import { existsSync } from 'node:fs';
import path from 'node:path';
import { createEngine } from '../../../engine/create-engine.js';
import type { ModuleComponent } from '../../../engine/document/app.js';
import { findModule } from '../../../engine/find-component.js';
import { moduleForm } from '../../../engine/parameters/form.js';
import { withVersionFolder } from '../../life/open-revision.js';
import { type BenchOptions, benchModule, type LiveBench } from '../../testing/bench/bench-module.js';
import type { BenchReport } from '../../testing/bench/bench-report.js';
import {
  type Arguments,
  type Command,
  EXIT,
  inGroup,
  type OptionSpecs,
  type PositionalSpec,
  usageError,
} from '../command.js';
import {
  CHECK_OPTIONS,
  findNamed,
  INPUT_OPTIONS,
  listSecrets,
  openConnections,
  readCheck,
  readComponentInput,
} from '../input/component-input.js';
import { ENGINE_OPTIONS, readEngineOptions } from '../input/engine-options.js';
import { readKnownParameters } from '../input/module-parameters.js';
import { readFormat, readWhole } from '../input/option-values.js';
import { withProjectOptions } from '../input/project-options.js';
import { readTriggerStart } from '../input/run-options.js';
import type { Io } from '../io.js';
import { APP_FOLDER, type LoadedApp, openApp, readAppAndName } from '../open-app.js';
import { printPrettyJson } from '../output/json-output.js';
import { printBench } from '../output/print-bench.js';
import { startProgress } from '../output/progress.js';
import { workWithApp } from '../work-with-app.js';

const NAME: PositionalSpec = { name: 'module', help: 'Name of the module (see iml info).' };

const FORMATS = ['table', 'json'] as const;

const { param, ...CONNECTION_OPTIONS } = INPUT_OPTIONS;

/** Options of runs against the API. */
const LIVE_OPTIONS: OptionSpecs = {
  ...CONNECTION_OPTIONS,
  start: {
    group: 'Input',
    value: 'all|DATE|ID',
    help: 'Start of a polling trigger: all, a date, or the ID of an item (see iml run epoch:NAME).',
  },
  ...CHECK_OPTIONS,
  'allow-changes': {
    group: 'Network',
    help: 'Sends requests with methods other than GET, HEAD and OPTIONS to the API, once per run.',
  },
  ...ENGINE_OPTIONS,
};

const OPTIONS: OptionSpecs = {
  ...(param !== undefined && { param }),
  ...inGroup('Input', {
    case: { value: 'NAME', help: 'Measures one case. Default: all cases of the module.' },
    pages: { value: 'N', help: 'Generates N pages from a case, or from samples without one.' },
    'page-size': { value: 'N', help: 'Generates pages of N records. Default: as recorded.' },
    latency: { value: 'MS', help: 'Delays each response of the mock service. Default: 0.' },
    live: { help: 'Sends the requests to the API instead of a mock service.' },
    compare: {
      value: 'REVISION',
      help: 'Compares the app with a git revision of it, or another folder: main, v1.2:src, ../old-app.',
    },
    rounds: { value: 'N', help: 'Number of rounds. Default: 10, with --live 3.' },
  }),
  ...inGroup('Output', {
    format: { value: FORMATS.join('|'), help: 'Output format. Default: table.' },
    json: { help: 'Short for --format json.' },
    'fail-if-slower': {
      value: 'PERCENT',
      help: 'With --compare: exit code 1 if the app is slower by more, in a second measurement too.',
    },
  }),
  ...LIVE_OPTIONS,
};

export const BENCH_COMMAND: Command = {
  name: 'bench',
  about: 'Measures how fast a module reads pages, from a mock service in another process or from the API.',
  positionals: [APP_FOLDER, NAME],
  options: OPTIONS,
  examples: [
    'iml bench ./my-app listContacts',
    'iml bench ./my-app listContacts --pages 20 --page-size 100 --latency 50',
    'iml bench ./my-app listContacts --pages 20 --compare main --fail-if-slower 10',
    'iml bench ./my-app listContacts --live --connection work -p limit=500',
  ],
  notes: [
    'Without --pages and --live the mock service plays the recorded cases of the module. -p replaces parameters of the case with --pages, and is the input with --live.',
  ],
  exitCodes: {
    1: 'the module is slower than --fail-if-slower allows, the outputs of both versions differ, or a run failed',
  },
  run: benchModuleOfApp,
};

async function benchModuleOfApp(line: Arguments, io: Io): Promise<number> {
  const [folder, name] = await readAppAndName(line, NAME, io);
  const format = readFormat(line, FORMATS);
  assertTogether(line);
  const loaded = await openApp(folder, io);
  const args = line.isSet('live') ? await withProjectOptions(line, OPTIONS, loaded, io) : line;
  const module = findNamed(() => findModule(loaded.app, name));
  const input = await readComponentInput(args, io);
  const options = readBenchOptions(args);
  let code: number = EXIT.ok;
  const failed = await workWithApp(
    {
      loaded,
      component: { kind: 'module', name },
      // Diagnostics of the app do not belong here.
      form: 'json',
      secrets: listSecrets(input, loaded),
    },
    io,
    () =>
      io.interruptible(async (signal) => {
        const form = { what: 'module', list: moduleForm(module) };
        const parameters = await readKnownParameters(args, form, io);
        const report = await measure(
          {
            ...options,
            ...(args.isSet('live')
              ? { live: await readLive(args, { loaded, module, parameters, signal }, io) }
              : args.isSet('param') && { parameters }),
            signal,
          },
          { loaded, name, compare: args.text('compare') },
          io,
        );
        const { isTerminal, columns } = io.stdout;
        await io.stdout.write(
          format === 'json'
            ? `${printPrettyJson(report)}\n`
            : printBench(report, { columns, showsPlot: isTerminal, other: args.text('compare') }),
        );
        if (report.workloads.some(({ comparison }) => comparison?.isSlower)) code = EXIT.failed;
        return { error: undefined, warnings: [] };
      }),
  );
  return failed === EXIT.ok ? code : failed;
}

/** @throws EngineError (USAGE) for options that conflict or require another one */
function assertTogether(args: Arguments): void {
  const isLive = args.isSet('live');
  const ofMock = ['pages', 'page-size', 'latency', 'case'].find(args.isSet);
  if (isLive && ofMock !== undefined) throw usageError(`--live and --${ofMock} exclude each other.`);
  const ofLive = Object.keys(LIVE_OPTIONS).find(args.isSet);
  if (!isLive && ofLive !== undefined) {
    throw usageError(`--${ofLive} is for --live: a mock service gets its input from a case.`);
  }
  const isGenerated = args.isSet('pages') || args.isSet('page-size');
  if (args.isSet('param') && !isLive && !isGenerated) {
    throw usageError('--param is for --pages and --live: a recorded case has its own parameters.');
  }
  if (args.isSet('fail-if-slower') && !args.isSet('compare')) {
    throw usageError('--fail-if-slower is for --compare.');
  }
}

function readBenchOptions(args: Arguments): BenchOptions {
  return {
    case: args.text('case'),
    pages: readWhole(args, 'pages'),
    pageSize: readWhole(args, 'page-size'),
    latencyMs: readWhole(args, 'latency', { min: 0 }),
    rounds: readWhole(args, 'rounds'),
    tolerance: readPercent(args.text('fail-if-slower')),
  };
}

function readPercent(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}(?:\.\d{1,3})?%?$/.test(text)) return Number.parseFloat(text);
  throw usageError(`--fail-if-slower: "${text}" is not a percentage such as 10.`);
}

interface LiveParts {
  readonly loaded: LoadedApp;
  readonly module: ModuleComponent;
  readonly parameters: LiveBenchInput['parameters'];
  readonly signal: AbortSignal;
}

type LiveBenchInput = NonNullable<LiveBench['input']>;

async function readLive(
  args: Arguments,
  { loaded, module, parameters, signal }: LiveParts,
  io: Io,
): Promise<LiveBench> {
  const given = await readComponentInput(args, io);
  const connections = await openConnections(given, loaded, io);
  const engine = { ...readEngineOptions(args), connections };
  const input = { ...given, parameters, checkParameters: readCheck(args) };
  const mayChange = args.isSet('allow-changes');
  const start = args.text('start');
  if (start === undefined) return { input, engine, mayChange };
  if (module.type !== 'trigger') {
    throw usageError(
      `--start: only polling triggers have a start, and "${module.name}" is of type ${module.type}.`,
    );
  }
  const starting = createEngine({ app: loaded.app, ...engine });
  try {
    const begin = await readTriggerStart(start, module, starting, { ...input, signal });
    return { input: { ...input, ...begin }, engine, mayChange };
  } finally {
    await starting.close();
  }
}

interface Measured {
  readonly loaded: LoadedApp;
  readonly name: string;
  readonly compare: string | undefined;
}

async function measure(
  options: BenchOptions,
  { loaded: { root }, name, compare }: Measured,
  io: Io,
): Promise<BenchReport> {
  let line = 'preparing';
  const progress = startProgress(() => `${name}: ${line}`, io);
  const run = (compareWith?: string): Promise<BenchReport> =>
    benchModule(root, name, {
      ...options,
      compareWith,
      onRound: (workload, round, rounds) => {
        line = `${workload}, round ${round} of ${rounds}`;
      },
    });
  try {
    if (compare === undefined) return await run();
    // A revision without a folder means this app in that revision.
    const isOfApp = !compare.includes(':') && !existsSync(path.resolve(io.cwd, compare));
    return await withVersionFolder(compare, isOfApp ? root : io.cwd, (folder) => run(folder));
  } finally {
    await progress.stop();
  }
}
