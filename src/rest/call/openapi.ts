import { ANY_TEXT, checkOptions, type OptionShapes } from '../../shared/errors/check-options.js';
import type { PlainObject } from '../../shared/plain-object.js';
import { list, object, type Schema, type SchemaMap, text } from '../../shared/schema/build.js';
import { pageSchemas } from './input.js';
import type { RestOperation } from './operation.js';

/** Base addresses of the API and its authorization server. */
export interface OpenApiOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
}

const SHAPES: OptionShapes<OpenApiOptions> = { baseUrl: ANY_TEXT, authUrl: ANY_TEXT };

/** The body of every refusal. Source: https://developers.make.com/api-documentation (http status codes). [src] */
const ERROR_SCHEMA: Schema<unknown> = object(
  { message: text(), detail: text(), code: text() },
  { suberrors: list(object({ message: text(), name: text() })) },
  { title: 'Error' },
);

/** Statuses that any call can be refused with. */
const REFUSALS: Readonly<Record<string, string>> = {
  '400': 'The request is not valid, or a rule stops it.',
  '401': 'Missing or unknown token.',
  '403': 'Not allowed.',
  '404': 'Not found.',
  '405': 'The path does not know the method.',
  '406': 'Confirmation required.',
  '413': 'The body is too large.',
  '422': 'The access list cannot be provisioned.',
  '424': 'The synchronization of the organization is not finished.',
  '429': 'The calls of the minute are used up.',
  '500': 'Internal error.',
  '503': 'Too many concurrent changes, or the store does not respond.',
};

/**
 * The OpenAPI 3.1 document of a table of operations. Schemas with a title become components.
 *
 * @throws EngineError (USAGE) for an unknown, missing or invalid option
 */
export function createOpenApi(operations: readonly RestOperation[], options: OpenApiOptions): PlainObject {
  checkOptions(options, SHAPES, 'The options of createOpenApi', ['baseUrl', 'authUrl']);
  const components = new Map<string, PlainObject>();
  const paths: Record<string, PlainObject> = {};
  for (const operation of operations) {
    const entry = paths[operation.path] ?? {};
    paths[operation.path] = entry;
    entry[operation.method.toLowerCase()] = operationObject(operation, components);
    if (operation.server === 'auth') entry['servers'] = [{ url: options.authUrl }];
  }
  const errors = hoist(ERROR_SCHEMA, components);
  return {
    openapi: '3.1.0',
    info: { title: 'Web API v2', version: '1.0.0' },
    servers: [{ url: options.baseUrl }],
    paths,
    components: {
      schemas: Object.fromEntries(components),
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          `Status${status}`,
          { description, content: { 'application/json': { schema: errors } } },
        ]),
      ),
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The word Token, a blank and the API token.',
        },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function operationObject(operation: RestOperation, components: Map<string, PlainObject>): PlainObject {
  const { id, tag, summary, scopes, body, response, authentication = 'token' } = operation;
  const { contents, bodyContents } = operation;
  const [type, schema]: [string, PlainObject] =
    response === 'text'
      ? [contents?.types[0] ?? 'text/plain', { type: 'string' }]
      : ['application/json', response];
  const refusals = Object.keys(REFUSALS).map((status) => [
    status,
    { $ref: `#/components/responses/Status${status}` },
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(scopes.length > 0 && { description: `Scopes: ${scopes.join(', ')}.`, 'x-scopes': scopes }),
    parameters: describeParameters(operation),
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          (bodyContents?.types ?? ['application/json']).map((name) => [
            name,
            { schema: bodyContents ? { type: 'string' } : hoist(body, components) },
          ]),
        ),
      },
    }),
    responses: {
      '200': { description: 'The response.', content: { [type]: { schema: hoist(schema, components) } } },
      ...Object.fromEntries(refusals),
    },
    security: authentication === 'none' ? [] : [{ token: [] }, { bearer: [] }],
  };
}

function describeParameters(operation: RestOperation): readonly PlainObject[] {
  const { params, requiredQuery, optionalQuery, columns, paging } = operation;
  const query = (schemas: SchemaMap, required: boolean): PlainObject[] =>
    Object.entries(schemas).map(([name, schema]) =>
      schema['type'] === 'array'
        ? { name: `${name}[]`, in: 'query', required, schema, explode: true }
        : { name, in: 'query', required, schema },
    );
  const page = Object.entries(paging ? pageSchemas(paging) : {});
  return [
    ...Object.entries(params).map(([name, schema]) => ({ name, in: 'path', required: true, schema })),
    ...query(requiredQuery, true),
    ...query(optionalQuery, false),
    ...(columns
      ? [
          {
            name: 'cols[]',
            in: 'query',
            required: false,
            description: `Columns to return, \`*\` for all; unknown ones are ignored. Known: ${columns.all.join(', ')}.`,
            schema: list(text()),
            explode: true,
          },
        ]
      : []),
    ...page.map(([name, schema]) => ({ name: `pg[${name}]`, in: 'query', required: false, schema })),
  ];
}

/** Replaces every schema with a title by a reference to its component. */
function hoist(schema: PlainObject, components: Map<string, PlainObject>): PlainObject {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, hoistValue(value, components)]),
  );
  const title = schema['title'];
  if (typeof title !== 'string') return inner;
  components.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}

function hoistValue(value: unknown, components: Map<string, PlainObject>): unknown {
  if (Array.isArray(value)) return value.map((it) => hoistValue(it, components));
  if (typeof value !== 'object' || value === null) return value;
  return hoist({ ...value }, components);
}

/** The statuses of responses to a known operation. */
export function documentedStatuses(): readonly number[] {
  return [200, ...Object.keys(REFUSALS).map(Number)];
}

/** JSON pointer to the schema of a response in the document. */
export function responsePointer(operation: RestOperation, status: number): string {
  if (status >= 400) return '/components/schemas/Error';
  const path = operation.path.replaceAll('~', '~0').replaceAll('/', '~1');
  return `/paths/${path}/${operation.method.toLowerCase()}/responses/200/content/application~1json/schema`;
}
