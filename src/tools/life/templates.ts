import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { splitWords, toLabel, toPlural, toSingular, withArticle } from './names.js';
import { type SignatureScheme, type SignedWebhook, signedWebhook } from './webhook-signatures.js';

/** Kinds of modules that `iml add module` knows. */
export const MODULE_TEMPLATES = [
  'get',
  'create',
  'update',
  'delete',
  'search',
  'action',
  'universal',
  'graphql',
  'responder',
] as const;
export type ModuleTemplate = (typeof MODULE_TEMPLATES)[number];

/** A new component: its manifest row without `codeFiles`, and its files by code type. */
export interface NewComponent {
  readonly row: PlainObject;
  /** JSON values, or text for files that are not JSON. */
  readonly files: Readonly<Record<string, unknown>>;
}

/** What templates are filled with. */
export interface TemplateOptions {
  readonly name: string;
  /** Undefined: derived from the name. */
  readonly label: string | undefined;
  /** Address below the base: `/contacts`. Undefined: derived from the name. */
  readonly path: string | undefined;
  /** Name of the connection; undefined for none. */
  readonly connection: string | undefined;
}

/** Splits the version off an address: `https://api.example.com/v1/rest` → address and `/v1/rest`. */
function splitVersion(baseUrl: string): readonly [address: string, version: string] {
  const [version = ''] = /\/v\d[\w.-]*(?:\/.*)?$/.exec(baseUrl) ?? [];
  return [version === '' ? baseUrl : baseUrl.slice(0, -version.length), version];
}

/** The nouns of a component: `listContacts` and `createContact` are about contacts. */
interface Nouns {
  readonly verb: string;
  readonly one: string;
  readonly many: string;
  /** Name of the list in answers: `openOrders`. */
  readonly member: string;
  readonly path: string;
}

function readNouns(name: string, path: string | undefined, fallback: string): Nouns {
  const words = splitWords(name);
  const [verb = ''] = words;
  const rest = words.length > 1 ? words.slice(1) : [fallback];
  const withoutArticle = rest.length > 1 && /^(?:a|an|new)$/.test(rest[0] ?? '') ? rest.slice(1) : rest;
  const last = withoutArticle.at(-1) ?? fallback;
  const before = withoutArticle.slice(0, -1);
  const many = [...before, toPlural(last)];
  return {
    verb,
    one: [...before, toSingular(last)].join(' '),
    many: many.join(' '),
    member: many.map((word, index) => (index === 0 ? word : toLabel([word]))).join(''),
    path: path ?? `/${many.join('-')}`,
  };
}

const ID_FIELD = { name: 'id', label: 'ID', type: 'text' } as const;
const NAME_FIELD = { name: 'name', label: 'Name', type: 'text' } as const;
const CREATED_FIELD = { name: 'createdAt', label: 'Created at', type: 'date' } as const;
const INTERFACE = [ID_FIELD, NAME_FIELD, CREATED_FIELD];

/** Names of the fields in interfaces and samples of templates. */
export const TEMPLATE_FIELDS: readonly string[] = INTERFACE.map(({ name }) => name);

/** Whether an interface is still the one that templates write. */
export function isTemplateInterface(value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(INTERFACE);
}

/** Whether a sample is still the one that templates write. */
export function isTemplateSample(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const one = /^Example (.+)$/.exec(String(ownMember(value, 'name')))?.[1];
  return one !== undefined && JSON.stringify(value) === JSON.stringify(sampleOf({ one }));
}

/** The limit of the user of a search or a trigger. */
export const LIMIT_FIELD = {
  name: 'limit',
  label: 'Limit',
  type: 'uinteger',
  required: true,
  default: 10,
  help: 'The maximum number of results to be worked with during one execution cycle.',
} as const;

function sampleOf({ one }: Pick<Nouns, 'one'>): PlainObject {
  return { id: '1', name: toLabel(['example', ...one.split(' ')]), createdAt: '2026-01-31T12:00:00.000Z' };
}

/** All members of an item, its date parsed. `parseDate` fails without a date. */
function outputOf(item: string): PlainObject {
  const date = `${item}.createdAt`;
  return { '{{...}}': `{{${item}}}`, createdAt: `{{if(${date}, parseDate(${date}), null)}}` };
}

function idField({ one }: Nouns): PlainObject {
  return { name: 'id', label: `${toLabel(one.split(' '))} ID`, type: 'text', required: true };
}

function nameField(required: boolean): PlainObject {
  return { ...NAME_FIELD, required };
}

