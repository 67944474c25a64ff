import type { Succeeded } from '../../../engine/component/report.js';
import type { Connection } from '../../../engine/connection/connection.js';
import type { ConnectionReport } from '../../../engine/connection/connection-input.js';
import type { StoredConnection } from '../../../engine/connection/connection-store.js';
import { createEngine } from '../../../engine/create-engine.js';
import { findConnection } from '../../../engine/find-component.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import {
  type Arguments,
  type Command,
  EXIT,
  isUsageError,
  missingConnection,
  usageError,
} from '../command.js';
import {
  type ConnectionEntry,
  type ConnectionFiles,
  type ConnectionOwner,
  identifyOwner,
  isSameApp,
  keptOwner,
  labelConnection,
  MOVE_HINT,
  openConnectionFiles,
  otherApp,
} from '../connections/connection-store.js';
import { configFolder } from '../connections/private-file.js';
import { findEntry, findNamed } from '../input/component-input.js';
import {
  NETWORK_OPTIONS,
  readNetworkOptions,
  readTraceOptions,
  TRACE_OPTIONS,
} from '../input/engine-options.js';
import { CONNECTIONS_OPTION, openConnections } from '../input/host-store-options.js';
import { readAction } from '../input/option-values.js';
import { withProjectOptions } from '../input/project-options.js';
import type { Io } from '../io.js';
import { type LoadedApp, openApp } from '../open-app.js';
import { describeError } from '../output/print-error.js';
import { printRows } from '../output/print-table.js';
import { printableLine } from '../output/terminal-text.js';

const ACTIONS = ['list', 'test', 'refresh', 'move', 'remove', 'import', 'export'] as const;

type Action = (typeof ACTIONS)[number];

const WAYS_OUT = `${MOVE_HINT}, or remove it without an app: iml connections remove NAME --local.`;

export const CONNECTIONS_COMMAND: Command = {
  name: 'connections',
  about: 'Lists, tests, refreshes, moves, removes and copies stored connections.',
  positionals: [
    {
      name: 'action',
      help: 'list, test, refresh, move, remove, import or export. Default: list.',
      isOptional: true,
    },
    {
      name: 'name',
      help: 'Name of the connection; required except for list, import and export.',
      isOptional: true,
    },
  ],
  options: {
    app: {
      value: 'FOLDER',
      help: 'move: new folder of the app. Other actions: folder of the app. Default: the folder at creation.',
    },
    local: { help: 'remove: deletes the connection here without revoking it at the API.' },
    json: { help: 'list: prints JSON.' },
    ...CONNECTIONS_OPTION,
    ...TRACE_OPTIONS,
    ...NETWORK_OPTIONS,
  },
  examples: [
    'iml connections list',
    'iml connections test work',
    'iml connections move work --app ./my-app',
    'iml connections remove work',
    'iml connections import work --database postgres://localhost/iml',
  ],
  notes: [
    'Credentials are never printed.',
    'import copies connections of this user into --database; export copies them from there. Without a name, both copy all. Use a connection in one store only, because many APIs revoke a connection if its old token is used twice.',
  ],
  run: manageConnections,
};

async function manageConnections(args: Arguments, io: Io): Promise<number> {
  const action = readAction(args.positionals[0], ACTIONS);
  const [, name] = args.positionals;
  const { files, close } = await openConnections(args, io);
  try {
    return await manage(action, name, { files, args, io });
  } finally {
    await close();
  }
}

async function manage(action: Action, name: string | undefined, place: Workplace): Promise<number> {
  const { files, args, io } = place;
  if (action === 'import' || action === 'export') return copy(action, name, place);
  if (action === 'list') {
    if (name !== undefined) throw usageError(`Unexpected argument "${name}".`);
    return list(files, args, io);
  }
  if (name === undefined) throw usageError(`Missing <name>: which connection to ${action}.`);
  if (action === 'remove' && args.isSet('local')) return forget(files, name, io);
  const entry = await findEntry(files, name);
  if (action === 'move') return move(entry, place);
  return act(action, entry, place);
}

