import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { inferFields } from '../infer/infer-fields.js';
import { toPlural } from '../names.js';
import { LIMIT_FIELD, type NewComponent } from '../templates.js';
import { describeFields, isShown } from './fields.js';
import { describeModule, labelModule, type ModuleKind, nameModule } from './module-names.js';
import type { LeftOut, Operation } from './operations.js';
import { findPaging, type Paging } from './pagination.js';
import { isPagedByBody } from './paging-parameters.js';
import { isUsableName, printPath, wordsOf } from './plain-text.js';
import type { References } from './references.js';
import { type RequestParts, readRequest } from './requests.js';
import { type ResponseShape, readResponse } from './responses.js';
import { cleanSample, sampleOf } from './samples.js';
import { type SchemaView, textKeyword, viewSchema } from './schemas.js';
import type { Credentials } from './security.js';

/** A module for an operation. */
export interface ImportedModule {
  readonly name: string;
  readonly operation: Operation;
  readonly component: NewComponent;
  readonly paging: Paging['kind'] | undefined;
  /** Points for a manual review. */
  readonly notes: readonly string[];
}

export interface ModuleOptions {
  readonly references: References;
  readonly credentials: Credentials;
  /** Name of the connection; undefined for none. */
  readonly connection: string | undefined;
  /** Absolute address of other servers than that of the document; empty for the base address. */
  readonly serverOf: (operation: Operation) => string;
  /** Names in lower case that other modules have. */
  readonly taken: ReadonlySet<string>;
  /** Name of the module in an earlier import. */
  readonly knownName: string | undefined;
}

/** Creates a module from an operation, or returns the reason why it cannot. */
export function makeModule(operation: Operation, options: ModuleOptions): ImportedModule | LeftOut {
  const { references, credentials, connection } = options;
  const { key } = operation;
  const response = readResponse(operation, references);
  if (typeof response === 'string') return { key, reason: response };
  const kind = kindOf(operation, response);
  const paging = kind === 'search' ? findPaging(operation, response, references) : undefined;
  const server = options.serverOf(operation);
  const carried = new Set(credentials.api.keys.map((one) => one.name));
  const request = readRequest(operation, {
    references,
    server,
    paging: paging?.parameters ?? [],
    credentials: carried,
  });
  if (typeof request === 'string') return { key, reason: request };
  const output = describeOutput(response, request, references);
  const access = credentials.accessOf(operation);
  const isSearch = kind === 'search';
  return {
    name: options.knownName ?? nameModule(operation, kind, options.taken),
    operation,
    component: {
      row: {
        label: labelModule(operation, kind),
        description: describeModule(operation, kind),
        moduleType: isSearch ? 'search' : 'action',
        ...(!isSearch && { actionCrud: CRUD[kind] }),
        connection: connection ?? null,
        altConnection: null,
      },
      files: {
        communication: communicationOf(request, response, output, paging),
        staticParams: [],
        mappableParams: isSearch ? [...request.fields, LIMIT_FIELD] : request.fields,
        interface: output.fields,
        samples: output.sample,
        scope: access.scopes,
      },
    },
    paging: paging?.kind,
    notes: [
      ...(paging?.guess === undefined ? [] : [paging.guess]),
      ...request.notes,
      ...output.notes,
      ...(!isSearch && response.kind === 'object' && isPagedByBody(operation, references) ? [ONE_PAGE] : []),
      ...(access.note === undefined ? [] : [access.note]),
    ],
  };
}

const ONE_PAGE =
  'The operation sends pages, but its response has no list that stands out: the module outputs one page, and the form has the position.';

const CRUD: Readonly<Record<Exclude<ModuleKind, 'search'>, string | null>> = {
  get: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
  action: null,
};

/** Verbs of operations that create something, although a POST can do anything. */
const CREATING = /^(?:create|add|insert|new|register|post|upload|save)$/;

function kindOf({ method, path, spec }: Operation, response: ResponseShape): ModuleKind {
  if (response.kind === 'list') return 'search';
  switch (method) {
    case 'GET':
      return 'get';
    case 'DELETE':
      return 'delete';
    case 'PUT':
    case 'PATCH':
      return 'update';
    default: {
      const [verb = ''] = wordsOf(String(ownMember(spec, 'operationId') ?? ''));
      const last = wordsOf(path.split('/').at(-1) ?? '').at(-1) ?? '';
      const isCollection = !path.endsWith('}') && toPlural(last) === last;
      return response.isCreated || CREATING.test(verb) || (isCollection && verb === '') ? 'create' : 'action';
    }
  }
}

interface Output {
  /** `output` of the response. */
  readonly output: unknown;
  /** `type` of the response; undefined for JSON. */
  readonly type: string | undefined;
  readonly fields: readonly PlainObject[];
  readonly sample: PlainObject;
  readonly notes: readonly string[];
}

function describeOutput(response: ResponseShape, request: RequestParts, references: References): Output {
  switch (response.kind) {
    case 'list':
      return objectOutput('item', response.item, response.example, references);
    case 'object':
      return objectOutput('body', response.body, response.example, references);
    case 'value':
      return valueOutput(response, references);
    case 'text':
      return {
        output: { text: '{{body}}' },
        type: 'text',
        fields: [{ name: 'text', label: 'Text', type: 'text' }],
        sample: { text: 'Example' },
        notes: [],
      };
    case 'file':
      return {
        output: { data: '{{body}}' },
        type: 'binary',
        fields: [{ name: 'data', label: 'Data', type: 'buffer', semantic: 'file:data' }],
        sample: { data: 'Example' },
        notes: [],
      };
    case 'none':
      return emptyOutput(request);
  }
}

