import type { App } from '../../../engine/document/app.js';
import { findEndpoint } from '../../../engine/find-component.js';
import { toJsonSchema } from '../../../engine/parameters/to-json-schema.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { object, text } from '../../../shared/schema/build.js';
import { didYouMean } from '../../../shared/suggest.js';
import { defineTool, type Tool } from '../../mcp/tool.js';
import { answerText, createToolServer, type ServedTool } from '../../mcp/tool-server.js';
import type { Backend } from '../backend.js';
import type { RunRequest } from '../protocol.js';
import { readRunForm } from '../runs/run-component.js';
import { createRunTools } from './run-tools.js';

/** No unknown members. */
const CLOSED = { additionalProperties: false };

const INPUTS = {
  list_components: object(
    {},
    {
      name: text({
        description:
          'One component with the JSON Schema of its parameters. Default: all, by name and fields.',
      }),
    },
    CLOSED,
  ),
  check: object({}, {}, CLOSED),
  test: object(
    {},
    {
      filter: text({
        description: 'Only tests whose name contains this text.',
        minLength: 1,
        maxLength: 200,
      }),
    },
    CLOSED,
  ),
};

/** Tools for the current app. */
function createAppTools(backend: Backend): readonly Tool[] {
  return [
    defineTool('list_components', {
      description:
        'Lists the modules, triggers, webhooks, RPCs, endpoints and connections of the Make app, and its stored connections. With a name: that component with the JSON Schema of its parameters.',
      input: INPUTS.list_components,
      isReadOnly: true,
      work: async ({ name }) => {
        const { app } = await backend.look();
        return name === undefined ? listComponents(app, backend) : describeComponent(app, name);
      },
    }),
    defineTool('check', {
      description: 'Checks the current files of the app. Returns diagnostics with their locations and rules.',
      input: INPUTS.check,
      isReadOnly: true,
      work: async () => {
        await backend.look();
        const { findings, problem } = await backend.state();
        return { doesNotLoad: problem, findings };
      },
    }),
    defineTool('test', {
      description:
        'Runs the tests of the app as iml test does: its cases and the tests of its custom functions. Sends nothing. A failed test has the expected and actual values with the lines of the case and of the app. Pass its `run` or `passedRun` to read_run.',
      input: INPUTS.test,
      isReadOnly: true,
      work: ({ filter }) => runTests(backend, filter),
    }),
  ];
}

/** Maximum number of reported failures per test. */
const MAX_FAILURES = 20;

/** The same tests as on the page. */
async function runTests(backend: Backend, filter: string | undefined): Promise<unknown> {
  await backend.look();
  const tests = await backend.tests.run(
    filter === undefined ? undefined : ({ name }) => name.includes(filter),
  );
  const { problem } = await backend.state();
  if (problem !== undefined) return { ok: false, doesNotLoad: problem };
  if (tests.length === 0) {
    throw new EngineError(
      'USAGE',
      filter === undefined
        ? 'There are no tests. iml init tests writes one for each component.'
        : `No test has a name with "${filter}".`,
    );
  }
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  return {
    ok: count('passed') === tests.length,
    passed: count('passed'),
    failed: count('failed'),
    tests: tests.map(({ name, kind, file, status, durationMs, run, passedRun, failures, failureCount }) => ({
      name,
      kind,
      file,
      status,
      durationMs,
      run,
      ...(status === 'failed' && { passedRun, failureCount, failures: failures.slice(0, MAX_FAILURES) }),
    })),
  };
}

async function listComponents(app: App, backend: Backend): Promise<unknown> {
  const { name, modules, rpcs, endpoints, webhooks, connections, kept } = await backend.state();
  return {
    app: name,
    modules: modules.map((one) => ({ ...one, parameters: listFields('module', one.name, app) })),
    rpcs: rpcs.map((one) => ({ ...one, parameters: listFields('rpc', one.name, app) })),
    endpoints: endpoints.map((one) => ({ ...one, parameters: listFields('endpoint', one.name, app) })),
    webhooks: webhooks.map(({ name: webhook, label }) => ({ name: webhook, label })),
    connections,
    keptConnections: kept,
  };
}

type Kind = RunRequest['kind'];

function listFields(kind: Kind, name: string, app: App): unknown {
  return readRunForm({ kind, name }, app).elements.map((element) =>
    element.kind === 'reference'
      ? { from: element.text }
      : { name: element.name, type: element.type, required: element.required },
  );
}

/** Components of different kinds may have one name; a module comes first. */
function findKind(app: App, name: string): Kind {
  const components = { module: app.modules, rpc: app.rpcs, endpoint: app.endpoints };
  const kinds: readonly Kind[] = ['module', 'rpc', 'endpoint'];
  const kind = kinds.find((one) => components[one].has(name));
  if (kind !== undefined) return kind;
  const known = kinds.flatMap((one) => [...components[one].keys()]);
  throw new EngineError('USAGE', `There is no module, RPC or endpoint "${name}".${didYouMean(name, known)}`);
}

function describeComponent(app: App, name: string): unknown {
  const kind = findKind(app, name);
  const parameters = toJsonSchema(readRunForm({ kind, name }, app));
  if (kind === 'endpoint') {
    const { label, description, context, annotations, connections } = findEndpoint(app, name);
    return { kind, name, label, description, context, annotations, connections, parameters };
  }
  const module = kind === 'module' ? app.modules.get(name) : undefined;
  const { label, description, type, connection } = module ?? {};
  return { kind, name, label, description, type, connection, parameters };
}

const INSTRUCTIONS =
  'Runs and examines a Make custom app in a local folder (IML JSON). Edit its files with your own tools; each call reads them again. Start with list_components. After a change use check, then test, then run with replayOf, which sends nothing. In IML the first item of an array is [1].';

/** Maximum size of a request. */
const MAX_CALL_BYTES = 4 * 1024 * 1024;

/**
 * Serves the Model Context Protocol (streamable HTTP) without sessions, so that assistants survive a restart of `iml
 * dev`. Loads the SDK on first use.
 *
 * @see https://modelcontextprotocol.io
 */
export function createMcp(backend: Backend, version: string): (request: Request) => Promise<Response> {
  const all = [...createAppTools(backend), ...createRunTools(backend)];
  const tools = new Map(all.map((tool) => [tool.name, toServed(tool)]));
  return async (request) => {
    // There are no server messages and no sessions.
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    const [server, { WebStandardStreamableHTTPServerTransport: Transport }] = await Promise.all([
      createToolServer({ name: 'iml-dev', version, instructions: INSTRUCTIONS }, tools),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    ]);
    const transport = new Transport({ enableJsonResponse: true, maxRequestBodySize: MAX_CALL_BYTES });
    const leave = (): void => void server.close();
    request.signal.addEventListener('abort', leave, { once: true });
    try {
      await server.connect(transport);
      return await transport.handleRequest(request);
    } finally {
      request.signal.removeEventListener('abort', leave);
      await server.close();
    }
  };
}

function toServed({ name, description, input, isReadOnly, call }: Tool): ServedTool {
  return {
    name,
    description,
    input,
    annotations: { readOnlyHint: isReadOnly },
    call: async (given, signal) => answerText(JSON.stringify(await call(given, signal), undefined, 1)),
  };
}
