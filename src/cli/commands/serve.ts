import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createEngine, type Engine } from '../../app/engine/create-engine.js';
import { EngineError } from '../../errors/engine-error.js';
import { createHost, type Host } from '../../host/create-host.js';
import { createEngineReceiver } from '../../host/hooks/engine-receiver.js';
import { readScenarioFile, type ScenarioEntry } from '../../host/scenarios/scenario-file.js';
import { createScenarioFlows } from '../../host/scenarios/scenario-flows.js';
import { assertAny, defaultEntries, removeScenario, setUpScenario } from '../../host/set-up.js';
import { type LoadedApp, openApp } from '../open-app.js';
import { cannotListen } from '../cannot-listen.js';
import type { Arguments, Command } from '../command.js';
import { configFolder } from '../connections/config-folder.js';
import { CONNECTION_OPTIONS, readConnectionOptions } from '../connection-options.js';
import { openConnectionFiles, storeForApp } from '../connections/connection-store.js';
import { EXIT } from '../exit-code.js';
import { HOST_OPTIONS, type HostParts, openHostParts } from '../input/host-parts.js';
import { Interruption, type Io } from '../io.js';
import { jsonOf } from '../output/json-output.js';
import { printError } from '../output/print-error.js';
import { printableLine } from '../output/terminal-text.js';
import { usageError } from '../usage-error.js';
import { appWarnings } from '../output/warning-lines.js';

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
    port: { value: 'N', help: 'Default: 8080; 0 for any free one.' },
    host: { value: 'ADDRESS', help: 'Where to listen. Default: 127.0.0.1, this machine only.' },
    'base-url': { value: 'URL', help: 'Where services reach this host, such as https://hooks.example.com.' },
    ...HOST_OPTIONS,
    ...CONNECTION_OPTIONS,
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
  const port = readPort(args.text('port'));
  const loaded = await loadApps(args.positionals, io);
  const entries = await readEntries(args.text('scenarios'), loaded, io);
  const parts = await openHostParts(args, io, { mayCreate: true });
  const files = openConnectionFiles(configFolder(io.env));
  const engines: Record<string, Engine> = Object.fromEntries(
    loaded.map(({ app, root }) => [
      app.name,
      createEngine({
        app,
        ...readConnectionOptions(args),
        connections: storeForApp(files, { app: app.name, folder: root }),
      }),
    ]),
  );
  const host = createHost({
    ...{ store: parts.store, queue: parts.queue, receiver: createEngineReceiver({ engines }) },
    baseUrl: args.text('base-url'),
    flows: createScenarioFlows({
      engines,
      expressions: { timezone: args.text('timezone') },
      onReport: (scenario, { bundles }) => {
        for (const bundle of bundles) say(io.stdout, `${jsonOf({ scenario, bundle })}\n`);
      },
    }),
    onError: (error) => say(io.stderr, printError(error, { showStack: Boolean(io.env['IML_DEBUG']) })),
    onNotify: ({ scenario, message }) =>
      say(io.stderr, `The scenario "${printableLine(scenario)}" is off: ${message}.\n`),
  });
  // Asked from here on, so that what is being set up is brought to its end as well.
  const interrupted = untilInterrupted(io);
  try {
    const { origin } = await host
      .listen({ port, hostname: args.text('host') })
      .catch((error: unknown) => Promise.reject(cannotListen(port, error)));
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
  }
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

/** Resolves at Ctrl-C. */
async function untilInterrupted(io: Io): Promise<void> {
  await io
    .interruptible(
      (signal) =>
        new Promise<never>((_resolve, reject) => {
          if (signal.aborted) reject(signal.reason);
          else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    )
    .catch((error: unknown) => {
      if (!(error instanceof Interruption)) throw error;
    });
}

/** Lines of work that goes on: nobody waits for them, and whoever stops reading stops nothing. */
function say(output: Io['stdout'], text: string): void {
  output.write(text).catch(() => {});
}

function readPort(text: string | undefined): number {
  if (text === undefined) return 8080;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw usageError(`--port: "${text}" is no port.`);
}
