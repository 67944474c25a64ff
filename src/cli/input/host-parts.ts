import { access, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openHostPostgres, openHostSqlite } from '../../host/open-host-store.js';
import type { HostQueue } from '../../host/work/ports.js';
import { createPostgresQueue } from '../../host/postgres-queue.js';
import { createStoreQueue } from '../../host/store-queue.js';
import type { HostStore } from '../../host/store/tables.js';
import type { Arguments, OptionSpec } from '../command.js';
import type { Io } from '../io.js';
import { usageError } from '../usage-error.js';

/** Options of every command that works on what a host keeps. */
export const HOST_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  data: { value: 'DIR', help: 'Folder of the SQLite file. Default: .iml in the current folder.' },
  database: {
    value: 'URL',
    help: 'A PostgreSQL database instead of a file: postgres://user:password@host/name. Default: IML_DATABASE, if set.',
  },
};

export interface HostParts {
  readonly store: HostStore;
  readonly queue: HostQueue;
  /** Where they are, as may be shown. */
  readonly at: string;
  readonly close: () => Promise<void>;
}

/**
 * Opens what a host keeps.
 *
 * @param mayCreate whether a folder may be made into one of a host; else it has to be one
 * @throws EngineError (USAGE) where both are given, and for a folder without data; StoreError for what cannot be opened
 */
export async function openHostParts(
  args: Arguments,
  io: Io,
  { mayCreate }: { mayCreate: boolean },
): Promise<HostParts> {
  const folder = args.text('data');
  const given = args.text('database');
  if (folder !== undefined && given !== undefined)
    throw usageError('--data and --database exclude each other.');
  const url = given ?? (folder === undefined ? io.env['IML_DATABASE'] : undefined);
  if (url !== undefined && url !== '') return openDatabase(url);
  const root = path.resolve(io.cwd, folder ?? '.iml');
  const file = path.join(root, 'host.db');
  if (mayCreate) await mkdir(root, { recursive: true, mode: 0o700 });
  else await assertData(file, root);
  const store = await openHostSqlite({ file });
  return { store, queue: createStoreQueue({ store }), at: root, close: () => store.close() };
}

/** A folder that is misspelt must not look like a host to which nothing has come. */
async function assertData(file: string, root: string): Promise<void> {
  await access(file).catch((error: unknown) => {
    throw usageError(`There is no host's data in "${root}". iml serve --data makes it.`, error);
  });
}

async function openDatabase(url: string): Promise<HostParts> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw usageError('--database: an address that starts with postgres:// is expected.');
  }
  const store = await openHostPostgres({ url });
  try {
    const queue = await createPostgresQueue({ url });
    const { hostname, pathname } = new URL(url);
    const close = async (): Promise<void> => {
      await queue.close();
      await store.close();
    };
    // Never the whole address: it holds the password.
    return { store, queue, at: `PostgreSQL ${hostname}${pathname}`, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws EngineError (USAGE) */
export function readId(text: string | undefined, what: string): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw usageError(text === undefined ? `Missing <id>: which ${what}.` : `"${text}" is no id.`);
}
