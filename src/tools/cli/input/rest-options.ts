import { randomBytes } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { RegisteredApp } from '../../../rest/bootstrap.js';
import {
  createStoreBackend,
  type StoreBackend,
  type StoreBackendOptions,
} from '../../../rest/create-store-backend.js';
import { configError } from '../../../rest/problems.js';
import { createLocalBilling, type LocalCoupon } from '../../../rest/resources/billing.js';
import type { Price } from '../../../rest/services/ports.js';
import { createZoneDirectory } from '../../../rest/services/reference-data.js';
import {
  assertSettings,
  completeSettings,
  type RestSettings,
  SETTING_SCHEMAS,
} from '../../../rest/services/settings.js';
import {
  findRestPostgres,
  openRestPostgres,
  openRestSqlite,
  type RestPostgresOptions,
} from '../../../rest/store/open-rest-store.js';
import type { RestStore } from '../../../rest/store/tables.js';
import { loadPackages } from '../../../shared/errors/load-packages.js';
import { OWNER_ONLY_FILE, readErrno } from '../../../shared/files.js';
import {
  flag,
  freeForm,
  integer,
  list,
  number,
  object,
  oneOf,
  type Schema,
  text,
} from '../../../shared/schema/build.js';
import { SEAL_KEY_BYTES } from '../../../shared/seal.js';
import { quoteForShell } from '../../../shared/text.js';
import { readUnquoted } from '../../check/read-unquoted.js';
import { type Arguments, type OptionSpec, usageError } from '../command.js';
import {
  createPrivateFile,
  makePrivateFolder,
  makeStateFolder,
  refuseLinks,
} from '../connections/private-file.js';
import type { Io } from '../io.js';
import { readText } from './input-data.js';

const KEY_VARIABLE = 'IML_REST_KEY';
const DEFAULT_FOLDER = '.iml/rest';

/** Options of all actions of `iml rest`: the location of the instance. */
export const REST_INSTANCE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  data: {
    value: 'DIR',
    help: `Folder of the SQLite file and the encryption key. Default: ${DEFAULT_FOLDER}.`,
  },
  create: { help: 'Creates an instance if the folder or database has none.' },
  database: {
    value: 'URL',
    help: `PostgreSQL instead of SQLite; the encryption key is in ${KEY_VARIABLE} (${SEAL_KEY_BYTES} bytes, base64).`,
  },
  settings: {
    value: 'FILE',
    help: 'Prices, coupons, features, default license, white label, notifications and apps of the instance (JSON).',
  },
  zone: { value: 'DOMAIN', help: 'Zone of the instance. Default: eu1.make.com.' },
};

/** Location of an instance. */
export interface RestPlace {
  /** Folder of the files; undefined for a database. */
  readonly folder: string | undefined;
  /** Command line arguments for the same instance, without its password. */
  readonly args: string;
  readonly database: string | undefined;
}

/**
 * Finds the location of the instance.
 * @throws EngineError (USAGE) for conflicting options, and for a folder without an instance unless one is to be
 * created
 */
export async function findRestInstance(args: Arguments, io: Io): Promise<RestPlace> {
  const database = args.text('database');
  const data = args.text('data');
  if (database !== undefined && data !== undefined)
    throw usageError('--data and --database exclude each other.');
  if (database !== undefined) return { folder: undefined, args: '--database URL', database };
  const folder = path.resolve(io.cwd, data ?? DEFAULT_FOLDER);
  if (data === undefined) await refuseLinks(io.cwd, folder, 'Pass another folder with --data DIR.');
  if (!args.isSet('create') && !(await isFile(databaseFile(folder)))) {
    throw usageError(`The folder "${folder}" has no instance. Create one with --create.`);
  }
  if (data === undefined) await makeStateFolder(io.cwd);
  return { folder, args: `--data ${quoteForShell(folder)}`, database };
}

