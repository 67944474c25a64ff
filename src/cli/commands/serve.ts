import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createEngine, type Engine } from '../../app/engine/create-engine.js';
import { EngineError } from '../../errors/engine-error.js';
import { createHost, type Host } from '../../host/create-host.js';
import { createEngineReceiver } from '../../host/hooks/engine-receiver.js';
import { readScenarioFile, type ScenarioEntry } from '../../host/scenarios/scenario-file.js';
import { createScenarioFlows } from '../../host/scenarios/scenario-flows.js';
import { createHostMetrics } from '../../host/server/metrics.js';
import { createNotifier, type Notifier } from '../../host/server/notifier.js';
import { assertAny, defaultEntries, removeScenario, setUpScenario } from '../../host/set-up.js';
import { type HostLimits, resolveHostLimits } from '../../host/work/limits.js';
import { tellAll } from '../../host/work/observer.js';
import { SYSTEM_CLOCK } from '../../util/clock.js';
import { cannotListen } from '../cannot-listen.js';
import type { Arguments, Command } from '../command.js';
import { configFolder } from '../connections/config-folder.js';
import { openConnectionFiles, storeForApp } from '../connections/connection-store.js';
import { EXIT } from '../exit-code.js';
import { NETWORK_OPTIONS, readNetworkOptions } from '../input/engine-options.js';
import { HOST_OPTIONS, type HostParts, openHostParts } from '../input/host-parts.js';
import { readPort } from '../input/read-port.js';
import type { Io } from '../io.js';
import { type LoadedApp, openApp } from '../open-app.js';
import { createHostLog, type HostLogForm } from '../output/host-log.js';
import { jsonOf } from '../output/json-output.js';
import { printError } from '../output/print-error.js';
import { printableLine } from '../output/terminal-text.js';
import { appWarnings } from '../output/warning-lines.js';
import { untilInterrupted } from '../until-interrupted.js';
import { usageError } from '../usage-error.js';

const DEFAULT_PORT = 8080;

export const SERVE_COMMAND: Command = {
  name: 'serve',
  about: 'Receives webhooks, keeps their events and runs scenarios, until Ctrl-C.',
  positionals: [{ name: 'app folder', help: 'The folders of the apps.', isRepeated: true }],
  options: {
    scenarios: {
      short: 's',
      value: 'FILE',
      help: 'The scenarios. Default: one for each instant trigger and webhook.',
    },
    prune: {
      help: 'Removes the scenarios that are no longer named, and their webhooks after their services were told.',
    },
    port: { value: 'N', help: `Default: ${DEFAULT_PORT}; 0 for any free one.` },
    host: { value: 'ADDRESS', help: 'Where to listen. Default: 127.0.0.1, this machine only.' },
    'base-url': { value: 'URL', help: 'Where services reach this host, such as https://hooks.example.com.' },
    concurrency: { value: 'N', help: 'Runs at a time that wait for a service. Default: 40.' },
    limit: {
      value: 'NAME=N',
      multiple: true,
      help: 'A limit of the host, such as maxQueued=1000 or leaseMs=60000. May be repeated.',
    },
    metrics: { help: 'Counts for Prometheus at /metrics.' },
    notify: {
      value: 'URL|COMMAND',
      help: 'Gets JSON, posted or as its input, when a scenario goes off by itself or an event dies.',
    },
    log: {
      value: 'text|json',
      help: 'How standard error tells what happens; json has all ids. Default: text.',
    },
    quiet: { help: 'Tells only what needs somebody: dead events, scenarios that went off, problems.' },
    ...HOST_OPTIONS,
    ...NETWORK_OPTIONS,
  },
  examples: [
    'iml serve ./my-app',
    'iml serve ./crm ./mail --scenarios scenarios.json --base-url https://hooks.example.com',
    'iml serve ./my-app --database postgres://localhost/iml',
  ],
  notes: [
    'What scenarios put out is written to standard output, a line of JSON a bundle. /health tells how things are.',
    'Several processes on one database share the work.',
  ],
  run: serve,
};

async function serve(args: Arguments, io: Io): Promise<number> {
  const port = readPort(args.text('port'), DEFAULT_PORT);
  const hostname = args.text('host');
  const network = readNetworkOptions(args);
  const log = readLogForm(args);
  const loaded = await loadApps(args.positionals, io);
  const entries = await readEntries(args.text('scenarios'), loaded, io);
  const limits = readLimits(args);
  const parts = await openHostParts(args, io, { mayCreate: true });
  const files = openConnectionFiles(configFolder(io.env));
  const engines: Record<string, Engine> = Object.fromEntries(
    loaded.map(({ app }) => [
      app.name,
      createEngine({
        app,
        ...network,
        connections: storeForApp(files, { app: app.name, folder: app.identity }),
      }),
    ]),
  );
  const notifier = openNotifier(args, io);
  const host = createHost({
    ...{ store: parts.store, queue: parts.queue, receiver: createEngineReceiver({ engines }) },
    baseUrl: args.text('base-url'),
    limits,
    metrics: args.isSet('metrics') ? await createHostMetrics() : undefined,
    flows: createScenarioFlows({
      engines,
      expressions: { timezone: args.text('timezone') },
      onReport: (scenario, { bundles, completed }) => {
        for (const bundle of bundles ?? completed) say(io.stdout, `${jsonOf({ scenario, bundle })}\n`);
      },
    }),
    observer: tellAll(
      createHostLog(io.stderr, {
        form: log,
        showStack: Boolean(io.env['IML_DEBUG']),
        now: () => SYSTEM_CLOCK.now(),
      }),
      notifier?.observer,
    ),
  });
  // Asked from here on, so that what is being set up is brought to its end as well.
  const interrupted = untilInterrupted(io);
  try {
    const { origin } = await host
      .listen({ port, hostname })
      .catch((error: unknown) => Promise.reject(cannotListen(port, error, hostname)));
    await io.stderr.write(`Listening on ${origin}, data in ${parts.at}.\n`);
    const setup: Setup = { host, parts, engines, entries, io };
    await setUp(setup);
    if (args.isSet('prune')) await prune(setup);
    await host.start();
    await interrupted;
    await io.stderr.write('Stopping: what is under way is brought to its end.\n');
    return EXIT.ok;
  } finally {
    await stop(host, parts, engines);
    await notifier?.settle();
  }
}

