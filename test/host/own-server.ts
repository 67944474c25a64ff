import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A PostgreSQL server in a separate folder that the test can stop, crash and kill. */
export interface OwnServer {
  readonly url: string;
  readonly start: () => Promise<void>;
  readonly stop: (mode: 'fast' | 'immediate') => Promise<void>;
  readonly restart: (mode: 'fast' | 'immediate') => Promise<void>;
  /** Ends the main process of the server like a crash of the machine. The other processes detect it and exit. */
  readonly killPostmaster: () => void;
  readonly remove: () => Promise<void>;
}

const VERSIONS = '/usr/lib/postgresql';

/** The folder of the server programs as Debian installs them, newest version. */
const PROGRAMS: string | undefined = newestVersion();

function newestVersion(): string | undefined {
  try {
    const versions = readdirSync(VERSIONS).filter((name) => /^\d+$/.test(name));
    const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
    return newest === undefined ? undefined : path.join(VERSIONS, newest, 'bin');
  } catch {
    return undefined;
  }
}

export const hasPrograms: boolean = PROGRAMS !== undefined;

/** Suffix for titles of tests that need the programs: the reason why they are skipped, or empty. */
export const PROGRAMS_MISSING: string = hasPrograms
  ? ''
  : ' (skipped: no initdb and pg_ctl in /usr/lib/postgresql/*/bin; .ci/postgres installs them)';

const isRoot = process.getuid?.() === 0;

/** The server refuses to run as root, so it runs as the user of its package. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const file = path.join(PROGRAMS ?? '', program);
  const [command, all] = isRoot
    ? (['runuser', ['-u', 'postgres', '--', file, ...args]] as const)
    : ([file, [...args]] as const);
  // Inherited pipes would keep this call waiting, so the server writes to a log file.
  const { stdout } = await execute(command, [...all], { cwd: tmpdir(), timeout: 120_000 });
  return stdout;
}

async function idOf(user: string, flag: '-u' | '-g'): Promise<number> {
  return Number((await execute('id', [flag, user])).stdout);
}

export async function startOwnServer(): Promise<OwnServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'iml-pg-'));
  if (isRoot) await chown(folder, await idOf('postgres', '-u'), await idOf('postgres', '-g'));
  const [data, log, port] = [path.join(folder, 'data'), path.join(folder, 'log'), await freePort()];
  await run('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync']);
  // Data written by the server processes survive them; only a crash of the machine could lose them.
  const options = `-p ${port} -c fsync=off -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=60`;
  const control = (...args: string[]): Promise<unknown> =>
    run('pg_ctl', ['-D', data, '-l', log, '-w', '-t', '90', '-o', options, ...args]);
  const start = async (): Promise<void> => {
    // After a crash the server refuses to start while old processes exit.
    for (let attempt = 1; ; attempt++) {
      try {
        await control('start');
        return;
      } catch (error) {
        if (attempt === 30) throw new Error(`${String(error)}\n${readFileSync(log, 'utf8').slice(-2000)}`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop: async (mode) => void (await control('stop', '-m', mode)),
    restart: async (mode) => {
      await control('stop', '-m', mode);
      await start();
    },
    killPostmaster: () => {
      const [pid] = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
    remove: async () => {
      await control('stop', '-m', 'immediate').catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A free port. If another process takes it meanwhile, the server reports this in its log. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