/** The object as the API returns it, with its dates parsed. */
function objectOutput(
  root: 'body' | 'item',
  view: SchemaView | undefined,
  example: unknown,
  references: References,
): Output {
  const described = view?.kind === 'object' ? describeFields(view, { use: 'interface', references }) : [];
  if (described.length > 0 && view !== undefined) {
    const notes =
      view.alternatives > 0
        ? [`The interface has the fields of all ${view.alternatives} alternatives of the response.`]
        : [];
    return {
      output: withDates(root, view, references),
      type: undefined,
      fields: described,
      sample: sampleOf(view, references, example),
      notes,
    };
  }
  if (isPlainObject(example) && Object.keys(example).length > 0) {
    return {
      output: `{{${root}}}`,
      type: undefined,
      fields: inferFields([example]) as readonly object[] as readonly PlainObject[],
      sample: cleanSample(example),
      notes: ['The interface is inferred from the example, as the response has no schema.'],
    };
  }
  const isScalar = view !== undefined && view.kind !== 'object' && view.kind !== 'any';
  const type = !isScalar
    ? 'any'
    : view.kind === 'string'
      ? 'text'
      : view.kind === 'integer'
        ? 'number'
        : view.kind;
  return {
    output: { value: `{{${root}}}` },
    type: undefined,
    fields: [{ name: 'value', label: 'Value', type: type === 'null' ? 'any' : type }],
    sample: { value: example ?? (type === 'number' ? 1 : type === 'boolean' ? true : 'Example') },
    notes: isScalar
      ? []
      : ['The document does not describe the response. Complete the interface: iml infer interface.'],
  };
}

/** Dates in responses are texts; `if` leaves out the empty ones. */
function withDates(root: 'body' | 'item', view: SchemaView, references: References): unknown {
  const output: PlainObject = { '{{...}}': `{{${root}}}` };
  for (const { name, schema } of view.properties) {
    const inner = viewSchema(schema, references, view.path);
    const isDate = inner?.kind === 'string' && textKeyword(inner, 'format') === 'date-time';
    if (inner === undefined || !isDate || !isShown(inner, 'interface') || !isUsableName(name)) continue;
    const path = printPath(root, [name]);
    setMember(output, name, `{{if(${path}, parseDate(${path}), ${path})}}`);
  }
  return Object.keys(output).length === 1 ? `{{${root}}}` : output;
}

/** A list, a text or a number: the output of an action has to be an object. */
function valueOutput({ body, example }: ResponseShape, references: References): Output {
  const isList = body?.kind === 'array';
  const name = isList ? 'items' : 'value';
  const schema = { type: 'object', properties: { [name]: body === undefined ? {} : schemaOf(body) } };
  const view = viewSchema(schema, references);
  return {
    output: { [name]: '{{body}}' },
    type: undefined,
    fields: view === undefined ? [] : describeFields(view, { use: 'interface', references }),
    sample: view === undefined ? {} : sampleOf(view, references, { [name]: example }),
    notes: [],
  };
}

function schemaOf({ kind, keywords, values }: SchemaView): PlainObject {
  return {
    ...keywords,
    ...(kind !== 'any' && kind !== 'null' && { type: kind }),
    ...(values.length > 0 && { enum: values }),
  };
}

/** Without a response body, the output contains the IDs of the path. */
function emptyOutput({ pathFields, fields }: RequestParts): Output {
  const names = [...pathFields.values()];
  if (names.length === 0) {
    return {
      output: { statusCode: '{{statusCode}}' },
      type: undefined,
      fields: [{ name: 'statusCode', label: 'Status code', type: 'uinteger' }],
      sample: { statusCode: 204 },
      notes: [],
    };
  }
  return {
    output: Object.fromEntries(names.map((name) => [name, `{{parameters.${name}}}`])),
    type: undefined,
    fields: fields
      .filter((field) => names.includes(String(field['name'])))
      .map(({ name, label }) => ({ name, label, type: 'text' })),
    sample: Object.fromEntries(names.map((name) => [name, '1'])),
    notes: [],
  };
}

function communicationOf(
  { request }: RequestParts,
  { accept, container }: ResponseShape,
  { output, type }: Output,
  paging: Paging | undefined,
): PlainObject {
  const { qs, headers, body, ...others } = request;
  const allQs = { ...(isPlainObject(qs) ? qs : {}), ...paging?.first.qs };
  const allHeaders = { ...(accept !== undefined && { accept }), ...(isPlainObject(headers) ? headers : {}) };
  const isEmpty = (values: PlainObject | undefined): boolean => Object.keys(values ?? {}).length === 0;
  const first = isEmpty(paging?.first.body) ? body : { ...membersOf(body), ...paging?.first.body };
  return {
    ...others,
    ...(!isEmpty(allQs) && { qs: allQs }),
    ...(!isEmpty(allHeaders) && { headers: allHeaders }),
    ...(first !== undefined && { body: first }),
    response: {
      ...(type !== undefined && { type }),
      ...(paging !== undefined && {
        iterate: `{{${printPath('body', container)}}}`,
        limit: '{{parameters.limit}}',
      }),
      output,
    },
    ...(paging !== undefined && {
      pagination: {
        ...(!isEmpty(paging.next.qs) && { qs: paging.next.qs }),
        // The body of the pagination replaces that of the request. [doc]
        ...(!isEmpty(paging.next.body) && { body: { ...membersOf(first), ...paging.next.body } }),
        ...paging.pagination,
      },
    }),
  };
}

function membersOf(body: unknown): PlainObject {
  return isPlainObject(body) ? body : {};
}