const MODULE_VERBS: ReadonlyMap<string, ModuleTemplate> = new Map([
  ...([
    ['list', 'search'],
    ['search', 'search'],
    ['find', 'search'],
    ['get', 'get'],
    ['read', 'get'],
  ] as const),
  ...([
    ['create', 'create'],
    ['add', 'create'],
    ['update', 'update'],
    ['edit', 'update'],
  ] as const),
  ...([
    ['delete', 'delete'],
    ['remove', 'delete'],
    ['respond', 'responder'],
    ['reply', 'responder'],
  ] as const),
]);

/** The template for the verb of a name; `action` for others. */
export function moduleTemplateOf(name: string): ModuleTemplate {
  const words = splitWords(name);
  const text = words.join(' ');
  if (/\bapi call$/.test(text)) return 'universal';
  if (/\bgraphql\b/.test(text)) return 'graphql';
  return MODULE_VERBS.get(words[0] ?? '') ?? 'action';
}

/** @param baseUrl address of the API; only the universal modules use it */
export function moduleTemplate(
  template: ModuleTemplate,
  { name, label, path, connection }: TemplateOptions,
  baseUrl: string,
): NewComponent {
  const nouns = readNouns(name, path, 'item');
  const words = splitWords(name);
  const row = (
    moduleType: string,
    text: string,
    description: string,
    crud: string | null = null,
  ): PlainObject => ({
    label: label ?? text,
    description,
    moduleType,
    ...(moduleType === 'action' && { actionCrud: crud }),
    ...(moduleType !== 'responder' && { connection: connection ?? null, altConnection: null }),
  });
  const verb = toLabel([nouns.verb]);
  const one = withArticle(nouns.one);
  const output = { interface: INTERFACE, samples: sampleOf(nouns) };
  const record = { url: `${nouns.path}/{{encodeURL(parameters.id)}}`, encodeUrl: false };
  const response = { output: outputOf('body') };
  const others = { '{{...}}': "{{omit(parameters, 'id')}}" };
  switch (template) {
    case 'get':
      return {
        row: row('action', `${verb} ${one}`, `Returns the details of ${one}.`, 'read'),
        files: moduleFiles({ ...record, response }, [idField(nouns)], output),
      };
    case 'create': {
      const body = { '{{...}}': '{{parameters}}' };
      return {
        row: row('action', `${verb} ${one}`, `Creates ${one}.`, 'create'),
        files: moduleFiles({ url: nouns.path, method: 'POST', body, response }, [nameField(true)], output),
      };
    }
    case 'update': {
      const fields = [idField(nouns), nameField(false)];
      return {
        row: row('action', `${verb} ${one}`, `Updates ${one}.`, 'update'),
        files: moduleFiles({ ...record, method: 'PATCH', body: others, response }, fields, output),
      };
    }
    case 'delete': {
      const request = { ...record, method: 'DELETE', response: { output: { id: '{{parameters.id}}' } } };
      return {
        row: row('action', `${verb} ${one}`, `Deletes ${one}.`, 'delete'),
        files: moduleFiles(request, [idField(nouns)], { interface: [ID_FIELD], samples: { id: '1' } }),
      };
    }
    case 'search':
      return {
        row: row('search', `${verb} ${nouns.many}`, `Returns ${nouns.many}.`),
        files: moduleFiles(searchRequest(nouns), [LIMIT_FIELD], output),
      };
    case 'universal':
      return universalTemplate(row, baseUrl);
    case 'graphql':
      return graphqlTemplate(row, path ?? '/graphql');
    case 'responder': {
      const headers = { 'content-type': 'application/json' };
      const fields = [{ name: 'data', label: 'Data', type: 'any' }];
      return {
        row: row('responder', toLabel(words), 'Returns a response to the webhook.'),
        files: moduleFiles({ response: { status: 200, headers, body: '{{parameters.data}}' } }, fields),
      };
    }
    case 'action': {
      const url = `${record.url}/${nouns.verb}`;
      const fields = [idField(nouns), nameField(false)];
      return {
        row: row('action', toLabel(words), `${verb}s ${one}.`),
        files: moduleFiles({ ...record, url, method: 'POST', body: others, response }, fields, output),
      };
    }
  }
}

/** @param output interface and samples. Default: none */
function moduleFiles(
  communication: PlainObject,
  mappableParams: readonly PlainObject[],
  output: PlainObject = { interface: [], samples: {} },
): NewComponent['files'] {
  return { communication, staticParams: [], mappableParams, ...output, scope: [] };
}

/** Pages of a fixed size, as long as the API says that there are more. */
function searchRequest({ path, member }: Nouns): PlainObject {
  return {
    url: path,
    qs: { page: 1, pageSize: 100 },
    response: {
      iterate: `{{body.${member}}}`,
      limit: '{{parameters.limit}}',
      output: outputOf('item'),
    },
    pagination: { condition: '{{body.hasMore}}', qs: { page: '{{pagination.page}}' } },
  };
}

type MakeRow = (moduleType: string, text: string, description: string) => PlainObject;

