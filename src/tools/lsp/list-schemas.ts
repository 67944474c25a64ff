import { DOCUMENT_RULES, type DocumentKind } from '../../engine/document/document-shapes.js';
import {
  described,
  type JsonType,
  type KeyShape,
  listOf,
  only,
  type Shape,
} from '../../engine/document/shape.js';
import { MANIFEST_SHAPE } from '../../engine/loading/read-manifest.js';
import { FORM_RULE } from '../../engine/parameters/field-shape.js';
import { SCENARIO_FILE_SHAPE } from '../../host/scenarios/scenario-file.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { CONFIG_SHAPE } from '../check/settings.js';
import type { CheckedDocument } from '../check/subject/checked-document.js';

/** The JSON Schema of one kind of file. */
export interface FileSchema {
  /** Name of its file in the package: `epoch` of `schemas/epoch.schema.json`. */
  readonly name: SchemaName;
  readonly title: string;
  readonly schema: PlainObject;
}

/** Names of the schemas, in the order they are listed. */
const SCHEMA_NAMES: readonly SchemaName[] = [
  ...([
    'manifest',
    'base',
    'communication',
    'oauth-connection',
    'webhook',
    'responder',
    'epoch',
    'endpoint',
  ] as const),
  ...(['parameters', 'interface', 'samples', 'common', 'groups', 'scopes', 'scope-list'] as const),
  ...(['config', 'scenarios', 'test'] as const),
];

export type SchemaName =
  | (
      | 'manifest'
      | 'base'
      | 'communication'
      | 'oauth-connection'
      | 'webhook'
      | 'responder'
      | 'epoch'
      | 'endpoint'
    )
  | ('parameters' | 'interface' | 'samples' | 'common' | 'groups' | 'scopes' | 'scope-list')
  | ('config' | 'scenarios' | 'test');

const GROUP_SHAPE: Shape = {
  title: 'a group',
  required: ['label', 'modules'],
  keys: {
    label: described('Name of the group.', { types: ['string'] }),
    modules: described('Names of its modules, in the order they are shown.', { types: ['array'] }),
  },
};

const FILES: Readonly<Record<Exclude<SchemaName, 'test'>, readonly [title: string, rule: KeyShape]>> = {
  manifest: ['Manifest of an app', only(MANIFEST_SHAPE)],
  base: ['Base', DOCUMENT_RULES.base],
  communication: ['Communication', DOCUMENT_RULES.api],
  'oauth-connection': ['Communication of an OAuth connection', DOCUMENT_RULES.oauth],
  webhook: ['Communication of a webhook', DOCUMENT_RULES.webhook],
  responder: ['Communication of a responder', DOCUMENT_RULES.responder],
  epoch: ['Epoch of a polling trigger', DOCUMENT_RULES.epoch],
  endpoint: ['Communication of an endpoint', DOCUMENT_RULES.endpoint],
  parameters: ['Parameters', FORM_RULE],
  interface: [
    'Interface',
    { ...FORM_RULE, about: 'Fields of the bundles of a module, as the mapper shows them.' },
  ],
  samples: [
    'Samples',
    described('Example bundle of the module, which the mapper shows before the first run.'),
  ],
  common: [
    'Common data',
    described('Data that all expressions read as `common`, such as client IDs. Do not commit secrets.', {
      types: ['object'],
    }),
  ],
  groups: [
    'Groups',
    { ...listOf(GROUP_SHAPE), about: 'The modules of the app in groups, in the order they are shown.' },
  ],
  scopes: ['Scopes', described('Requested scopes, such as `"read:users"`.', { types: ['array'] })],
  'scope-list': [
    'List of scopes',
    described('Scopes of the API by name, with the text that users see.', { types: ['object'] }),
  ],
  config: ['Settings of iml', only(CONFIG_SHAPE)],
  scenarios: ['Scenarios', only(SCENARIO_FILE_SHAPE)],
};

const TEST_TITLE = 'Test case';

const MADE = new Map<SchemaName, PlainObject>();

/** The schema of a kind of file, from the shapes that loading, check and test runner use. */
export async function makeSchema(name: SchemaName): Promise<PlainObject> {
  const known = MADE.get(name);
  if (known !== undefined) return known;
  const schema = name === 'test' ? { ...(await loadTestSchema()), title: TEST_TITLE } : describeFile(name);
  MADE.set(name, schema);
  return schema;
}

