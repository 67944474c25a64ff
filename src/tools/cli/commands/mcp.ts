import path from 'node:path';
import { createEngine } from '../../../engine/create-engine.js';
import type { EndpointComponent } from '../../../engine/document/app.js';
import { findEndpoint } from '../../../engine/find-component.js';
import { EngineError, SpecError } from '../../../shared/errors/engine-error.js';
import { createToolServer, type ServedTool } from '../../mcp/tool-server.js';
import { type Arguments, type Command, EXIT, isUsageError, readVersion, usageError } from '../command.js';
import {
  findNamed,
  INPUT_OPTIONS,
  listSecrets,
  openConnections,
  readComponentInput,
} from '../input/component-input.js';
import {
  ENGINE_OPTIONS,
  readEngineOptions,
  readTraceOptions,
  TRACE_OPTIONS,
} from '../input/engine-options.js';
import { parseArguments } from '../input/parse-arguments.js';
import { withProjectOptions } from '../input/project-options.js';
import { type Io, UserInterruption } from '../io.js';
import { untilAborted } from '../listening.js';
import {
  type AuthorCommand,
  type AuthorOptions,
  type CommandLine,
  type CommandResult,
  createAuthorTools,
} from '../mcp/author-tools.js';
import { createEndpointTool } from '../mcp/endpoint-tools.js';
import { APP_FOLDER, findAppFolder, type LoadedApp, openApp } from '../open-app.js';
import { printError } from '../output/print-error.js';
import { printableLine } from '../output/terminal-text.js';

const { param: _, ...SHARED_INPUT } = INPUT_OPTIONS;

export const MCP_COMMAND: Command = {
  name: 'mcp',
  about: 'Offers an app to AI clients as MCP tools, over standard input and output.',
  positionals: [APP_FOLDER],
  options: {
    author: {
      help: 'Offers check, test, run, eval, explain and list_components too, for an assistant that edits the app.',
    },
    endpoint: {
      value: 'NAME',
      multiple: true,
      help: 'Offers only this endpoint. Repeatable. Default: all of the app.',
    },
    'no-check': { help: 'Passes input to endpoints that their schema forbids, as Make does.' },
    ...SHARED_INPUT,
    ...TRACE_OPTIONS,
    ...ENGINE_OPTIONS,
  },
  examples: [
    'iml mcp ./my-app --connection work',
    'iml mcp ./my-app --author',
    'iml mcp ./my-app --endpoint getContact --endpoint listContacts --connection work',
  ],
  notes: [
    'MCP clients start the command: see docs/endpoints.md. It reads endpoints once; the other tools read the app at each call. iml init agents writes the configuration of clients.',
    'Requests of endpoints stay on the server of the app.',
  ],
  run: serveMcp,
};

async function serveMcp(line: Arguments, io: Io): Promise<number> {
  const [folder] = line.positionals;
  const given = await findAppFolder(folder, io);
  const isAuthor = line.isSet('author');
  const opened = await openServed(line, given, io).catch((error: unknown) => {
    // An author mends an app that does not load.
    if (!isAuthor || !(error instanceof SpecError) || line.isSet('endpoint')) throw error;
    return undefined;
  });
  if (opened === undefined)
    await io.stderr.write('The app does not load, so its endpoints are not offered.\n');
  const author = isAuthor ? createAuthorTools(authorOptions(line, given, io)) : [];
  const names = new Set(author.map(({ name }) => name));
  const tools = [...author, ...(opened?.tools ?? []).filter(({ name }) => !names.has(name))];
  const name = opened?.name ?? 'iml';
  const instructions = isAuthor ? AUTHOR_INSTRUCTIONS : `Endpoints of the Make app ${name}.`;
  const server = await createToolServer(
    { name, version: readVersion(), instructions },
    new Map(tools.map((tool) => [tool.name, tool])),
  );
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  try {
    const closed = untilInputEnds();
    await server.connect(new StdioServerTransport());
    await io.interruptible((signal) => Promise.race([closed, untilAborted(signal)]));
  } catch (error) {
    if (!(error instanceof UserInterruption)) throw error;
  } finally {
    await server.close();
    await opened?.close();
  }
  return EXIT.ok;
}

const AUTHOR_INSTRUCTIONS =
  'Checks, tests and runs a Make custom app in a local folder (IML JSON). Edit its files with your own tools; each call reads them again. Start with list_components. After a change use check, then test, then run. In IML the first item of a list is [1].';