const RESPONSE = { output: { body: '{{body}}', headers: '{{headers}}', statusCode: '{{statusCode}}' } };
const RESPONSE_FIELDS = [
  { name: 'body', label: 'Body', type: 'any' },
  { name: 'headers', label: 'Headers', type: 'collection' },
  { name: 'statusCode', label: 'Status code', type: 'uinteger' },
];

const PAIRS = [
  { name: 'key', label: 'Key', type: 'text' },
  { name: 'value', label: 'Value', type: 'text' },
] as const;

/** Source: https://developers.make.com/custom-apps-documentation/app-components/modules/universal-module. [doc] */
function universalTemplate(row: MakeRow, baseUrl: string): NewComponent {
  const [address, version] = splitVersion(baseUrl);
  const pairs = (name: string, label: string, item: string): PlainObject => ({
    name,
    label,
    type: 'array',
    labels: { add: `Add ${item}`, edit: `Edit ${item}` },
    spec: PAIRS,
  });
  return {
    row: row('universal', 'Make an API call', 'Performs an arbitrary authorized API call.'),
    files: {
      communication: {
        // Users choose the version of the API, so it is not in the address.
        url: version === '' ? '{{parameters.url}}' : `${address}{{parameters.url}}`,
        method: '{{parameters.method}}',
        headers: { '{{...}}': "{{toCollection(parameters.headers, 'key', 'value')}}" },
        qs: { '{{...}}': "{{toCollection(parameters.qs, 'key', 'value')}}" },
        body: '{{parameters.body}}',
        type: 'text',
        response: RESPONSE,
      },
      staticParams: [],
      mappableParams: [
        {
          name: 'url',
          label: 'URL',
          type: 'text',
          required: true,
          help: `Enter the part of the URL that comes after \`${address}\`. It begins with \`/\`, for example \`${version}/users\`.`,
        },
        {
          name: 'method',
          label: 'Method',
          type: 'select',
          required: true,
          default: 'GET',
          options: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({
            label: method,
            value: method,
          })),
        },
        pairs('headers', 'Headers', 'a header'),
        pairs('qs', 'Query string', 'a parameter'),
        { name: 'body', label: 'Body', type: 'any' },
      ],
      interface: RESPONSE_FIELDS,
      samples: { body: { id: '1' }, headers: { 'content-type': 'application/json' }, statusCode: 200 },
      scope: [],
    },
  };
}

function graphqlTemplate(row: MakeRow, path: string): NewComponent {
  return {
    row: row('universal', 'Execute a GraphQL query', 'Performs an arbitrary authorized GraphQL query.'),
    files: {
      communication: {
        url: path,
        method: 'POST',
        body: {
          query: '{{parameters.query}}',
          variables: '{{if(parameters.variables, parseJSON(parameters.variables))}}',
          operationName: '{{parameters.operationName}}',
        },
        response: RESPONSE,
      },
      staticParams: [],
      mappableParams: [
        {
          name: 'query',
          label: 'Query',
          type: 'text',
          multiline: true,
          required: true,
          help: 'Enter a GraphQL query. For example, `{ me { id } }`.',
        },
        { name: 'variables', label: 'Variables', type: 'json', help: 'Enter the variables as JSON.' },
        { name: 'operationName', label: 'Operation name', type: 'text' },
      ],
      interface: RESPONSE_FIELDS,
      samples: { body: { data: {} }, headers: { 'content-type': 'application/json' }, statusCode: 200 },
      scope: [],
    },
  };
}

/** A polling trigger, newest items first. */
export function triggerTemplate({ name, label, path, connection }: TemplateOptions): NewComponent {
  const nouns = readNouns(name, path, 'item');
  const date = '{{parseDate(item.createdAt)}}';
  return {
    row: {
      label: label ?? `${toLabel([nouns.verb])} ${nouns.many}`,
      description: `Triggers when ${withArticle(nouns.one)} is created.`,
      moduleType: 'trigger',
      connection: connection ?? null,
      altConnection: null,
    },
    files: {
      communication: {
        url: nouns.path,
        qs: { sort: '-createdAt', pageSize: 100 },
        response: {
          trigger: { type: 'date', order: 'desc', id: '{{item.id}}', date },
          iterate: `{{body.${nouns.member}}}`,
          limit: '{{parameters.limit}}',
          output: outputOf('item'),
        },
        pagination: { condition: '{{body.hasMore}}', qs: { page: '{{pagination.page}}' } },
      },
      staticParams: [LIMIT_FIELD],
      interface: INTERFACE,
      samples: sampleOf(nouns),
      scope: [],
      epoch: {
        response: {
          iterate: `{{body.${nouns.member}}}`,
          limit: 300,
          output: { label: '{{item.name}}', date },
        },
      },
    },
  };
}

