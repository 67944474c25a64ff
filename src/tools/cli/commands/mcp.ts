import { createEngine } from '../../../engine/create-engine.js';
import type { EndpointComponent } from '../../../engine/document/app.js';
import { findEndpoint } from '../../../engine/find-component.js';
import { createToolServer, type ServedTool } from '../../mcp/tool-server.js';
import { type Arguments, type Command, EXIT, readVersion, usageError } from '../command.js';
import { createEndpointTool } from '../endpoint-tools.js';
import { findNamed, INPUT_OPTIONS, openConnections, readComponentInput } from '../input/component-input.js';
import {
  ENGINE_OPTIONS,
  readEngineOptions,
  readTraceOptions,
  TRACE_OPTIONS,
} from '../input/engine-options.js';
import { withProjectOptions } from '../input/project-options.js';
import { type Io, UserInterruption } from '../io.js';
import { untilAborted } from '../listening.js';
import { APP_FOLDER, findAppFolder, type LoadedApp, openApp } from '../open-app.js';
import { printableLine } from '../output/terminal-text.js';

const { param: _, ...SHARED_INPUT } = INPUT_OPTIONS;

export const MCP_COMMAND: Command = {
  name: 'mcp',
  about: 'Offers the endpoints of an app to AI clients as MCP tools, over standard input and output.',
  positionals: [APP_FOLDER],
  options: {
    endpoint: {
      value: 'NAME',
      multiple: true,
      help: 'Offers only this endpoint. Repeatable. Default: all of the app.',
    },
    ...SHARED_INPUT,
    ...TRACE_OPTIONS,
    ...ENGINE_OPTIONS,
  },
  examples: [
    'iml mcp ./my-app --connection work',
    'iml mcp ./my-app --endpoint getContact --endpoint listContacts --connection work',
  ],
  notes: [
    'MCP clients start the command: see docs/endpoints.md. It reads the app once.',
    'A client passes values that no form has checked. Requests stay on the server of the app.',
  ],
  run: serveMcp,
};

async function serveMcp(line: Arguments, io: Io): Promise<number> {
  const [folder] = line.positionals;
  const loaded = await openApp(await findAppFolder(folder, io), io);
  const args = await withProjectOptions(line, MCP_COMMAND.options, loaded, io);
  const { app } = loaded;
  const endpoints = chooseEndpoints(args, loaded);
  const input = await readComponentInput(args, io);
  const connections = await openConnections(input, loaded, io);
  if (input.connection === undefined) await io.stderr.write(noteOnConnections(endpoints));
  const options = { ...readEngineOptions(args), ...readTraceOptions(args, io) };
  const engine = createEngine({ app, connections, ...options });
  const tools = endpoints.map((one): [string, ServedTool] => [
    one.name,
    createEndpointTool(one, engine, input),
  ]);
  const server = await createToolServer(
    { name: app.name, version: readVersion(), instructions: `Endpoints of the Make app ${app.name}.` },
    new Map(tools),
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
    await engine.close();
  }
  return EXIT.ok;
}

/** @throws EngineError (USAGE) for an unknown name, and for an app without endpoints */
function chooseEndpoints(args: Arguments, { app }: LoadedApp): readonly EndpointComponent[] {
  const names = [...new Set(args.texts('endpoint'))];
  if (names.length > 0) return names.map((name) => findNamed(() => findEndpoint(app, name)));
  if (app.endpoints.size > 0) return [...app.endpoints.values()];
  throw usageError(`The app "${app.name}" has no endpoints. iml add endpoint NAME adds one.`);
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