interface ServedEndpoints {
  readonly name: string;
  readonly tools: readonly ServedTool[];
  readonly close: () => Promise<void>;
}

/** The endpoints of an app as tools. */
async function openServed(line: Arguments, folder: string, io: Io): Promise<ServedEndpoints> {
  const loaded = await openApp(folder, io);
  const args = await withProjectOptions(line, MCP_COMMAND.options, loaded, io);
  const endpoints = chooseEndpoints(args, loaded);
  const shared = await readComponentInput(args, io);
  const connections = await openConnections(shared, loaded, io);
  if (shared.connection === undefined) await io.stderr.write(noteOnConnections(endpoints));
  const { app } = loaded;
  const options = { ...readEngineOptions(args), ...readTraceOptions(args, io) };
  const engine = createEngine({ app, connections, ...options });
  const isChecked = !args.isSet('no-check');
  const settings = { shared, connections, secrets: listSecrets(shared, loaded), isChecked };
  const tools = endpoints.map((one) => createEndpointTool(one, engine, settings));
  return { name: app.name, tools, close: () => engine.close() };
}

/** Runs of an assistant have the options of the server. */
function authorOptions(line: Arguments, folder: string, io: Io): AuthorOptions {
  const names = Object.keys({ ...SHARED_INPUT, ...ENGINE_OPTIONS });
  const shared = names.flatMap((name) => {
    const { value } = MCP_COMMAND.options[name] ?? {};
    if (!line.isSet(name)) return [];
    return value === undefined ? [`--${name}`] : line.texts(name).map((text) => `--${name}=${text}`);
  });
  return {
    root: path.resolve(io.cwd, folder),
    shared,
    runCommand: (args, signal) => runQuietly(args, io, signal),
  };
}

/** Runs a command line whose output becomes texts, and which neither asks nor reads standard input. */
async function runQuietly(args: CommandLine, io: Io, signal: AbortSignal): Promise<CommandResult> {
  const texts = { out: '', err: '' };
  const output = (name: keyof typeof texts): Io['stdout'] => ({
    isTerminal: false,
    columns: undefined,
    write: async (text) => {
      texts[name] += text;
    },
  });
  const quiet: Io = {
    ...{ stdout: output('out'), stderr: output('err'), env: io.env, cwd: io.cwd },
    readStdin: async () => new Uint8Array(),
    interruptible: (work) => work(signal),
  };
  const [name, ...rest] = args;
  const command = await AUTHOR_COMMANDS[name]();
  try {
    return { code: await command.run(parseArguments(command, rest), quiet), ...texts };
  } catch (error) {
    if (signal.aborted || !(error instanceof EngineError) || isUsageError(error)) throw error;
    return { code: EXIT.failed, out: texts.out, err: texts.err + printError(error) };
  }
}

const AUTHOR_COMMANDS: Readonly<Record<AuthorCommand, () => Promise<Command>>> = {
  info: async () => (await import('./info.js')).INFO_COMMAND,
  check: async () => (await import('./check.js')).CHECK_COMMAND,
  test: async () => (await import('./test.js')).TEST_COMMAND,
  run: async () => (await import('./run.js')).RUN_COMMAND,
  eval: async () => (await import('./eval.js')).EVAL_COMMAND,
};

/** @throws EngineError (USAGE) for an unknown name, and for an app without endpoints */
function chooseEndpoints(args: Arguments, { app }: LoadedApp): readonly EndpointComponent[] {
  const names = [...new Set(args.texts('endpoint'))];
  if (names.length > 0) return names.map((name) => findNamed(() => findEndpoint(app, name)));
  if (app.endpoints.size > 0 || args.isSet('author')) return [...app.endpoints.values()];
  throw usageError(
    `The app "${app.name}" has no endpoints. iml add endpoint NAME adds one; --author offers tools for the app itself.`,
  );
}

function noteOnConnections(endpoints: readonly EndpointComponent[]): string {
  const names = new Set(endpoints.flatMap(({ connections }) => connections));
  if (names.size === 0) return '';
  const shown = [...names].map((name) => `"${printableLine(name)}"`).join(', ');
  return `No --connection was given: endpoints that need the connection ${shown} will fail.\n`;
}

/** A client ends the server by closing its input. */
function untilInputEnds(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
}
