import type { RunInput } from '../../../engine/component/check-and-connect.js';
import type { ConnectionStore } from '../../../engine/connection/connection-store.js';
import type { CheckParameters } from '../../../engine/parameters/form-check.js';
import { SpecError } from '../../../shared/errors/engine-error.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import { type Arguments, inGroup, missingConnection, type OptionSpecs, usageError } from '../command.js';
import {
  type ConnectionEntry,
  type ConnectionFiles,
  identifyOwner,
  isConnectionName,
  openConnectionFiles,
  storeForApp,
} from '../connections/connection-store.js';
import { configFolder } from '../connections/private-file.js';
import type { Io } from '../io.js';
import type { LoadedApp } from '../open-app.js';
import { readDataObject } from './input-data.js';

/** Options of commands that run a component. */
export const INPUT_OPTIONS: OptionSpecs = inGroup('Input', {
  param: {
    short: 'p',
    value: 'NAME=VALUE|JSON|@FILE',
    multiple: true,
    help: 'Parameters. Text is converted by the type of the field; NAME=@FILE reads a file, @@ is a literal @. Repeatable.',
  },
  connection: {
    value: 'NAME|JSON|@FILE',
    help: 'A stored connection, or the data of one. Never printed.',
  },
  common: { value: 'JSON|@FILE', help: "Replaces the app's common data." },
});

/** Options of commands that check parameters. */
export const CHECK_OPTIONS: OptionSpecs = inGroup('Input', {
  defaults: { help: 'Fills empty fields with their defaults, as the form in Make does.' },
  resolve: {
    help: 'Calls RPCs for fields of rpc:// references, and checks these too.',
  },
  'no-check': { help: 'Passes parameters without checks and conversion.' },
});

/** Input of a component, without its parameters. */
export type ComponentInput = Pick<RunInput, 'connection' | 'common'>;

/** @throws EngineError (USAGE) */
export async function readComponentInput(args: Arguments, io: Io): Promise<ComponentInput> {
  const connection = args.text('connection');
  // A name is looked up when the run starts, because the connection may need a refresh.
  const isName = connection !== undefined && isConnectionName(connection);
  return {
    connection: isName ? connection : await readObjectOption(args, 'connection', io),
    common: await readObjectOption(args, 'common', io),
  };
}

/** @throws EngineError (USAGE) */
export async function readObjectOption(
  args: Arguments,
  option: string,
  io: Io,
): Promise<PlainObject | undefined> {
  const text = args.text(option);
  return text === undefined ? undefined : readDataObject(text, `--${option}`, io);
}

export function readCheck(args: Arguments): CheckParameters {
  if (args.isSet('no-check')) return false;
  return { defaults: args.isSet('defaults'), resolve: args.isSet('resolve') ? 'options' : 'none' };
}

/**
 * The stored connections for runs of an app.
 *
 * @throws EngineError (USAGE) for an unknown name; StoreError for a connection that cannot be opened
 */
export async function openConnections(
  { connection }: ComponentInput,
  { app }: LoadedApp,
  io: Io,
): Promise<ConnectionStore> {
  const files = openConnectionFiles(configFolder(io.env));
  if (typeof connection === 'string') await findEntry(files, connection);
  return storeForApp(files, identifyOwner(app));
}

/** Input values to redact. */
export function listSecrets({ connection, common }: ComponentInput, { app }: LoadedApp): readonly unknown[] {
  return [typeof connection === 'string' ? undefined : connection, common, app.common?.value];
}

/**
 * The component of an argument.
 *
 * @throws EngineError (USAGE) for an unknown name
 */
export function findNamed<Component>(find: () => Component): Component {
  try {
    return find();
  } catch (error) {
    throw error instanceof SpecError ? usageError(error.message, error) : error;
  }
}

/**
 * The stored connection of a name.
 *
 * @throws EngineError (CONNECTION_MISSING) for an unknown name; StoreError if it cannot be opened
 */
export async function findEntry(files: ConnectionFiles, name: string): Promise<ConnectionEntry> {
  const entry = await files.read(name);
  if (entry !== undefined) return entry;
  const { entries } = await files.list();
  const hint = didYouMean(
    name,
    entries.map((known) => known.name),
  );
  throw missingConnection(name, hint);
}
