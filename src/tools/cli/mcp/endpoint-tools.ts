import type { RunInput } from '../../../engine/component/check-and-connect.js';
import type { ConnectionStore } from '../../../engine/connection/connection-store.js';
import type { Engine } from '../../../engine/create-engine.js';
import type { EndpointComponent } from '../../../engine/document/app.js';
import { readForm } from '../../../engine/parameters/form.js';
import { toJsonSchema } from '../../../engine/parameters/to-json-schema.js';
import { createRedactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { assertInput } from '../../mcp/tool.js';
import { answerText, type ServedTool, type ToolAnswer } from '../../mcp/tool-server.js';
import { printJson } from '../output/json-output.js';

/** Input that all calls share. */
export type EndpointInput = Pick<RunInput, 'connection' | 'common'>;

/** What the tools of an app share. */
export interface EndpointToolOptions {
  readonly shared: EndpointInput;
  /** Has the connection if `shared` names it. */
  readonly connections: Pick<ConnectionStore, 'get'>;
  /** Other data with credentials: a connection that is passed as data, and common data. */
  readonly secrets: readonly unknown[];
  /** `false` lets all input through, as the platform does. [choice] */
  readonly isChecked: boolean;
}

/** The data of a stored connection after a run, which may have refreshed it. */
async function readConnection(
  { connection }: EndpointInput,
  connections: Pick<ConnectionStore, 'get'>,
): Promise<unknown> {
  return typeof connection === 'string' ? (await connections.get(connection))?.connection : undefined;
}

/**
 * The MCP tool of an endpoint. It refuses input that its schema forbids, conditional fields included, before anything
 * is sent. Values are not converted, because AI callers fill in no form. Credentials that a result quotes are redacted.
 * Source: https://github.com/minsu-kang/make-custom-app-skill, endpoints-reference. [inf]
 */
export function createEndpointTool(
  endpoint: EndpointComponent,
  engine: Engine,
  { shared, connections, secrets, isChecked }: EndpointToolOptions,
): ServedTool {
  const { name, label, annotations } = endpoint;
  const { arbitraryCallHint: _, ...hints } = annotations;
  const schema = toJsonSchema(readForm(endpoint.input));
  return {
    name,
    ...(label !== undefined && { title: label }),
    description: describeEndpoint(endpoint),
    input: withoutConditions(schema),
    annotations: hints,
    call: async (given = {}, signal) => {
      if (!isPlainObject(given)) throw new EngineError('USAGE', 'The arguments are not an object.');
      if (isChecked) assertInput(schema, given);
      const input = { ...shared, parameters: given, checkParameters: false, signal };
      const { error, result } = await engine.endpoint(name).run(input);
      if (error === undefined) {
        const known = collectSecrets(await readConnection(shared, connections), ...secrets);
        const shown = createRedactor({ secrets: known, maxShown: Number.POSITIVE_INFINITY }).value(result);
        return answerText(typeof shown === 'string' ? shown : printJson(shown));
      }
      const { type, message, statusCode, suberrors } = error;
      return refuse({ type, message, status: statusCode, suberrors });
    },
  };
}

/**
 * A schema that lists conditional fields as optional properties: APIs of models refuse `allOf` at the top level of a tool.
 */
function withoutConditions(schema: PlainObject): PlainObject {
  const { allOf: _, ...rest } = schema;
  const properties: PlainObject = {};
  addProperties(schema, { properties, definitions: schema['$defs'], seen: new Set() });
  return { ...rest, properties };
}

interface FlatSchema {
  readonly properties: PlainObject;
  readonly definitions: unknown;
  readonly seen: Set<unknown>;
}

/** Adds the properties of a schema and of those that it refers to. The first of a name counts. */
function addProperties(schema: unknown, flat: FlatSchema): void {
  if (!isPlainObject(schema) || flat.seen.has(schema)) return;
  flat.seen.add(schema);
  const { properties, allOf } = schema;
  for (const [name, field] of Object.entries(isPlainObject(properties) ? properties : {})) {
    if (!Object.hasOwn(flat.properties, name)) setMember(flat.properties, name, field);
    if (isPlainObject(field)) addReferred(field['x-nested'], flat);
  }
  for (const part of Array.isArray(allOf) ? (allOf as unknown[]) : []) {
    if (isPlainObject(part)) addReferred(part['then'], flat);
  }
}

function addReferred(reference: unknown, flat: FlatSchema): void {
  if (!isPlainObject(reference)) return;
  const name = String(reference['$ref'] ?? '').replace('#/$defs/', '');
  const { definitions } = flat;
  addProperties(isPlainObject(definitions) ? ownMember(definitions, name) : undefined, flat);
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