/** How an instance is opened. */
export interface OpenRestOptions {
  readonly args: Arguments;
  readonly io: Io;
  /** Settings and ports of `--settings`. */
  readonly options: Partial<StoreBackendOptions>;
  /** How long to wait for a database that does not answer. Default: not at all. */
  readonly wait?: Pick<RestPostgresOptions, 'waitMs' | 'onWait' | 'signal'>;
}

/**
 * Opens an instance, or creates it.
 * @throws RestError (REST_CONFIG) for a missing, invalid or wrong key; EngineError (USAGE) for a database without an
 * instance unless one is to be created
 */
export async function openRestInstance(
  place: RestPlace,
  { args, io, options, wait }: OpenRestOptions,
): Promise<StoreBackend> {
  await loadPackages('The REST API', {
    kysely: () => import('kysely'),
    ...(place.database === undefined ? { libsql: () => import('libsql') } : { pg: () => import('pg') }),
  });
  const { key: encryptionKey, source: encryptionKeySource } = await readKey(place, io);
  const store = await openStore(place, args, wait);
  try {
    const zones = createZoneDirectory(args.text('zone'));
    return await createStoreBackend({ store, encryptionKey, encryptionKeySource, zones, ...options });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openStore(
  { folder, database = '' }: RestPlace,
  args: Arguments,
  wait: OpenRestOptions['wait'],
): Promise<RestStore> {
  if (folder !== undefined) return openRestSqlite(databaseFile(folder));
  const options = { ...wait };
  const open = args.isSet('create') ? openRestPostgres : findRestPostgres;
  const store = await open(database, options);
  if (!store) throw usageError('The database of --database has no instance. Create one with --create.');
  return store;
}

function databaseFile(folder: string): string {
  return path.join(folder, 'rest.sqlite');
}

interface NamedKey {
  readonly key: Uint8Array;
  /** The file or variable of the key. */
  readonly source: string;
}

/** From the environment, or from a file beside the SQLite file that is created with the instance. */
async function readKey({ folder }: RestPlace, { env }: Io): Promise<NamedKey> {
  const configured = env[KEY_VARIABLE];
  if (folder !== undefined) await makeFolder(folder);
  if (configured !== undefined) return decodeKey(configured, KEY_VARIABLE);
  if (folder === undefined) {
    throw configError(
      `--database needs ${KEY_VARIABLE}: ${SEAL_KEY_BYTES} bytes as base64, the same on every node.`,
    );
  }
  const file = path.join(folder, 'encryption-key');
  const [hasKey, hasData] = await Promise.all([isFile(file), isFile(databaseFile(folder))]);
  // A new key could not open the existing data.
  if (hasData && !hasKey) {
    throw configError(
      `The file ${file} with the key of ${databaseFile(folder)} is missing. Restore it, or set ${KEY_VARIABLE} to the key.`,
    );
  }
  // A concurrent process may have created the key first.
  if (hasKey) await makeOwnerOnly(file);
  else await writeKey(file);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw configError(`The file ${file} cannot be read (${readErrno(error)}).`, error);
  });
  return decodeKey(text.trim(), `The file ${file}`);
}

async function makeFolder(folder: string): Promise<void> {
  await makePrivateFolder(folder).catch((error: unknown) => {
    throw configError(`The folder ${folder} cannot be created or made private (${readErrno(error)}).`, error);
  });
}

/** A restored backup may be readable by others. */
async function makeOwnerOnly(file: string): Promise<void> {
  await chmod(file, OWNER_ONLY_FILE).catch((error: unknown) => {
    throw configError(`The file ${file} cannot be made private (${readErrno(error)}).`, error);
  });
}

