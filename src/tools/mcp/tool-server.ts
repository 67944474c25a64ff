import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { didYouMean } from '../../shared/suggest.js';

/** The result of a tool call. */
export interface ToolAnswer {
  [key: string]: unknown;
  readonly content: { type: 'text'; text: string }[];
  readonly isError?: true;
}

/** A tool as MCP clients list it, and its call. */
export interface ServedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly annotations: ToolHints;
  /** @throws errors, which become results, so that the client can correct its call */
  readonly call: (input: unknown, signal: AbortSignal) => Promise<ToolAnswer>;
}

/** Hints of MCP. */
export interface ToolHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** Name, version and purpose of a server. */
export interface ToolServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
}

/**
 * Creates an MCP server with tools, without a transport. Loads the SDK on first use.
 *
 * @see https://modelcontextprotocol.io
 */
export async function createToolServer(
  { name, version, instructions }: ToolServerInfo,
  tools: ReadonlyMap<string, ServedTool>,
): Promise<Server> {
  const [{ Server: SdkServer }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const server = new SdkServer({ name, version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ call: _, input, ...tool }) => ({
      ...tool,
      inputSchema: { ...input, type: 'object' as const },
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, { signal }) => {
    try {
      const tool = tools.get(params.name);
      if (tool !== undefined) return await tool.call(params.arguments, signal);
      throw new EngineError(
        'USAGE',
        `There is no tool "${params.name}".${didYouMean(params.name, tools.keys())}`,
      );
    } catch (error) {
      return answerError(error);
    }
  });
  return server;
}

/** A result of text. */
export function answerText(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }] };
}

/** An error as a result. */
function answerError(error: unknown): ToolAnswer {
  const known = error instanceof EngineError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const problem = { code: known?.code ?? 'INTERNAL', message, place: known?.place };
  return { isError: true, ...answerText(JSON.stringify(problem, undefined, 1)) };
}
