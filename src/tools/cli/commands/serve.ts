import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createEnginePool, type EnginePool } from '../../../engine/pool/engine-pool.js';
import { DEFAULT_LIMITS } from '../../../engine/run/limits.js';
import { createHost, type Host } from '../../../host/create-host.js';
import type { Hook } from '../../../host/hooks/hooks.js';
import { tellAll } from '../../../host/observer.js';
import {
  createPoolFlows,
  createPoolReceiver,
  HOST_WORKER,
  type PoolFlowsOptions,
  type PoolHostApp,
} from '../../../host/pool-ports.js';
import { readScenarioFile, type ScenarioEntry } from '../../../host/scenarios/scenario-file.js';
import { createNotifier, type Notifier } from '../../../host/server/notifier.js';
import { createHostMetrics } from '../../../host/server/status-pages.js';
import { assertAny, defaultEntries, removeScenario, setUpScenario } from '../../../host/set-up.js';
import { readState } from '../../../host/store/scenario-plan.js';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import { AppError } from '../../../shared/errors/app-error.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { createTracing } from '../../../shared/open-telemetry.js';
import type { ComponentName } from '../../check/subject/used-part.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import { createConnectionReader, createConnectionSecrets } from '../connections/connection-data.js';
import {
  type ConnectionFiles,
  identifyOwner,
  isSameApp,
  storeForApp,
} from '../connections/connection-store.js';
import { type HostParts, openHostParts } from '../input/host-store-options.js';
import { readText } from '../input/input-data.js';
import { withProjectOptions } from '../input/project-options.js';
import {
  readServeSettings,
  SERVE_OPTIONS,
  type ServeSettings,
  withConfigFile,
} from '../input/serve-options.js';
import type { Io, Output } from '../io.js';
import { cannotListen, untilInterrupted } from '../listening.js';
import { findAppFolder, type LoadedApp, openApp } from '../open-app.js';
import { createHostLog, messageLine } from '../output/host-log.js';
import { findOutputRoot } from '../output/output-file.js';
import { printError } from '../output/print-error.js';
import { printRunFindings } from '../output/print-findings.js';
import { printableLine } from '../output/terminal-text.js';
import { type CallRecorder, findHookConnectionData, recordCalls } from '../recording/record-calls.js';

/** Worker threads of `iml serve`. Webhooks have their own threads, so that a call never waits for a scenario. */
interface ServePools {
  readonly webhooks: EnginePool;
  readonly flows: EnginePool;
  readonly apps: Readonly<Record<string, PoolHostApp>>;
  /** Names of the stored connections of an app. */
  readonly connectionNames: (app: string) => Promise<readonly string[]>;
  /** Starts the threads and loads the apps in the background. */
  readonly warmUp: () => void;
  readonly close: () => Promise<void>;
}

/** Processing a webhook call sends no requests, so two threads suffice. */
const WEBHOOK_THREADS = 2;

/** Grace period after `limits.timeoutMs` before the pool terminates the worker. */
const EXTRA_MS = 20_000;

function openServePools(
  loaded: readonly LoadedApp[],
  { engine, threads, limits }: Pick<ServeSettings, 'engine' | 'threads' | 'limits'>,
  files: ConnectionFiles,
): ServePools {
  const stores = new Map(
    loaded.map(({ app, root }) => [root, storeForApp(files, identifyOwner(app))] as const),
  );
  const options = {
    setup: HOST_WORKER,
    setupData: engine,
    connections: (root: unknown) => stores.get(String(root)) ?? NO_CONNECTIONS,
    runTimeoutMs: (engine.limits?.timeoutMs ?? DEFAULT_LIMITS.timeoutMs) + EXTRA_MS,
  };
  const webhooks = createEnginePool({ ...options, threads: WEBHOOK_THREADS, runsPerWorker: 64 });
  const flows = createEnginePool({
    ...options,
    threads: threads ?? chooseThreads(loaded.length),
    runsPerWorker: limits.concurrency ?? 40,
  });
  const apps = Object.fromEntries(
    loaded.map(({ app, root }) => [app.name, { app, source: root, webhook: flows.app(root).webhook }]),
  );
  return {
    webhooks,
    flows,
    apps,
    connectionNames: async (name) => {
      const app = loaded.find((one) => one.app.name === name)?.app;
      if (app === undefined) return [];
      const { entries } = await files.list();
      return entries.filter(({ owner }) => isSameApp(owner, identifyOwner(app))).map((entry) => entry.name);
    },
    warmUp: () => {
      for (const { app, root } of loaded) {
        const task = { module: HOST_WORKER, name: 'loadApp', app: app.name, input: root };
        // The first run reports the error.
        for (const pool of [webhooks, flows]) void pool.run(task).catch(() => {});
      }
    },
    close: async () => {
      await Promise.all([webhooks.close(), flows.close()]);
    },
  };
}

