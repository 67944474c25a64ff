import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { KeptConnection } from '../../dev/backend.js';
import { type DevServer, serveDev } from '../../dev/serve-dev.js';
import { type Arguments, type Command, EXIT, readVersion, usageError } from '../command.js';
import {
  type ConnectionFiles,
  identifyOwner,
  isConnectionName,
  isSameApp,
  labelConnection,
  openConnectionFiles,
  storeForApp,
  userKey,
} from '../connections/connection-store.js';
import { configFolder, makeStateFolder, refuseLinks } from '../connections/private-file.js';
import { ENGINE_OPTIONS, readEngineOptions } from '../input/engine-options.js';
import { readText } from '../input/input-data.js';
import { withProjectOptions } from '../input/project-options.js';
import type { Io } from '../io.js';
import { cannotListen, readPort, untilInterrupted } from '../listening.js';
import { APP_FOLDER, type LoadedApp, openNearest } from '../open-app.js';
import { printError } from '../output/print-error.js';
import { assertNameIsFree } from './connect.js';

const DEFAULT_PORT = 8078;

export const DEV_COMMAND: Command = {
  name: 'dev',
  about: 'Serves a local page that runs an app and shows every run live.',
  positionals: [
    APP_FOLDER,
    {
      name: 'trace file',
      help: 'Trace to open, written by iml run --trace-file FILE.jsonl.',
      isOptional: true,
    },
  ],
  options: {
    port: { value: 'N', help: `Default: ${DEFAULT_PORT}; 0 chooses a free one.` },
    'hook-port': {
      value: 'N',
      help: 'Port of the webhooks, a separate origin. Default: the port of the page plus 1; 0 chooses a free one.',
    },
    history: {
      value: 'FILE',
      help: 'File that stores runs. Default: .iml/dev.db in the folder of the app.',
    },
    ...ENGINE_OPTIONS,
  },
  examples: [
    'iml dev ./my-app',
    'iml dev ./my-app --map https://api.example.com=http://127.0.0.1:8080',
    'iml dev ./my-app failed.jsonl',
  ],
  notes: [
    'The server listens on this machine only and requires the token in the printed address.\nIt uses connections of iml connect by name; credentials are never sent to the page.',
  ],
  run: dev,
};

async function dev(line: Arguments, io: Io): Promise<number> {
  const [given, trace] = readPlaces(line);
  const loaded = await openNearest(given, io);
  const args = await withProjectOptions(line, DEV_COMMAND.options, loaded, io);
  const port = readPort(args.text('port'), DEFAULT_PORT);
  const hookPort = readPort(args.text('hook-port'), port === 0 ? 0 : port + 1);
  const engine = readEngineOptions(args);
  const traceText = trace === undefined ? undefined : await readText(trace, 'trace', io);
  const historyFile = await readHistoryFile(args, loaded, io);
  const files = openConnectionFiles(configFolder(io.env));
  const server = await serveDev({
    root: loaded.root,
    port,
    hookPort,
    historyFile,
    pageFolder: pageFolder(),
    engine,
    version: readVersion(),
    connections: storeForApp(files, identifyOwner(loaded.app)),
    listConnections: () => listConnections(files, loaded),
    connectionWriter: {
      check: async (name, component) => {
        if (!isConnectionName(name)) throw usageError(`"${name}" is not a valid name of a connection.`);
        const owner = identifyOwner(loaded.app);
        await assertNameIsFree(files, name, { owner, component: { name: component } });
      },
      save: (name, stored) => files.write(name, stored, identifyOwner(loaded.app)),
    },
    hookKey: await createHookKeys(loaded, io),
    onProblem: (error) => void io.stderr.write(printError(error)).catch(() => {}),
  }).catch((error: unknown) =>
    Promise.reject(isListening(error) ? cannotListen(portOf(error) ?? port, error) : error),
  );
  // Registered first, so that an interruption during the start counts.
  const interrupted = untilInterrupted(io);
  try {
    await sayWhere(server, traceText, io);
    await interrupted;
    return EXIT.ok;
  } finally {
    await server.close();
  }
}

async function sayWhere(server: DevServer, traceText: string | undefined, io: Io): Promise<void> {
  const run = traceText === undefined ? '' : `&run=${await server.backend.importTrace(traceText)}`;
  await io.stdout.write(`${server.address}${run}\n`);
  await io.stderr.write(
    'Open this address in a browser. It works on this machine only. Press Ctrl-C to stop.\n',
  );
}

/** A single argument that ends in .jsonl is a trace. */
function readPlaces({
  positionals,
}: Arguments): readonly [folder: string | undefined, trace: string | undefined] {
  const [first, second] = positionals;
  return second === undefined && first?.endsWith('.jsonl') === true ? [undefined, first] : [first, second];
}

/** Adds a .gitignore to the folder of the history, which contains API responses. */
async function readHistoryFile(args: Arguments, { root }: LoadedApp, io: Io): Promise<string> {
  const given = args.text('history');
  if (given !== undefined) return path.resolve(io.cwd, given);
  const folder = path.join(root, '.iml');
  await refuseLinks(root, folder, 'Pass another file with --history FILE.');
  await makeStateFolder(root);
  return path.join(folder, 'dev.db');
}

/** The page is built beside this file. */
function pageFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('iml-runtime/package.json');
  return path.join(path.dirname(manifest), 'dist', 'page');
}

async function listConnections(
  files: ConnectionFiles,
  { app }: LoadedApp,
): Promise<readonly KeptConnection[]> {
  const { entries } = await files.list();
  return entries
    .filter(({ owner }) => isSameApp(owner, identifyOwner(app)))
    .map(({ name, stored }) => ({
      name,
      component: stored.component,
      label: labelConnection(stored) || undefined,
    }));
}

/** Derives stable webhook addresses, so that they stay valid over restarts. */
async function createHookKeys({ app }: LoadedApp, io: Io): Promise<(webhook: string) => string> {
  const key = await userKey(configFolder(io.env));
  return (webhook) =>
    createHmac('sha256', key).update(`iml dev ${app.identity}\n${webhook}`).digest('base64url').slice(0, 24);
}

function portOf(error: object): number | undefined {
  return 'port' in error && typeof error.port === 'number' ? error.port : undefined;
}

function isListening(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}
