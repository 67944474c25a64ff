import { access } from 'node:fs/promises';
import path from 'node:path';
import type { HostQueue } from '../../../host/queue/host-queue.js';
import { createLocalQueue } from '../../../host/queue/local-queue.js';
import { createPostgresQueue } from '../../../host/queue/postgres-queue.js';
import { openHostPostgres, openHostSqlite } from '../../../host/store/open-host-store.js';
import type { HostStore } from '../../../host/store/tables.js';
import { EngineError, StoreError } from '../../../shared/errors/engine-error.js';
import { loadPackages } from '../../../shared/errors/load-packages.js';
import { SEAL_KEY_BYTES } from '../../../shared/seal.js';
import { readCode } from '../../../shared/store/sql-database.js';
import { type Arguments, EXIT, type OptionSpec, usageError } from '../command.js';
import {
  type ConnectionEntry,
  type ConnectionFiles,
  openConnectionFiles,
  openEntry,
  sealEntry,
  userKey,
} from '../connections/connection-store.js';
import {
  configFolder,
  makePrivateFolder,
  makeStateFolder,
  refuseLinks,
} from '../connections/private-file.js';
import type { Io } from '../io.js';

/** Variable with the key, for hosts of several machines. */
const KEY_VARIABLE = 'IML_HOST_KEY';

/** Options of commands that open the store of a host. */
export const HOST_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  data: { value: 'DIR', help: 'Folder of the SQLite file. Default: .iml in the current folder.' },
  database: {
    value: 'URL',
    help: 'PostgreSQL instead of SQLite: postgres://user:password@host/name. Default: IML_DATABASE. All machines on it need the same IML_HOST_KEY.',
  },
};

/** The option of commands that manage the connections of hosts on PostgreSQL. */
export const CONNECTIONS_OPTION: Readonly<Record<string, OptionSpec>> = {
  database: {
    value: 'URL',
    help: 'Connections of the hosts on this PostgreSQL database, sealed with IML_HOST_KEY. Default: those of this user.',
  },
};

export interface OpenConnections {
  readonly files: ConnectionFiles;
  readonly close: () => Promise<void>;
}

/** Opens the connections that `--database` names, by default those of the user. */
export async function openConnections(args: Arguments, io: Io): Promise<OpenConnections> {
  const url = args.text('database');
  if (url === undefined) return { files: openConnectionFiles(configFolder(io.env)), close: async () => {} };
  const sealKey = await readKey(io.env);
  const { connections, close } = await openDatabase({
    ...{ url, sealKey, waitMs: 0, onWait: undefined },
  });
  return { files: connections, close };
}

export interface HostParts {
  readonly store: HostStore;
  readonly queue: HostQueue;
  /** The connections of its scenarios: in the database, or with SQLite those of the user. */
  readonly connections: ConnectionFiles;
  /** Description of the store, safe to print. */
  readonly at: string;
  readonly close: () => Promise<void>;
}

/**
 * Opens the store of a host.
 *
 * @param options.onWait called once if a server does not respond at first
 * @param options.mayCreate whether to create a missing store
 * @throws EngineError (USAGE) if both options are set, and for a folder without data; StoreError if the store cannot
 * be opened
 */
export async function openHostParts(
  args: Arguments,
  io: Io,
  { mayCreate, onWait }: { mayCreate: boolean; onWait?: () => void },
): Promise<HostParts> {
  const folder = args.text('data');
  const given = args.text('database');
  if (folder !== undefined && given !== undefined)
    throw usageError('--data and --database exclude each other.');
  const url = given ?? (folder === undefined ? io.env['IML_DATABASE'] : undefined);
  const sealKey = await readKey(io.env);
  if (url !== undefined && url !== '') {
    const option = given === undefined ? 'IML_DATABASE' : '--database';
    const waitMs = mayCreate ? SERVER_WAIT_MS : 0;
    return openDatabase({ url, sealKey, waitMs, onWait }).catch((error: unknown) =>
      failToOpen(option, error),
    );
  }
  const root = path.resolve(io.cwd, folder ?? '.iml');
  if (folder === undefined) await refuseLinks(io.cwd, root, 'Pass another folder with --data DIR.');
  const file = path.join(root, 'host.db');
  if (!mayCreate) await assertData(file, root);
  const openFile = async (): Promise<HostStore> => {
    if (mayCreate) await (folder === undefined ? makeStateFolder(io.cwd) : makePrivateFolder(root));
    return openHostSqlite({ file, sealKey });
  };
  const store = await openFile().catch((error: unknown) => failToOpen(`--data ${root}`, error));
  const connections = openConnectionFiles(configFolder(io.env));
  return { store, queue: createLocalQueue(), connections, at: root, close: () => store.close() };
}