/** One thread per app plus one, at least the number of processors, from 2 to 8. [choice] */
function chooseThreads(apps: number): number {
  return Math.min(8, Math.max(2, apps + 1, availableParallelism()));
}

const NO_CONNECTIONS = {
  get: async () => undefined,
  save: async () => {},
};

/** Characters in the queue of unread output. */
const MAX_WAITING = 1024 * 1024;

/**
 * Writes lines without waiting. Lines that do not fit into the queue are dropped, and a closed reader changes
 * nothing.
 *
 * @param onLost called with the number of dropped lines when output is read again; with 0 for the first dropped line
 */
export function createLineOutput(output: Output, onLost: (count: number) => void): (line: string) => void {
  let waiting = 0;
  let lost = 0;
  return (line) => {
    if (waiting > 0 && waiting + line.length > MAX_WAITING) {
      if (lost++ === 0) onLost(0);
      return;
    }
    waiting += line.length;
    output
      .write(line)
      .catch(() => {})
      .finally(() => {
        waiting -= line.length;
        if (lost === 0 || waiting > 0) return;
        const count = lost;
        lost = 0;
        onLost(count);
      });
  };
}

export const SERVE_COMMAND: Command = {
  name: 'serve',
  about: 'Receives webhooks, stores their events and runs scenarios.',
  positionals: [
    {
      name: 'app folder',
      help: 'Folders of the apps. Default: those of the file of --config, else the nearest app.',
      isOptional: true,
      isRepeated: true,
    },
  ],
  options: SERVE_OPTIONS,
  examples: [
    'iml serve ./my-app',
    'iml serve ./crm ./mail --scenarios scenarios.json --public-url https://hooks.example.com',
    'iml serve ./my-app --database postgres://localhost/iml',
    'iml serve --config host.json',
  ],
  notes: [
    'Prints the bundles of scenarios as NDJSON. /health reports the state of the host.',
    'Several processes on one PostgreSQL database share the work. One process runs on a SQLite file.',
    'SIGINT, SIGTERM and SIGHUP stop it gracefully: it finishes running work.',
    'Exits with 1 if no scenario can be served.',
  ],
  run: async (args, io) => serve(await withConfigFile(args, SERVE_COMMAND, io.cwd), io),
};

