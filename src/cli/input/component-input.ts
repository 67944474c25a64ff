import type { ConnectedInput } from '../../component/check-and-connect.js';
import type { ConnectionStore } from '../../connection/connection-store.js';
import type { CheckParameters } from '../../parameters/check/form-check.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { Arguments, OptionSpec } from '../command.js';
import { configFolder } from '../connections/config-folder.js';
import {
  identifyOwner,
  isConnectionName,
  openConnectionFiles,
  storeForApp,
} from '../connections/connection-store.js';
import type { Io } from '../io.js';
import type { LoadedApp } from '../open-app.js';
import { findEntry } from './find-entry.js';
import { readDataObject } from './input-data.js';

/** Options of every command that runs a component: what the component is given. */
export const INPUT_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  param: {
    short: 'p',
    value: 'NAME=VALUE|JSON|@FILE',
    multiple: true,
    help: 'Parameters; text is read by the type of its field, NAME=@FILE takes a file, @@ writes an @. May be repeated.',
  },
  connection: {
    value: 'NAME|JSON|@FILE',
    help: 'A connection that iml connect made, or data of one, credentials included. Never shown.',
  },
  common: { value: 'JSON|@FILE', help: "Replaces the app's common data." },
};

/** Of a command whose component has a form that is checked. */
export const CHECK_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  defaults: { help: 'Fills fields that are not given with their defaults, as the form in the editor does.' },
  resolve: {
    help: "Asks the app's RPCs for fields that rpc:// references stand for, and checks those, too.",
  },
  'no-check': { help: 'Hands the parameters over as they are, unchecked and unconverted.' },
};

/** What a component is given beside its parameters. */
export type ComponentInput = Pick<ConnectedInput, 'connection' | 'common'>;

/** @throws EngineError (USAGE) */
export async function readComponentInput(args: Arguments, io: Io): Promise<ComponentInput> {
  const connection = args.text('connection');
  // A name is looked up when the run starts, as it may have to be refreshed.
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
 * The connections that runs of an app may name.
 *
 * @throws EngineError (USAGE) where the one that is named is not there; StoreError for one that cannot be opened
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

/** What must not be shown of what was given. */
export function listSecrets({ connection, common }: ComponentInput, { app }: LoadedApp): readonly unknown[] {
  return [typeof connection === 'string' ? undefined : connection, common, app.common?.value];
}