/** An instant trigger of a webhook. */
export function instantTriggerTemplate({ name, label }: TemplateOptions, webhook: string): NewComponent {
  const nouns = readNouns(name, undefined, 'event');
  return {
    row: {
      label: label ?? `${toLabel([nouns.verb])} ${nouns.many}`,
      description: `Triggers when ${withArticle(nouns.one)} occurs.`,
      moduleType: 'instant_trigger',
      webhook,
    },
    files: {
      communication: {},
      staticParams: [],
      interface: INTERFACE,
      samples: sampleOf(nouns),
      scope: [],
    },
  };
}

/** A webhook that accepts every call. */
const UNSIGNED: SignedWebhook = {
  communication: {},
  params: [],
  attach: { body: { url: '{{webhook.url}}' }, data: {} },
};

/** A webhook that the app registers at the API itself, for each user or, if shared, one for all. */
export function webhookTemplate(
  { name, label, connection, path }: TemplateOptions,
  isShared: boolean,
  signature?: SignatureScheme,
): NewComponent {
  const signed = signature === undefined ? UNSIGNED : signedWebhook(signature);
  const row = {
    label: label ?? toLabel(splitWords(name)),
    connection: connection ?? null,
    altConnection: null,
  };
  if (isShared) {
    return {
      row: { ...row, webhookType: 'web-shared' },
      files: {
        communication: {
          ...signed.communication,
          uid: '{{body.accountId}}',
          iterate: '{{body.events}}',
          output: outputOf('item'),
          respond: { status: 202 },
        },
        params: signed.params,
        requiredScope: [],
      },
    };
  }
  const at = path ?? '/hooks';
  const { attach } = signed;
  return {
    row: { ...row, webhookType: 'web' },
    files: {
      communication: { ...signed.communication, output: outputOf('body') },
      params: signed.params,
      ...(attach !== undefined && {
        attach: {
          url: at,
          method: 'POST',
          ...(attach.temp !== undefined && { temp: attach.temp }),
          body: attach.body,
          response: { data: { externalHookId: '{{body.id}}', ...attach.data } },
        },
        detach: { url: `${at}/{{webhook.externalHookId}}`, method: 'DELETE' },
      }),
      requiredScope: [],
    },
  };
}

/** Options of a select field. */
export function rpcTemplate({ name, label, path, connection }: TemplateOptions): NewComponent {
  const nouns = readNouns(name, path, 'item');
  return {
    row: { label: label ?? toLabel(splitWords(name)), connection: connection ?? null, altConnection: null },
    files: {
      communication: {
        url: nouns.path,
        qs: { pageSize: 100 },
        response: {
          iterate: `{{body.${nouns.member}}}`,
          limit: 300,
          output: { label: '{{item.name}}', value: '{{item.id}}' },
        },
        pagination: { condition: '{{body.hasMore}}', qs: { page: '{{pagination.page}}' } },
      },
      params: [],
    },
  };
}

/** A custom function and its test. */
export function functionTemplate(name: string): NewComponent {
  return {
    row: {},
    files: {
      code: `function ${name}(value) {\n  return value ?? '';\n}\n`,
      test: `it('returns the value', () => {\n  assert.strictEqual(${name}('text'), 'text');\n});\n\nit('returns an empty text without a value', () => {\n  assert.strictEqual(${name}(null), '');\n  assert.strictEqual(${name}(), '');\n});\n`,
    },
  };
}

/** One request for AI agents. */
export function endpointTemplate({ name, label, path, connection }: TemplateOptions): NewComponent {
  const nouns = readNouns(name, path, 'item');
  const text = label ?? toLabel(splitWords(name));
  const help = (field: PlainObject, words: string): PlainObject => ({ ...field, help: words });
  return {
    row: {
      label: text,
      description: `Returns the details of ${withArticle(nouns.one)}.`,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      attachedAccounts: connection === undefined ? [] : [connection],
    },
    files: {
      communication: {
        url: `${nouns.path}/{{encodeURL(parameters.id)}}`,
        encodeUrl: false,
        response: { output: '{{body}}' },
      },
      requiredScope: [],
      input: [help(idField(nouns), `The ID of the ${nouns.one}.`)],
      output: [
        help(ID_FIELD, `The ID of the ${nouns.one}.`),
        help(NAME_FIELD, `The name of the ${nouns.one}.`),
        help(CREATED_FIELD, `The time at which the ${nouns.one} was created.`),
      ],
      context: `---\nname: ${name}\ndescription: Returns the details of ${withArticle(nouns.one)}.\n---\n\nUse this endpoint if the ID of the ${nouns.one} is known.\n`,
    },
  };
}

/** Readme of a new app. */
export function readmeTemplate(label: string): string {
  return `# ${label}\n`;
}
