import { EngineError } from '../../../shared/errors/engine-error.js';
import type { Backend } from '../backend.js';
import { createAppTools } from './app-tools.js';
import { createRunTools } from './run-tools.js';
import type { Tool } from './tool.js';

const INSTRUCTIONS =
  'Runs and examines a Make custom app in a local folder (IML JSON). Edit its files with your own tools; they are read again before each call. Begin with list_components; after a change use check, then test, then run with replayOf, which sends nothing. In IML the first item of an array is [1].';

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
  const tools = new Map(all.map((tool) => [tool.name, tool]));
  return async (request) => {
    // There are no server messages and no sessions.
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    const server = new Server(
      { name: 'iml-dev', version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    server.setRequestHandler(types.ListToolsRequestSchema, () => ({
      tools: [...tools.values()].map(describeTool),
    }));
    server.setRequestHandler(types.CallToolRequestSchema, ({ params }, { signal }) =>
      callTool(tools.get(params.name), params, signal),
    );
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

function describeTool({ name, description, input, isReadOnly }: Tool): {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' };
  readonly annotations: { readonly readOnlyHint: boolean };
} {
  const inputSchema = { ...input, type: 'object' as const };
  return { name, description, inputSchema, annotations: { readOnlyHint: isReadOnly } };
}

interface Answer {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: true;
}

/** Errors are tool results, so that the assistant can correct its call. */
async function callTool(
  tool: Tool | undefined,
  { name, arguments: input }: { readonly name: string; readonly arguments?: unknown },
  signal: AbortSignal,
): Promise<Answer> {
  try {
    if (tool === undefined) throw new EngineError('USAGE', `There is no tool "${name}".`);
    return {
      content: [{ type: 'text', text: JSON.stringify(await tool.call(input, signal), undefined, 1) }],
    };
  } catch (error) {
    const known = error instanceof EngineError ? error : undefined;
    const message = error instanceof Error ? error.message : String(error);
    const problem = { code: known?.code ?? 'INTERNAL', message, place: known?.place };
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(problem, undefined, 1) }] };
  }
}