function openNotifier(args: Arguments, io: Io): Notifier | undefined {
  const to = args.text('notify');
  const onError = (error: Error): void => say(io.stderr, printError(error));
  return to === undefined ? undefined : createNotifier({ to, onError });
}

/** @throws EngineError (USAGE) for what is no limit */
function readLimits(args: Arguments): Partial<HostLimits> {
  const concurrency = args.text('concurrency');
  const given = [
    ...args.texts('limit'),
    ...(concurrency === undefined ? [] : [`concurrency=${concurrency}`]),
  ];
  const pairs = given.map((text) => {
    const [, name, value] = /^([A-Za-z]+)=(\d{1,15})$/.exec(text) ?? [];
    if (name === undefined) throw usageError(`--limit: "${text}" is not NAME=NUMBER.`);
    return [name, Number(value)] as const;
  });
  const limits: Partial<HostLimits> = Object.fromEntries(pairs);
  resolveHostLimits(limits);
  return limits;
}

/** @throws EngineError (USAGE) */
function readLogForm(args: Arguments): HostLogForm {
  const text = args.text('log');
  if (text !== undefined && text !== 'text' && text !== 'json') {
    throw usageError(`--log: "${text}" is none of text, json.`);
  }
  if (text !== undefined && args.isSet('quiet')) throw usageError('--log and --quiet exclude each other.');
  return args.isSet('quiet') ? 'quiet' : (text ?? 'text');
}

interface Setup {
  readonly host: Host;
  readonly parts: HostParts;
  readonly engines: Readonly<Record<string, Engine>>;
  readonly entries: readonly ScenarioEntry[];
  readonly io: Io;
}

/** One scenario that cannot be set up keeps no other from running. */
async function setUp({ host, parts, engines, entries, io }: Setup): Promise<void> {
  for (const entry of entries) {
    try {
      const { name, hook } = await setUpScenario({ host, store: parts.store, engines }, entry);
      const address = hook === undefined ? 'runs on a schedule' : hook.url;
      await io.stderr.write(`  ${printableLine(name)}  ${address}\n`);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      await io.stderr.write(`  ${printableLine(entry.name)} is not served:\n${printError(error)}`);
    }
  }
}

/** Takes away what an earlier start has set up and this one does not name. */
async function prune({ host, parts, engines, entries, io }: Setup): Promise<void> {
  const named = new Set(entries.map(({ name }) => name));
  for (const { name } of await host.scenarios.list()) {
    if (named.has(name)) continue;
    try {
      const report = await removeScenario({ host, store: parts.store, engines }, name);
      await io.stderr.write(`  ${printableLine(name)}  removed\n`);
      // It is gone here whatever the service says, which may go on sending.
      if (report?.error !== undefined) await io.stderr.write(printError(report.error));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      await io.stderr.write(`  ${printableLine(name)} is not removed:\n${printError(error)}`);
    }
  }
}

async function stop(host: Host, parts: HostParts, engines: Setup['engines']): Promise<void> {
  await host.stop();
  await parts.store.close();
  await Promise.all(Object.values(engines).map((engine) => engine.close()));
}

async function loadApps(folders: readonly string[], io: Io): Promise<readonly LoadedApp[]> {
  const loaded: LoadedApp[] = [];
  for (const folder of folders) {
    const app = await openApp(folder, io);
    if (loaded.some((other) => other.app.name === app.app.name)) {
      throw usageError(`Two apps are named "${app.app.name}".`);
    }
    await io.stderr.write(appWarnings(app));
    loaded.push(app);
  }
  return loaded;
}

async function readEntries(
  file: string | undefined,
  loaded: readonly LoadedApp[],
  io: Io,
): Promise<readonly ScenarioEntry[]> {
  if (file !== undefined) {
    const text = await readFile(path.resolve(io.cwd, file), 'utf8').catch((error: unknown) => {
      throw usageError(`--scenarios: the file "${file}" cannot be read.`, error);
    });
    return readScenarioFile(text, file);
  }
  const entries = loaded.flatMap(({ app }) => defaultEntries(app));
  assertAny(entries);
  return entries;
}

/** Lines of work that goes on: nobody waits for them, and whoever stops reading stops nothing. */
function say(output: Io['stdout'], text: string): void {
  output.write(text).catch(() => {});
}
