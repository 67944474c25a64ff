import { findModule } from '../app/engine/find-component.js';
import { moduleForm } from '../parameters/form/form.js';
import { EngineError } from '../errors/engine-error.js';
import { SpecError } from '../errors/spec-error.js';
import type { ModuleComponent } from '../document/app.js';
import type { PlainObject } from '../util/plain-object.js';
import { type LoadedApp, openApp } from './open-app.js';
import type { Arguments, Command } from './command.js';
import { configFolder } from './connections/config-folder.js';
import { openConnectionFiles, storeForApp } from './connections/connection-store.js';
import { describeError } from './output/describe-error.js';
import { executeRun, type RunOutcome } from './runs/execute-run.js';
import { EXIT } from './exit-code.js';
import { findEntry } from './input/find-entry.js';
import type { Io } from './io.js';
import { readGivenParameters, unknownParameters } from './module-parameters.js';
import { RUN_OPTIONS } from './run-options.js';
import { type RunSettings, readRunSettings } from './run-settings.js';
import { printableLine } from './output/terminal-text.js';
import { usageError } from './usage-error.js';
import { appWarnings, runWarnings } from './output/warning-lines.js';
import { withBaseUrl } from '../app/engine/with-base-url.js';

export const RUN_COMMAND: Command = {
  name: 'run',
  about: 'Runs a module of an app and prints its bundles.',
  positionals: [
    { name: 'app folder', help: 'The folder of the app, or of its repository.' },
    { name: 'module', help: 'The name of the module: iml info <app folder> lists them.' },
  ],
  options: RUN_OPTIONS,
  examples: [
    'iml run ./my-app listContacts -p limit=5 --connection @connection.json',
    'iml run ./my-app getContact -p \'{"id":7}\' --base-url http://127.0.0.1:8080 --allow-local',
    "iml run ./my-app listContacts --query '$count(bundles)'",
  ],
  notes: [
    'JSON may be given in place, as @file, or as @- for standard input.\nA terminal gets a table, a pipe a line of JSON a bundle.',
  ],
  run: runModuleOfApp,
};

async function runModuleOfApp(args: Arguments, io: Io): Promise<number> {
  const settings = await readRunSettings(args, io);
  const [folder = '', name = ''] = args.positionals;
  const loaded = await openApp(folder, io);
  const baseUrl = args.text('base-url');
  const app = baseUrl === undefined ? loaded.app : withBaseUrl(loaded.app, baseUrl);
  const module = moduleOf(loaded, name);
  await io.stderr.write(appWarnings(loaded));
  const fail = async (error: EngineError, notes: string): Promise<number> => {
    await io.stderr.write((await describeError(error, loaded, secretsOf(loaded, settings.input))) + notes);
    return EXIT.failed;
  };
  try {
    const parameters = await readModuleParameters(module, args, io);
    const files = openConnectionFiles(configFolder(io.env));
    if (typeof settings.input.connection === 'string') await findEntry(files, settings.input.connection);
    const connections = storeForApp(files, { app: loaded.app.name, folder: loaded.root });
    const prepared = { app, moduleName: module.name, parameters, settings, connections };
    const outcome = await io.interruptible((signal) => executeRun(prepared, io, signal));
    await io.stderr.write(runWarnings(outcome.warnings, loaded));
    return outcome.error === undefined
      ? EXIT.ok
      : await fail(outcome.error, notesOn(outcome, module, settings));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'USAGE') throw error;
    return fail(error, '');
  }
}

/** @throws EngineError (USAGE) for a name the app does not have */
function moduleOf({ app }: LoadedApp, name: string): ModuleComponent {
  try {
    return findModule(app, name);
  } catch (error) {
    throw error instanceof SpecError ? usageError(error.message) : error;
  }
}

async function readModuleParameters(module: ModuleComponent, args: Arguments, io: Io): Promise<PlainObject> {
  const list = moduleForm(module);
  const given = await readGivenParameters(args.texts('param'), list, io);
  for (const sentence of unknownParameters(given, list)) {
    await io.stderr.write(`warning: ${printableLine(sentence)}\n`);
  }
  return given;
}

function secretsOf({ app }: LoadedApp, { connection, common }: RunSettings['input']): readonly unknown[] {
  return [typeof connection === 'string' ? undefined : connection, common, app.common?.value];
}

/** What somebody at a command line may want to know beside the error. */
function notesOn(
  { error, bundles, requests }: RunOutcome,
  { connection }: ModuleComponent,
  { input }: RunSettings,
): string {
  if (requests === 0 && error?.type === 'BundleValidationError') return CHECK_NOTE;
  const lacksConnection = connection !== undefined && input.connection === undefined;
  return lostBundles(bundles) + (lacksConnection ? connectionNote(connection) : '');
}

function connectionNote(connection: string): string {
  return `The module uses the connection "${printableLine(connection)}", and none was given: --connection NAME takes one that iml connect made.\n`;
}

const CHECK_NOTE = 'Nothing was sent. --defaults fills in defaults, --no-check skips this check.\n';

/** Source: reference/pagination.md (Sequence): an error on any page fails the whole module. [inf] */
function lostBundles(bundles: number): string {
  return bundles === 0 ? '' : `${bundles} bundle(s) came before the error; a scenario gets none of them.\n`;
}
