import type { RunInput } from '../../engine/component/check-and-connect.js';
import type { Engine } from '../../engine/create-engine.js';
import type { EndpointComponent } from '../../engine/document/app.js';
import { readForm } from '../../engine/parameters/form.js';
import { toJsonSchema } from '../../engine/parameters/to-json-schema.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { answerText, type ServedTool, type ToolAnswer } from '../dev/mcp/tool-server.js';
import { printJson } from './output/json-output.js';

/** Input that all calls share. */
export type EndpointInput = Pick<RunInput, 'connection' | 'common'>;

/**
 * The MCP tool of an endpoint. AI callers fill in no form, so their values are not checked.
 * Source: https://github.com/minsu-kang/make-custom-app-skill, endpoints-reference. [inf]
 */
export function createEndpointTool(
  endpoint: EndpointComponent,
  engine: Engine,
  shared: EndpointInput,
): ServedTool {
  const { name, label, annotations } = endpoint;
  const { arbitraryCallHint: _, ...hints } = annotations;
  return {
    name,
    ...(label !== undefined && { title: label }),
    description: describeEndpoint(endpoint),
    input: toJsonSchema(readForm(endpoint.input)),
    annotations: hints,
    call: async (given = {}, signal) => {
      if (!isPlainObject(given)) throw new EngineError('USAGE', 'The arguments are not an object.');
      const input = { ...shared, parameters: given, checkParameters: false, signal };
      const { error, result } = await engine.endpoint(name).run(input);
      if (error === undefined) return answerText(typeof result === 'string' ? result : printJson(result));
      const { type, message, statusCode, suberrors } = error;
      return refuse({ type, message, status: statusCode, suberrors });
    },
  };
}

function refuse(problem: object): ToolAnswer {
  return { isError: true, ...answerText(printJson(problem)) };
}

/** Front matter: `name` and `description` between two lines of `---`. */
const FRONT_MATTER = /^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;

/** The description and the context without its front matter, which repeats name and description. */
function describeEndpoint({ name, label, description, context = '' }: EndpointComponent): string {
  const body = context.replace(FRONT_MATTER, '').trim();
  const parts = [description ?? label ?? name, body].filter((part) => part !== '');
  return parts.join('\n\n');
}