async function serve(line: Arguments, io: Io): Promise<number> {
  const { log } = readServeSettings(line);
  const write = createLineOutput(io.stderr, (count) => {
    if (count > 0) say(`${count} lines above are missing because standard error was not read.\n`);
  });
  // Only JSON lines go to a JSON log.
  const say: Say =
    log === 'json' ? (text, level) => write(messageLine(text, SYSTEM_CLOCK.now(), level)) : write;
  const loaded = await loadApps(line.positionals, io);
  const args = await withOptionsOfApp(line, loaded, {
    ...io,
    stderr: { ...io.stderr, write: async (text) => say(text) },
  });
  const settings = readServeSettings(args);
  const entries = await readEntries(args.text('scenarios'), loaded, io);
  if (settings.log !== 'quiet') await tellFindings(loaded, entries, say);
  const onWait = (): void => say('Waiting for the database, which does not respond.\n');
  const parts = await openHostParts(args, io, { mayCreate: true, onWait });
  const pools = openServePools(loaded, settings, parts.connections);
  const { apps, connectionNames } = pools;
  const notifier = openNotifier(args, say);
  const tracing = await createTracing();
  const recorder = await openCallRecorder(args, { pools, loaded, settings, say, parts }, io);
  const host = createHost({
    tracing,
    store: parts.store,
    queue: parts.queue,
    isSetUp: false,
    receiver: recorder.receiver,
    baseUrl: args.text('public-url'),
    limits: settings.limits,
    metrics: args.isSet('metrics') ? await createHostMetrics() : undefined,
    flows: createPoolFlows({
      pool: pools.flows,
      apps,
      connectionNames,
      tracing,
      expressions: { timezone: settings.engine.timezone, semantics: settings.engine.semantics },
      findConnectionSecrets: createConnectionSecrets(parts.connections),
      onBundles: settings.output === 'none' ? undefined : putOut(io, say),
    }),
    observer: tellAll(
      createHostLog(write, {
        form: settings.log,
        showStack: Boolean(io.env['IML_DEBUG']),
        now: () => SYSTEM_CLOCK.now(),
      }),
      notifier?.observer,
    ),
  });
  // Registered first, so that an interruption waits for the set-up to finish.
  const interrupted = untilInterrupted(io);
  let isInterrupted = false;
  try {
    const { port, hostname, statusPort } = settings;
    const { origin } = await host
      .listen({ port, hostname })
      .catch((error: unknown) => Promise.reject(cannotListen(port, error, hostname)));
    say(`Listening on ${origin}, data in ${parts.at}.\n`);
    if (statusPort !== undefined) {
      const status = await host
        .listenStatus({ port: statusPort, hostname })
        .catch((error: unknown) => Promise.reject(cannotListen(statusPort, error, hostname)));
      say(`Status on ${status.origin}.\n`);
    }
    const isLogKept = settings.log === 'json';
    const setup: Setup = { host, parts, apps, connectionNames, entries, say, isLogKept };
    const refused = await setUp(setup);
    if (args.isSet('prune')) await prune(setup);
    const standing = (await host.scenarios.list()).filter(({ name }) => !refused.has(name));
    if (standing.length === 0) {
      say('None of the scenarios can be served.\n', 'error');
      return EXIT.failed;
    }
    await host.start();
    pools.warmUp();
    await interrupted;
    isInterrupted = true;
    say('Stopping after the running work has finished.\n');
    return EXIT.ok;
  } finally {
    await host.stop(undefined, isInterrupted ? settings.drainMs : 0);
    // Reads the secrets of the connection of a hook.
    await recorder.settled();
    await parts.store.close();
    await pools.close();
    await notifier?.settle();
  }
}

/** Logs a text. Default level: `info`. */
type Say = (text: string, level?: 'info' | 'error') => void;

/** The options of the app. Several apps share the network options of the host, so they take none. */
async function withOptionsOfApp(args: Arguments, loaded: readonly LoadedApp[], io: Io): Promise<Arguments> {
  const [app, other] = loaded;
  return app === undefined || other !== undefined ? args : withProjectOptions(args, SERVE_OPTIONS, app, io);
}

interface Served {
  readonly pools: ServePools;
  readonly loaded: readonly LoadedApp[];
  readonly settings: ServeSettings;
  readonly say: Say;
  readonly parts: HostParts;
}

/** The receiver of the apps, wrapped by the recorder of `--record-calls`. */
async function openCallRecorder(
  args: Arguments,
  { pools, loaded, settings, say, parts }: Served,
  io: Io,
): Promise<CallRecorder> {
  const receiver = createPoolReceiver({ pool: pools.webhooks, apps: pools.apps });
  const shown = args.text('record-calls');
  if (shown === undefined) return { receiver, settled: async () => {} };
  const folder = path.resolve(io.cwd, shown);
  const readData = createConnectionReader(parts.connections);
  return recordCalls(receiver, {
    apps: loaded.map(({ app }) => app),
    folder,
    shown,
    root: findOutputRoot(io.cwd, folder),
    say,
    findConnectionData: (hookId) => findHookConnectionData(parts.store, hookId, readData),
    engine: { timezone: settings.engine.timezone, webhookLimits: settings.engine.webhookLimits },
  });
}

/** Prints the bundles of scenarios while standard output is read. */
function putOut(io: Io, say: Say): NonNullable<PoolFlowsOptions['onBundles']> {
  const write = createLineOutput(io.stdout, (count) =>
    say(
      count === 0
        ? 'Standard output is not read: bundles are dropped until it is. Use --stdout none to print none.\n'
        : `${count} bundles were dropped because standard output was not read.\n`,
    ),
  );
  return (_scenario, lines) => {
    for (const line of lines) write(`${line}\n`);
  };
}

