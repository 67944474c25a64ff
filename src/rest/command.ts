import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EngineError } from '../errors/engine-error.js';
import { bootstrap, makeToken } from './bootstrap.js';
import { createRest, type Rest } from './create-rest.js';
import { openRestPostgres, openRestSqlite } from './store/open-rest-store.js';
import { configError } from './problems.js';
import { SCOPE_NAMES, type Scope } from './call/scopes.js';
import { createSeal } from './seal.js';
import { serveRest } from './serve-rest.js';
import { createZoneDirectory } from './services/zone-directory.js';

/** What the command touches of the process it runs in; the command line's own `Io` is one. */
export interface RestCommandIo {
  readonly stdout: { readonly write: (text: string) => Promise<void> };
  readonly stderr: { readonly write: (text: string) => Promise<void> };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; relative paths of arguments start here. */
  readonly cwd: string;
  /** Does work until it is done or its signal is aborted. */
  readonly interruptible: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

const HELP = `Usage:
  iml rest [--data DIR | --database URL] [--port N] [--host ADDRESS]   serve the REST API
  iml rest token [--data DIR | --database URL] [--user EMAIL]          make another API token

Options:
  --data DIR       folder of the SQLite file and the encryption key (default .iml/rest)
  --database URL   PostgreSQL instead; the encryption key comes from IML_REST_KEY (32 bytes, base64)
  --port N         default 8077; 0 for any free port
  --host ADDRESS   default 127.0.0.1
  --zone DOMAIN    the zone this instance is (default eu1.make.com)
  --cert FILE --key FILE   certificate and key (PEM): speak HTTPS
  --label TEXT, --scope NAME (repeatable)   of the new token; default all scopes
`;

const OPTIONS = {
  data: { type: 'string', default: '.iml/rest' },
  database: { type: 'string' },
  port: { type: 'string', default: '8077' },
  host: { type: 'string', default: '127.0.0.1' },
  zone: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  user: { type: 'string' },
  label: { type: 'string', default: 'made by iml rest token' },
  scope: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values'];

/**
 * The command `iml rest`. Resolves with the exit code: 0 when it ended as asked, 1 when it failed, 2 when it was called wrongly.
 * The first start of an instance prints the token of its administrator, once.
 */
export async function runRest(args: readonly string[], io: RestCommandIo): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    if (values.help) {
      await io.stdout.write(HELP);
      return 0;
    }
    const [word, ...further] = positionals;
    if (further.length > 0 || (word !== undefined && word !== 'token'))
      throw usageError(`Unknown word "${word}".`);
    return word === 'token' ? await printToken(values, io) : await serve(values, io);
  } catch (error) {
    return await report(error, io);
  }
}

async function serve(values: Values, io: RestCommandIo): Promise<number> {
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usageError('--port must be a number to 65535.');
  const rest = await openRest(values, io);
  try {
    const tls = await readTls(values, io.cwd);
    const server = await serveRest(rest, { port, host: values.host, tls });
    try {
      await io.stdout.write(`REST API: ${server.origin}/api/v2\n`);
      const token = await bootstrap(rest.services, { name: 'Administrator', email: 'admin@localhost' });
      await io.stdout.write(
        token === undefined
          ? 'API tokens: iml rest token makes one.\n'
          : `Administrator token, shown this once: ${token}\nFurther tokens: iml rest token\n`,
      );
      await io.interruptible(untilAborted);
      return 0;
    } finally {
      await server.close();
    }
  } finally {
    await rest.close();
  }
}

async function printToken(values: Values, io: RestCommandIo): Promise<number> {
  const scopes = (values.scope ?? SCOPE_NAMES).map(readScope);
  const rest = await openRest(values, io);
  try {
    const first = await bootstrap(rest.services, { name: 'Administrator', email: 'admin@localhost' });
    const wish = { email: values.user, label: values.label, scopes };
    const wantsFirst = first !== undefined && values.user === undefined && values.scope === undefined;
    const token = wantsFirst ? first : await makeToken(rest.services, wish);
    if (token === undefined) throw usageError('There is no such user.');
    await io.stdout.write(`${token}\n`);
    return 0;
  } finally {
    await rest.close();
  }
}

async function openRest(values: Values, io: RestCommandIo): Promise<Rest> {
  const { database, zone } = values;
  const data = resolve(io.cwd, values.data);
  const encryptionKey = await readKey(data, database, io);
  // Before anything is opened that would have to be closed again.
  createSeal(encryptionKey);
  const store =
    database === undefined
      ? await openRestSqlite(join(data, 'rest.sqlite'))
      : await openRestPostgres(database);
  const onError = (error: unknown): void => {
    const code = error instanceof EngineError ? error.code : 'REST_FAILED';
    void io.stderr.write(`A request failed on our side: ${code}\n`);
  };
  return createRest({ store, encryptionKey, zones: createZoneDirectory(zone), onError });
}

/** From the environment, or from a file beside the SQLite file that is made when it is missing. */
async function readKey(
  data: string,
  database: string | undefined,
  { env }: RestCommandIo,
): Promise<Uint8Array> {
  const configured = env['IML_REST_KEY'];
  if (configured !== undefined) return Buffer.from(configured, 'base64');
  if (database !== undefined) {
    throw configError('--database needs IML_REST_KEY: 32 bytes as base64, the same on every node.');
  }
  const file = join(data, 'encryption-key');
  await mkdir(data, { recursive: true, mode: 0o700 });
  await makeKeyFile(file);
  return Buffer.from(await readFile(file, 'utf8'), 'base64');
}

/** Makes the file unless it is there. It gets its name when it is whole: a process that starts beside us reads no half of it. */
async function makeKeyFile(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 });
    await link(draft, file);
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!exists) throw configError(`The file ${file} cannot be written.`, error);
  } finally {
    await rm(draft, { force: true });
  }
}

async function readTls(
  { cert, key }: Values,
  cwd: string,
): Promise<{ cert: string; key: string } | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw usageError('--cert and --key belong together.');
  return { cert: await readFile(resolve(cwd, cert), 'utf8'), key: await readFile(resolve(cwd, key), 'utf8') };
}

function readScope(name: string): Scope {
  const scope = SCOPE_NAMES.find((it) => it === name);
  if (!scope) throw usageError(`There is no scope "${name}".`);
  return scope;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}

function usageError(message: string): EngineError {
  return new EngineError('USAGE', message);
}

async function report(error: unknown, io: RestCommandIo): Promise<number> {
  const isUsage =
    (error instanceof EngineError && error.code === 'USAGE') ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  const message = error instanceof Error ? error.message : String(error);
  await io.stderr.write(isUsage ? `${message}\n\n${HELP}` : `${message}\n`);
  return isUsage ? 2 : 1;
}