function describeFile(name: keyof typeof FILES): PlainObject {
  const [title, rule] = FILES[name];
  return writeJsonSchema(rule, { title });
}

/** All schemas. */
export async function listSchemas(): Promise<readonly FileSchema[]> {
  return Promise.all(
    SCHEMA_NAMES.map(async (name) => ({
      name,
      title: name === 'test' ? TEST_TITLE : FILES[name][0],
      schema: await makeSchema(name),
    })),
  );
}

/** The schema of a file of an app. */
export function chooseSchema({ kind, part }: Pick<CheckedDocument, 'kind' | 'part'>): SchemaName | undefined {
  return BY_PART[part] ?? BY_KIND[kind];
}

const BY_PART: Readonly<Partial<Record<string, SchemaName>>> = {
  interface: 'interface',
  output: 'interface',
  samples: 'samples',
  common: 'common',
  groups: 'groups',
  scope: 'scopes',
  defaultScope: 'scopes',
  requiredScope: 'scopes',
  scopeList: 'scope-list',
};

const BY_KIND: Readonly<Partial<Record<DocumentKind, SchemaName>>> = {
  base: 'base',
  api: 'communication',
  oauth: 'oauth-connection',
  webhook: 'webhook',
  responder: 'responder',
  epoch: 'epoch',
  endpoint: 'endpoint',
  parameters: 'parameters',
};

/** Descriptions of test case members by path. */
const ABOUT: Readonly<Record<string, string>> = {
  $schema: 'Address of the schema of this file.',
  name: 'Name of the case in reports. Default: the name of its file.',
  component:
    'Component to run: `module:listOrders`, `rpc:listTables`, `connection:account`, `webhook:events`.',
  kind: 'Kind of run, if not the default of the component: `epoch`, `attach`, `oauth2-refresh`, ...',
  record:
    '`true`: `iml test --record-cases` runs the case against the API and replaces this member by the recording.',
  todo: 'Why the case is not finished. `iml test` does not run it, and shows the reason. Remove the member to run it.',
  live: 'Whether `iml test --live` runs the case. Default: if all its requests are GET or HEAD.',
  recorded: 'When the exchanges were recorded, and by which version.',
  secrets: 'Replacements of secrets: texts by the NAME of `{{secret:NAME}}`.',
  exchanges: 'Requests of the component and responses of the API, in order. Each exchange is used once.',
  ignore: 'Paths of requests that are not compared: `request.query.nonce`.',
  server: 'A generated API with pages, instead of exchanges.',
  app: 'An app for this case only, instead of the app of its folder.',
  common: 'Replaces the common data.',
  input: 'Input of the run.',
  expect: 'Expected result. Absent members are not compared.',
  title: 'Description of the case.',
  covers: 'Features that the case covers.',
  basis: 'Source of the expectation.',
  certainty: 'Certainty of the source.',
  source: 'Address of the source.',
  note: 'For people.',
  disputed: 'Reason to doubt the expectation.',
  'input.parameters': 'Values of the form.',
  'input.connection': 'Data of the connection; secrets as `{{secret:NAME}}`.',
  'input.data': 'State of a polling trigger, or of the component.',
  'input.now': 'The time of the run, as `2026-01-31T12:00:00Z`.',
  'input.payload': 'Item of the webhook that an instant trigger processes.',
  'input.request': 'The call of a webhook.',
  'input.checkParameters': 'Whether the form checks the parameters first.',
  'expect.bundles': 'All bundles, in order.',
  'expect.bundleCount': 'Number of bundles.',
  'expect.firstBundle': 'The first bundle.',
  'expect.lastBundle': 'The last bundle.',
  'expect.result': 'Result of an RPC or responder.',
  'expect.error': 'Error of the run: `type` and `message`.',
  'expect.requestCount': 'Number of requests.',
  'expect.stop': 'Stop reason of pagination.',
  'expect.query': 'JSONata expression over the report; must return true.',
  'expect.state': 'State of the trigger after the run.',
  'expect.respond': 'Response to the sender of the webhook.',
  'expect.connection': 'Data that the connection stores.',
};