async function writeKey(file: string): Promise<void> {
  await createPrivateFile(file, randomBytes(SEAL_KEY_BYTES).toString('base64')).catch((error: unknown) => {
    throw configError(`The file ${file} cannot be written (${readErrno(error)}).`, error);
  });
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

function decodeKey(text: string, source: string): NamedKey {
  const key = Buffer.from(text, 'base64');
  if (BASE64.test(text) && key.length === SEAL_KEY_BYTES) return { key, source };
  const found = BASE64.test(text) ? `${key.length} bytes` : 'something else';
  throw configError(`${source} must contain ${SEAL_KEY_BYTES} bytes as base64; got ${found}.`);
}

function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (it) => it.isFile(),
    () => false,
  );
}

/** The content of the `--settings` file: the settings of `createStoreBackend`, and what its ports need. */
export interface RestConfig extends RestSettings {
  readonly prices?: readonly Price[] | undefined;
  readonly coupons?: readonly LocalCoupon[] | undefined;
  /** Receives each notification as a POST request with JSON. */
  readonly notifications?: { readonly url: string } | undefined;
  /** Receives each access list as a POST request. A response other than 2xx is a 422 for the caller. */
  readonly accessLists?: { readonly url: string } | undefined;
  readonly apps?: readonly RegisteredApp[] | undefined;
}

const CLOSED = { additionalProperties: false } as const;
const ADDRESS = object(
  { url: text({ pattern: '^https?://', description: 'must be an http or https address' }) },
  {},
  CLOSED,
);

const CONFIG_SCHEMA: Schema<unknown> = object(
  {},
  {
    $schema: text(),
    prices: list(
      object(
        {
          id: integer({ minimum: 1 }),
          productId: integer({ minimum: 1 }),
          productName: text({ minLength: 1 }),
          amount: number({ minimum: 0 }),
          currencyCode: text({ pattern: '^[A-Z]{3}$', description: 'must be a currency code such as USD' }),
          period: oneOf(['month', 'year']),
          selfService: flag(),
          license: freeForm(),
        },
        {},
        CLOSED,
      ),
    ),
    coupons: list(
      object({ code: text({ minLength: 1 }), factor: number({ minimum: 0, maximum: 1 }) }, {}, CLOSED),
    ),
    ...SETTING_SCHEMAS,
    notifications: ADDRESS,
    accessLists: ADDRESS,
    apps: list(
      object(
        { name: text({ minLength: 1 }), label: text({ minLength: 1 }), version: integer({ minimum: 1 }) },
        { premiumTier: integer({ minimum: 0 }), installedIn: list(integer({ minimum: 1 })) },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);

/** Reads the file of `--settings`: JSON with comments. @throws EngineError (USAGE), SpecError (SPEC_JSON) */
export async function readRestConfig(file: string | undefined, io: Io): Promise<RestConfig> {
  if (file === undefined) return {};
  const { value } = readUnquoted(await readText(file, '--settings', io), file);
  const what = `--settings: ${file}`;
  assertSettings(value, CONFIG_SCHEMA, what);
  const config = value as RestConfig;
  completeSettings(pickSettings(config), what);
  return config;
}

function pickSettings(config: RestConfig): RestSettings {
  return Object.fromEntries(Object.entries(config).filter(([name]) => Object.hasOwn(SETTING_SCHEMAS, name)));
}

/** Options of an instance from a file of `--settings`. */
export function toRestOptions(config: RestConfig): Partial<StoreBackendOptions> {
  const { prices, coupons, notifications, accessLists } = config;
  return {
    ...((prices !== undefined || coupons !== undefined) && {
      billing: createLocalBilling({ prices, coupons }),
    }),
    ...(notifications && { notifications: { notify: (it) => post('notification', notifications.url, it) } }),
    ...(accessLists && { accessLists: { provision: (it) => post('access list', accessLists.url, it) } }),
    settings: pickSettings(config),
  };
}

const POST_TIMEOUT_MS = 10_000;

/** Rejects for a status other than 2xx. The URL may be secret, so messages do not contain it. */
async function post(what: string, url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(POST_TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The ${what} failed with status ${response.status}.`);
}