function openNotifier(args: Arguments, say: Say): Notifier | undefined {
  const to = args.text('notify');
  return to === undefined
    ? undefined
    : createNotifier({ to, onError: (error) => say(printError(error), 'error') });
}

interface Setup {
  readonly host: Host;
  readonly parts: HostParts;
  readonly apps: Readonly<Record<string, PoolHostApp>>;
  readonly connectionNames: ServePools['connectionNames'];
  readonly entries: readonly ScenarioEntry[];
  readonly say: Say;
  readonly isLogKept: boolean;
}

/** A scenario that cannot be set up does not prevent the others. @returns the names of those that failed */
async function setUp(setup: Setup): Promise<ReadonlySet<string>> {
  const { host, parts, apps, connectionNames, entries, say } = setup;
  const options = { host, store: parts.store, engines: apps, connectionNames };
  const refused = new Set<string>();
  for (const entry of entries) {
    try {
      const { name, hook } = await setUpScenario(options, entry);
      const address = hook === undefined ? 'runs on a schedule' : showAddress(hook, setup);
      const state = readState(await host.scenarios.get(name));
      const off = state.kind === 'inactive' ? `, is off (${state.reason}): iml scenarios on ${name}` : '';
      say(`  ${printableLine(name)}  ${address}${printableLine(off)}\n`);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // After an API error the scenario stays as it was, if it existed.
      if (!(error instanceof AppError)) refused.add(entry.name);
      const hasConnection = [entry.webhook, ...entry.modules].some((one) => one?.connection !== undefined);
      const note =
        error instanceof AppError && !hasConnection
          ? '  It names no connection. If it needs one, set "connection" in the file of --scenarios.\n'
          : '';
      say(`  ${printableLine(entry.name)} cannot be served:\n${printError(error)}${note}`, 'error');
    }
  }
  return refused;
}

/** Addresses are secrets: printed on a terminal, redacted in a stored log. */
function showAddress({ name, url }: Hook, { isLogKept }: Setup): string {
  return isLogKept ? `has an address. Show it with iml scenarios show ${printableLine(name)}` : url;
}

/** Removes scenarios of earlier starts that the file no longer names. */
async function prune({ host, parts, apps, entries, say }: Setup): Promise<void> {
  const named = new Set(entries.map(({ name }) => name));
  for (const { name } of await host.scenarios.list()) {
    if (named.has(name)) continue;
    try {
      const report = await removeScenario({ host, store: parts.store, engines: apps }, name);
      say(`  ${printableLine(name)}  removed\n`);
      // The hook is removed here even if the API refused to detach it.
      if (report?.error !== undefined) say(printError(report.error), 'error');
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      say(`  ${printableLine(name)} cannot be removed:\n${printError(error)}`, 'error');
    }
  }
}

async function loadApps(folders: readonly string[], io: Io): Promise<readonly LoadedApp[]> {
  const loaded: LoadedApp[] = [];
  for (const folder of folders.length === 0 ? [await findAppFolder(undefined, io)] : folders) {
    const app = await openApp(folder, io);
    if (loaded.some((other) => other.app.name === app.app.name)) {
      throw usageError(`Two apps are named "${app.app.name}".`);
    }
    loaded.push(app);
  }
  return loaded;
}

/** Prints diagnostics of the components that scenarios use. */
async function tellFindings(
  loaded: readonly LoadedApp[],
  entries: readonly ScenarioEntry[],
  say: Say,
): Promise<void> {
  for (const app of loaded) {
    const isOfApp = (one: { readonly app: string } | undefined): boolean => one?.app === app.app.name;
    const started = entries.flatMap(({ webhook, modules }): ComponentName[] => [
      ...(webhook !== undefined && isOfApp(webhook)
        ? [{ kind: 'webhook', name: webhook.webhook } as const]
        : []),
      ...modules.filter(isOfApp).map(({ module }) => ({ kind: 'module', name: module }) as const),
    ]);
    if (started.length === 0) continue;
    const { text } = await printRunFindings(app, started);
    if (text !== '') say(text);
  }
}

async function readEntries(
  file: string | undefined,
  loaded: readonly LoadedApp[],
  io: Io,
): Promise<readonly ScenarioEntry[]> {
  if (file !== undefined) {
    return readScenarioFile(await readText(file, '--scenarios', io), file);
  }
  const entries = loaded.flatMap(({ app }) => defaultEntries(app));
  assertAny(entries);
  return entries;
}