/** The schema of test cases with descriptions. */
async function loadTestSchema(): Promise<PlainObject> {
  const { CASE_SCHEMA } = await import('../testing/cases/case-shape.js');
  return describeMembers(CASE_SCHEMA, '');
}

function describeMembers(schema: PlainObject, path: string): PlainObject {
  const properties = schema['properties'];
  if (!isPlainObject(properties)) return schema;
  const described = Object.entries(properties).map(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const about = Object.hasOwn(ABOUT, at) ? ABOUT[at] : undefined;
    if (!isPlainObject(member)) return [name, member];
    const inner = describeMembers(member, at);
    return [name, about === undefined ? inner : { ...inner, description: about, markdownDescription: about }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

/** Title and description of a schema. */
interface SchemaHead {
  /** Name of the file kind: `Communication of an OAuth connection`. */
  readonly title: string;
  /** Purpose of the file. */
  readonly description?: string | undefined;
}

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/**
 * Converts a rule to a JSON Schema (draft 7). Each shape becomes a definition, as shapes can be recursive. `null` is
 * always allowed and means "not set".
 */
function writeJsonSchema(rule: KeyShape, { title, description = rule.about }: SchemaHead): PlainObject {
  const definitions = new Map<Shape, { readonly name: string; readonly schema: PlainObject }>();
  const refer = (shape: Shape): string => {
    const known = definitions.get(shape);
    if (known !== undefined) return known.name;
    const name = freeName(shape.title, definitions);
    const schema: PlainObject = {};
    // Registered before its members are read, as they may refer to it.
    definitions.set(shape, { name, schema });
    Object.assign(
      schema,
      describeShape(shape, (inner) => schemaOf(inner, refer)),
    );
    return name;
  };
  const { description: _, ...own } = schemaOf(rule, refer);
  const named = [...definitions.values()].map(({ name, schema }) => [name, schema]);
  return {
    $schema: DRAFT,
    title,
    ...(description !== undefined && { description }),
    // Keywords of VS Code: app files contain comments and trailing commas.
    allowComments: true,
    allowTrailingCommas: true,
    ...own,
    ...(named.length > 0 && { definitions: Object.fromEntries(named) }),
  };
}

function freeName(title: string, definitions: ReadonlyMap<Shape, { readonly name: string }>): string {
  const plain = title.replace(/^an? /, '').replaceAll(/[^A-Za-z0-9]+/g, '-');
  const taken = new Set([...definitions.values()].map(({ name }) => name));
  for (let count = 1; ; count++) {
    const name = count === 1 ? plain : `${plain}-${count}`;
    if (!taken.has(name)) return name;
  }
}

type Refer = (shape: Shape) => string;

function schemaOf(rule: KeyShape, refer: Refer): PlainObject {
  const { about, words, types, shape, each = false, orTexts = false } = rule;
  const description = about === undefined ? {} : { description: about, markdownDescription: about };
  if (types === undefined) return description;
  // Examples only, as an expression may produce other texts.
  const offered = words === undefined ? {} : { examples: words };
  if (shape === undefined) return { ...description, type: listTypes(types), ...offered };
  const reference = { $ref: `#/definitions/${refer(shape)}` };
  const others = types.filter((type) => type !== 'object' && !(each && type === 'array'));
  const variants: PlainObject[] = [];
  if (types.includes('object')) variants.push(reference);
  if (each && types.includes('array'))
    variants.push({ type: 'array', items: { anyOf: [reference, orTexts ? TEXT_OR_NULL : NULL] } });
  variants.push({ type: listTypes(others), ...offered });
  return { ...description, anyOf: variants };
}

const NULL: PlainObject = { type: 'null' };
const TEXT_OR_NULL: PlainObject = { type: ['string', 'null'] };

function listTypes(types: readonly JsonType[]): string | readonly string[] {
  return types.length === 0 ? 'null' : [...types, 'null'];
}

function describeShape(shape: Shape, schemaOfRule: (rule: KeyShape) => PlainObject): PlainObject {
  const { keys, pattern, isOpen = false, required = [] } = shape;
  const properties = Object.entries(keys).map(([key, rule]) => [key, schemaOfRule(rule)]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(pattern && { patternProperties: { [pattern.key.source]: schemaOfRule(pattern.rule) } }),
    ...(required.length > 0 && { required }),
    ...(!isOpen && { additionalProperties: false }),
  };
}
