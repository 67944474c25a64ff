import type { RunInput } from '../../../engine/component/check-and-connect.js';
import { createEngine } from '../../../engine/create-engine.js';
import type { ModuleComponent } from '../../../engine/document/app.js';
import { findModule } from '../../../engine/find-component.js';
import { moduleForm } from '../../../engine/parameters/form.js';
import { readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import { type Arguments, type Command, type PositionalSpec, usageError } from '../command.js';
import { type ExecutedRun, executeRun, explainEmptyRun, type PreparedRun } from '../execute-run.js';
import { findNamed, listSecrets, openConnections } from '../input/component-input.js';
import { readKnownParameters } from '../input/module-parameters.js';
import { withProjectOptions } from '../input/project-options.js';
import {
  type GivenState,
  isStateOfOneRun,
  openState,
  RUN_OPTIONS,
  type RunSettings,
  readRunSettings,
  readTriggerStart,
} from '../input/run-options.js';
import type { Io } from '../io.js';
import { APP_FOLDER, openApp, readAppAndName } from '../open-app.js';
import { printableLine } from '../output/terminal-text.js';
import { readRecordSettings } from '../recording/record-settings.js';
import type { RecordedSubject } from '../recording/recorder.js';
import { addRecording, dropUnreadOutput, prepareRecording } from '../recording/with-recording.js';
import { checkNote, readTarget, runNamed } from '../run-named.js';
import { type AppWork, workWithApp } from '../work-with-app.js';

const NAME: PositionalSpec = {
  name: 'module',
  help: 'Name of the module, or endpoint:NAME, rpc:NAME, epoch:NAME (see iml info).',
};

export const RUN_COMMAND: Command = {
  name: 'run',
  about: 'Runs a module of an app and prints its bundles, or an endpoint, an RPC or an epoch.',
  positionals: [APP_FOLDER, NAME],
  options: RUN_OPTIONS,
  examples: [
    'iml run ./my-app listContacts -p limit=5 --connection @connection.json',
    'iml run ./my-app getContact -p \'{"id":7}\' --map https://api.example.com=http://127.0.0.1:8080',
    'iml run ./my-app upload -p file=@report.pdf',
    'iml run ./my-app watchContacts --state watch.json --start all',
    "iml run ./my-app listContacts --query '$count(bundles)'",
    'iml run ./my-app endpoint:getContact -p id=7 --connection work',
    "iml run ./my-app 'rpc://listFields?table=contacts' --table",
    'iml run ./my-app epoch:watchContacts --connection work',
  ],
  notes: [
    'JSON values can be inline, @file, or @- for standard input.\nPrints a table on a terminal and NDJSON otherwise. The result of an endpoint or RPC is printed as JSON.',
    'rpc:NAME calls an RPC. Its parameters are not checked, because forms call RPCs before all fields have a value. epoch:NAME lists what a polling trigger can start with: pass an id of the list to --start, or its state to --state.',
  ],
  run: (args, io) => runModuleOfApp(args, dropUnreadOutput(args, io)),
};

async function runModuleOfApp(line: Arguments, io: Io): Promise<number> {
  const [folder, name] = await readAppAndName(line, NAME, io);
  const loaded = await openApp(folder, io);
  const args = await withProjectOptions(line, RUN_OPTIONS, loaded, io);
  const target = readTarget(name);
  if (target !== undefined) return runNamed(target, { line, args, loaded }, io);
  if (!loaded.app.modules.has(name) && loaded.app.endpoints.has(name)) {
    throw usageError(`"${name}" is an endpoint. Run it as endpoint:${name}.`);
  }
  const settings = await readRunSettings(args, io);
  const recording = await readRecordSettings(args, io);
  const module = findNamed(() => findModule(loaded.app, name));
  assertStateOptions(args, module);
  const work: AppWork = {
    loaded,
    component: { kind: 'module', name: module.name },
    form: settings.form,
    secrets: listSecrets(settings.input, loaded),
  };
  return workWithApp(work, io, async () => {
    const stateText = args.text('state');
    const state = stateText === undefined ? undefined : await openState(stateText, io);
    const parameters = await readKnownParameters(args, { what: 'module', list: moduleForm(module) }, io);
    const connections = await openConnections(settings.input, loaded, io);
    const prepared = { app: loaded.app, moduleName: module.name, parameters, settings, connections };
    return io.interruptible(async (signal) => {
      const given = await withStart(prepared, { module, start: args.text('start'), state, signal });
      const options = given.settings.engine;
      const { input, recorder } = await prepareRecording(
        recording,
        { ...given, options },
        module,
        given.settings.input,
      );
      const started = { ...given, settings: { ...given.settings, input }, recorder };
      const result = await executeRun(started, io, signal);
      await keepState(result, state);
      const told = { ...result, notes: notesOn(result, module, started.settings) };
      return addRecording(told, recorder, (now) => describeRun(started, module, result, now));
    });
  });
}

/** @throws EngineError (USAGE) for options of polling triggers on other modules, and for conflicting options */
function assertStateOptions(args: Arguments, { name, type }: ModuleComponent): void {
  const given = ['start', 'state'].find(args.isSet);
  if (given === undefined) return;
  if (type !== 'trigger')
    throw usageError(`--${given}: only polling triggers have a state, and "${name}" is of type ${type}.`);
  if (args.isSet('start') && isStateOfOneRun(args.text('state') ?? '')) {
    throw usageError('--start and a --state of JSON or @FILE exclude each other.');
  }
}

function describeRun(
  { app, settings, parameters }: PreparedRun,
  { name, type }: ModuleComponent,
  { error, bundles }: ExecutedRun,
  now: string,
): RecordedSubject {
  const { common, ...input } = settings.input;
  return {
    app,
    component: { type: 'module', name },
    ...readCommon(app, common),
    kind: type === 'universal' ? 'action' : type,
    input: toFixtureInput({ ...input, parameters }, settings.engine, now),
    ended: {
      error: error && { type: error.type, message: error.message },
      ...(error === undefined && { bundleCount: bundles }),
    },
  };
}

interface TriggerBegin {
  readonly module: ModuleComponent;
  readonly start: string | undefined;
  readonly state: GivenState | undefined;
  readonly signal: AbortSignal;
}

/** `--start` applies only without stored state. */
async function withStart(
  prepared: PreparedRun,
  { module, start, state, signal }: TriggerBegin,
): Promise<PreparedRun> {
  const begin = (more: Pick<RunInput, 'state' | 'start'>): PreparedRun => ({
    ...prepared,
    settings: { ...prepared.settings, input: { ...prepared.settings.input, ...more } },
  });
  if (state?.value !== undefined) return begin({ state: state.value });
  if (start === undefined) return prepared;
  const { app, connections, settings, parameters } = prepared;
  const engine = createEngine({ app, connections, ...settings.engine });
  try {
    return begin(await readTriggerStart(start, module, engine, { ...settings.input, parameters, signal }));
  } finally {
    await engine.close();
  }
}

/** After a failed run the state stays, so that the next run returns the same items again. */
async function keepState({ error, state }: ExecutedRun, given: GivenState | undefined): Promise<void> {
  if (error === undefined && state !== undefined) await given?.write?.(state);
}

function notesOn(outcome: ExecutedRun, module: ModuleComponent, { input, maxBundles }: RunSettings): string {
  const { connection, type } = module;
  const { error, bundles, requests, state } = outcome;
  if (error === undefined) {
    if (bundles > 0 || maxBundles === 0) return '';
    const { start, payload } = input;
    // An unusable state was ignored.
    const isUnused = outcome.warnings.some(({ code }) => code === 'trigger-state');
    const since = isUnused ? undefined : (input.state ?? (typeof start === 'object' ? start : undefined));
    return explainEmptyRun({ type, requests, since, start, payload, state });
  }
  if (requests === 0 && error.type === 'BundleValidationError') return checkNote(error, moduleForm(module));
  const lacksConnection = connection !== undefined && input.connection === undefined;
  return lostBundles(bundles) + (lacksConnection ? connectionNote(connection) : '');
}

function connectionNote(connection: string): string {
  return `The module uses the connection "${printableLine(connection)}", but --connection is missing. Create a connection with iml connect and pass its name.\n`;
}

/** An error on any page fails the whole module. [inf] */
function lostBundles(bundles: number): string {
  return bundles === 0
    ? ''
    : `The run returned ${bundles} bundle(s) before the error. A scenario discards them.\n`;
}