/** Runs work with the store of a host that exists. Names that it does not have are a wrong command line. */
export async function withHostParts(
  args: Arguments,
  io: Io,
  work: (parts: HostParts) => Promise<void>,
): Promise<number> {
  const parts = await openHostParts(args, io, { mayCreate: false });
  try {
    await work(parts);
    return EXIT.ok;
  } catch (error) {
    throw error instanceof EngineError && error.code.startsWith('HOST_') ? usageError(error.message) : error;
  } finally {
    await parts.close();
  }
}

/** Names the option of a store that cannot be opened. @throws StoreError, or the given error */
function failToOpen(option: string, error: unknown): never {
  if (error instanceof StoreError) {
    throw new StoreError(error.code, `${option}: ${error.message}`, { cause: error });
  }
  const errno = error instanceof EngineError ? undefined : readCode(error);
  if (errno === undefined) throw error;
  const isTaken = errno === 'EEXIST' || errno === 'ENOTDIR';
  const why = isTaken ? 'a file has this name' : String(errno);
  const message = `${option}: The folder cannot be created (${why}).`;
  throw new StoreError('STORE_FAILED', message, { cause: error });
}

/**
 * The key that seals stored data: IML_HOST_KEY, or the key of the user's connections.
 * @throws EngineError (USAGE) for an invalid variable; StoreError (STORE_FAILED) for an invalid key file
 */
async function readKey(env: Io['env']): Promise<Uint8Array> {
  const given = env[KEY_VARIABLE];
  if (given === undefined || given === '') return userKey(configFolder(env));
  const key = Buffer.from(given, 'base64');
  if (key.byteLength === SEAL_KEY_BYTES) return key;
  throw usageError(
    `${KEY_VARIABLE}: expected ${SEAL_KEY_BYTES} bytes as base64. Create one: openssl rand -base64 ${SEAL_KEY_BYTES}.`,
  );
}

/** A misspelt folder must not look like an empty host. */
async function assertData(file: string, root: string): Promise<void> {
  await access(file).catch((error: unknown) => {
    throw usageError(`The folder "${root}" has no data of a host. Create it with iml serve --data.`, error);
  });
}

/** All of them, so that one message names all missing packages. */
const POSTGRES_PACKAGES = {
  pg: () => import('pg'),
  kysely: () => import('kysely'),
  'pg-boss': () => import('pg-boss'),
};

/** Time to wait for a database that starts together with the host. */
const SERVER_WAIT_MS = 30_000;

async function openDatabase({
  url,
  ...options
}: {
  readonly url: string;
  readonly waitMs: number;
  readonly onWait: (() => void) | undefined;
  readonly sealKey: Uint8Array;
}): Promise<HostParts> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw usageError('--database: expected an address that starts with postgres://.');
  }
  await loadPackages('A host on PostgreSQL', POSTGRES_PACKAGES);
  const store = await openHostPostgres({ url, ...options, applicationName: 'iml-host' });
  try {
    const queue = await createPostgresQueue({ url });
    const { hostname, pathname } = new URL(url);
    const close = async (): Promise<void> => {
      await queue.close();
      await store.close();
    };
    // Never the whole URL: it contains the password.
    const connections = openConnectionRows(store, options.sealKey);
    return { store, queue, connections, at: `PostgreSQL ${hostname}${pathname}`, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws EngineError (USAGE) */
export function readId(text: string | undefined, what: string): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw usageError(text === undefined ? `Missing <id>: which ${what}.` : `"${text}" is not an ID.`);
}

const COMMITTED = { isolation: 'read-committed' } as const;

/** Connections in the database of a host, sealed with its key and locked across its processes. */
export function openConnectionRows(store: HostStore, key: Uint8Array): ConnectionFiles {
  const read = async (name: string): Promise<ConnectionEntry | undefined> => {
    const row = await store.get('connections', { name });
    return row === undefined ? undefined : openEntry(name, row.sealed, key);
  };
  return {
    read,
    write: async (name, stored, owner) => {
      // Folders differ between machines.
      const entry = { name, owner: { ...owner, folder: '' }, savedAt: new Date().toISOString(), stored };
      const sealed = sealEntry(entry, key);
      await store.transaction(async (writer) => {
        if ((await writer.update('connections', { name }, { sealed })) > 0) return;
        await writer.insert('connections', { name, sealed });
      }, COMMITTED);
    },
    list: async () => {
      const entries: ConnectionEntry[] = [];
      const unreadable: StoreError[] = [];
      for (const { name, sealed } of await store.find('connections', { sortBy: 'name' })) {
        try {
          entries.push(openEntry(name, sealed, key));
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          unreadable.push(error);
        }
      }
      return { entries, unreadable };
    },
    remove: async (name) =>
      (await store.transaction((writer) => writer.remove('connections', { name }), COMMITTED)) > 0,
    exclusively: (name, work) =>
      store.exclusively === undefined ? work() : store.exclusively(`iml connection ${name}`, work),
  };
}