/** Copies connections between the user's folder and a database. */
async function copy(
  action: 'import' | 'export',
  name: string | undefined,
  place: Workplace,
): Promise<number> {
  const { files, args, io } = place;
  if (args.text('database') === undefined) throw usageError(`Missing --database URL: where to ${action}.`);
  const own = openConnectionFiles(configFolder(io.env));
  const [from, to] = action === 'import' ? [own, files] : [files, own];
  const entries = name === undefined ? (await from.list()).entries : [await findEntry(from, name)];
  const app = args.text('app');
  const loaded = app === undefined ? undefined : await openApp(app, io);
  for (const entry of entries) {
    if (action === 'export' && loaded === undefined) {
      throw usageError('Missing --app FOLDER: the folder of the app that owns the connection.');
    }
    const owner = loaded === undefined ? entry.owner : identifyOwner(loaded.app);
    if (loaded !== undefined && !isSameApp({ ...entry.owner, folder: '' }, owner)) {
      throw usageError(otherApp(entry));
    }
    await to.exclusively(entry.name, () => to.write(entry.name, entry.stored, owner));
    await io.stdout.write(`${printableLine(`The connection "${entry.name}" is copied.`)}\n`);
  }
  return EXIT.ok;
}

async function list(files: ConnectionFiles, args: Arguments, io: Io): Promise<number> {
  const { entries, unreadable } = await files.list();
  const reasons = new Set(unreadable.map((error) => error.message));
  for (const reason of reasons) await io.stderr.write(`warning: ${printableLine(reason)}\n`);
  await printRows(entries.map(toRow), 'No connections. Create one with iml connect.', args, io);
  return EXIT.ok;
}

/** Connection data that is safe to print. */
function toRow({ name, owner, savedAt, stored }: ConnectionEntry): Record<string, string> {
  const expires = stored.expires instanceof Date ? stored.expires.toISOString() : (stored.expires ?? '');
  return {
    name,
    app: owner.app,
    connection: stored.component,
    label: labelConnection(stored),
    expires,
    tokenExpires: readTokenExpiry(stored.connection['expires']),
    saved: savedAt,
  };
}

/** By convention, apps store the expiry of the access token as `expires` in the data of a connection. */
function readTokenExpiry(expires: unknown): string {
  const date =
    expires instanceof Date ? expires : new Date(typeof expires === 'string' ? expires : Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

interface Workplace {
  readonly files: ConnectionFiles;
  readonly args: Arguments;
  readonly io: Io;
}

/** Runs an action that needs the app, which has the requests for it. */
async function act(action: Action, entry: ConnectionEntry, place: Workplace): Promise<number> {
  const { io } = place;
  const loaded = await openOwner(entry, place);
  const args = await withProjectOptions(place.args, CONNECTIONS_COMMAND.options, loaded, io);
  const engine = createEngine({
    app: loaded.app,
    ...readNetworkOptions(args),
    ...readTraceOptions(args, io),
  });
  try {
    const connection = engine.connection(entry.stored.component);
    const done = await io.interruptible((signal) =>
      perform(action, entry, { ...place, connection, loaded, signal }),
    );
    await io.stdout.write(`${done}\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof EngineError) || isUsageError(error)) throw error;
    await io.stderr.write(await describeError(error, loaded, listSecrets(entry.stored)));
    return EXIT.failed;
  } finally {
    await engine.close();
  }
}

/**
 * Loads the app of a connection from its stored folder or from `--app`.
 *
 * @throws EngineError (USAGE) if it is missing or another app
 */
async function openOwner(entry: ConnectionEntry, { args, io }: Workplace): Promise<LoadedApp> {
  const { owner } = entry;
  const given = args.text('app');
  if (given === undefined && owner.folder === '') {
    throw usageError(`Missing --app FOLDER: the folder of the app "${owner.app}" here.`);
  }
  const loaded = given === undefined ? await openKnown(owner, io) : await openApp(given, io);
  if (isSameApp(owner, identifyOwner(loaded.app))) return loaded;
  throw usageError(`${otherApp(entry)} If this is that app: ${WAYS_OUT}`);
}

async function openKnown({ app, folder }: ConnectionOwner, io: Io): Promise<LoadedApp> {
  return openApp(folder, io).catch((error: unknown) => {
    if (!(error instanceof EngineError) || error.code !== 'USAGE') throw error;
    throw usageError(
      `${error.message} The connection belongs to the app "${app}" in that folder. If the app moved: ${WAYS_OUT}`,
      error,
    );
  });
}

/** Assigns a connection to the new folder of its app. */
async function move(entry: ConnectionEntry, { files, args, io }: Workplace): Promise<number> {
  const folder = args.text('app');
  if (folder === undefined) throw usageError('Missing --app FOLDER: the new folder of the app.');
  const { app } = await openApp(folder, io);
  const { name, stored } = entry;
  findNamed(() => findConnection(app, stored.component));
  await files.exclusively(name, async () => {
    // Tokens may have been renewed meanwhile.
    const current = await findEntry(files, name);
    await files.write(name, current.stored, identifyOwner(app));
  });
  const where = `"${app.name}" in ${app.identity}`;
  await io.stdout.write(`${printableLine(`The connection "${name}" now belongs to the app ${where}.`)}\n`);
  return EXIT.ok;
}

interface Performance extends Workplace {
  readonly connection: Connection;
  readonly loaded: LoadedApp;
  readonly signal: AbortSignal;
}

/**
 * A refresh ignores Ctrl-C: losing renewed tokens would break the connection.
 *
 * @returns the message to print
 */
async function perform(action: Action, entry: ConnectionEntry, at: Performance): Promise<string> {
  const { files, connection, loaded, signal } = at;
  const owned = { ...entry, owner: keptOwner(entry.owner, identifyOwner(loaded.app)) };
  const name = printableLine(entry.name);
  switch (action) {
    case 'test': {
      const { stored } = await change(owned, files, async (current, keep) => {
        const fresh = await keep(await connection.refresh(current).orThrow());
        return keep(await connection.test(fresh.stored, { signal }).orThrow());
      });
      const label = labelConnection(stored);
      return `The connection "${name}" works${label === '' ? '' : `: ${label}`}.`;
    }
    case 'refresh': {
      const { stats } = await change(owned, files, async (current, keep) =>
        keep(await connection.refresh(current, { force: true }).orThrow()),
      );
      return stats.requests > 0
        ? `The connection "${name}" is refreshed.`
        : `The connection "${name}" has no refresh call.`;
    }
    default:
      await invalidate(entry, at);
      await files.remove(entry.name);
      return `The connection "${name}" is removed.`;
  }
}

type Kept = Succeeded<ConnectionReport>;
type Keep = (report: Kept) => Promise<Kept>;

/** Changes a stored connection under its lock. */
async function change(
  { name, owner }: ConnectionEntry,
  files: ConnectionFiles,
  work: (current: StoredConnection, keep: Keep) => Promise<Kept>,
): Promise<Kept> {
  return files.exclusively(name, async () => {
    const current = await findEntry(files, name);
    return work(current.stored, async (report) => {
      if (report.stats.requests > 0) await files.write(name, report.stored, owner);
      return report;
    });
  });
}

/** A connection can be removed even if its API does not respond. */
async function invalidate(
  entry: ConnectionEntry,
  { connection, loaded, io, signal }: Performance,
): Promise<void> {
  try {
    await connection.invalidate(entry.stored, { signal }).orThrow();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const text = await describeError(error, loaded, listSecrets(entry.stored));
    await io.stderr.write(`warning: the API was not notified.\n${text}`);
  }
}

async function forget(files: ConnectionFiles, name: string, io: Io): Promise<number> {
  if (!(await files.remove(name))) throw missingConnection(name, '');
  await io.stdout.write(`The connection "${printableLine(name)}" is removed.\n`);
  return EXIT.ok;
}

function listSecrets({ connection, parameters, common }: StoredConnection): readonly unknown[] {
  return [connection, parameters, common];
}
