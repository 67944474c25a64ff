import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { describeField, isShown, labelOf } from './fields.js';
import { isJsonType, type Operation, readContent } from './operations.js';
import type { PagingParameter } from './paging-parameters.js';
import { camelCase, isUsableName, wordsOf } from './plain-text.js';
import type { References } from './references.js';
import { mediaExample } from './responses.js';
import { exampleOf, type SchemaView, textKeyword, viewSchema } from './schemas.js';

/** The request of a module and the form that fills it. */
export interface RequestParts {
  /** Members of the communication: url, method, qs, headers, type, body. */
  readonly request: PlainObject;
  readonly fields: readonly PlainObject[];
  /** Path parameters: names in the form by names in the path. */
  readonly pathFields: ReadonlyMap<string, string>;
  /** Differences between the form and the document. */
  readonly notes: readonly string[];
}

interface Form {
  readonly references: References;
  readonly fields: PlainObject[];
  readonly names: Set<string>;
  readonly notes: string[];
}

export interface RequestOptions {
  readonly references: References;
  /** Parameters that the pagination sets. */
  readonly paging: readonly PagingParameter[];
  /** Absolute address before the path; empty for the base address. */
  readonly server: string;
  /** Headers, in lower case, and query parameters that carry credentials. */
  readonly credentials: ReadonlySet<string>;
}

/** @returns a text with the reason if no module can send the request */
export function readRequest(operation: Operation, options: RequestOptions): RequestParts | string {
  const form: Form = { references: options.references, fields: [], names: new Set(['limit']), notes: [] };
  const url = readUrl(operation, options.server, form);
  const qs: PlainObject = {};
  const headers: PlainObject = {};
  for (const parameter of operation.parameters) {
    const name = String(ownMember(parameter, 'name') ?? '');
    const place = ownMember(parameter, 'in');
    if (options.credentials.has(place === 'header' ? name.toLowerCase() : name)) continue;
    if (place === 'query' && !isPaging(options, 'qs', name)) addQuery(name, parameter, qs, form);
    else if (place === 'header' && !IGNORED_HEADERS.test(name)) addHeader(name, parameter, headers, form);
    else if (place === 'cookie') form.notes.push(`The cookie \`${name}\` is not sent.`);
  }
  const body = operation.method === 'GET' ? NO_BODY : readBody(operation, form, options);
  if (typeof body === 'string') return body;
  const allHeaders = { ...headers, ...body.headers };
  return {
    request: {
      url: url.text,
      ...(url.pathFields.size > 0 && { encodeUrl: false }),
      ...(operation.method !== 'GET' && { method: operation.method }),
      ...(Object.keys(qs).length > 0 && { qs }),
      ...(Object.keys(allHeaders).length > 0 && { headers: allHeaders }),
      ...body.request,
    },
    fields: form.fields,
    pathFields: url.pathFields,
    notes: form.notes,
  };
}

function isPaging({ paging }: RequestOptions, place: PagingParameter['place'], name: string): boolean {
  return paging.some((parameter) => parameter.place === place && parameter.name === name);
}

/** The connection and the encoding of the body set these. Source: OpenAPI 3.1, parameter object. */
const IGNORED_HEADERS = /^(?:accept|content-type|authorization|host|content-length)$/i;

interface FieldPlace {
  readonly place: string;
  readonly help?: unknown;
  readonly path?: readonly object[];
  /** Values in examples of the document. */
  readonly examples?: readonly unknown[];
}

/** Adds a field whose name is free. The name stays as it is if expressions can write it without quotes. */
function addField(
  form: Form,
  {
    name,
    schema,
    isRequired,
  }: { readonly name: string; readonly schema: unknown; readonly isRequired: boolean },
  { place, help, path, examples = [] }: FieldPlace,
): string {
  const plain = /^[A-Za-z_]\w*$/.test(name) ? name : toIdentifier(name, place);
  let free = plain;
  if (form.names.has(free)) free = toIdentifier(`${place} ${plain}`, place);
  for (let number = 2; form.names.has(free); number++) free = `${plain}${number}`;
  form.names.add(free);
  const described =
    typeof help === 'string' && help !== '' ? { allOf: [schema, { description: help }] } : schema;
  const field = describeField(
    { name: free, schema: described, isRequired },
    { use: 'form', references: form.references, examples },
    path,
  );
  form.fields.push({ ...field, label: labelOf(name) });
  const format = viewSchema(schema, form.references, path)?.keywords['format'];
  if (field['type'] === 'date' && format !== 'date' && format !== 'date-time') {
    form.notes.push(`\`${name}\` is sent as a date and time, as its name says; the document has no format.`);
  }
  return free;
}

function toIdentifier(name: string, fallback: string): string {
  const text = camelCase(wordsOf(name));
  return /^[a-z]/.test(text) ? text : `${fallback}${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function schemaOf(parameter: PlainObject, references: References): unknown {
  const [content] = readContent(ownMember(parameter, 'content'), references);
  const schema = ownMember(parameter, 'schema') ?? (content && ownMember(content.media, 'schema')) ?? {};
  const example = ownMember(parameter, 'example');
  return example === undefined ? schema : { allOf: [schema, { example }] };
}

function readUrl(
  { path, parameters }: Operation,
  server: string,
  form: Form,
): { readonly text: string; readonly pathFields: ReadonlyMap<string, string> } {
  const pathFields = new Map<string, string>();
  const written = path.split(/(\{[^{}]*\})/).map((part) => {
    const [, name] = /^\{([^{}]*)\}$/.exec(part) ?? [];
    if (name === undefined) return part;
    const known = pathFields.get(name);
    if (known !== undefined) return `{{encodeURL(parameters.${known})}}`;
    const parameter = parameters.find(
      (one) => ownMember(one, 'in') === 'path' && ownMember(one, 'name') === name,
    );
    // A date in a path has the form that the document shows.
    const schema = parameter === undefined ? {} : schemaOf(parameter, form.references);
    const field = addField(
      form,
      { name, schema, isRequired: true },
      { place: 'path', help: parameter && ownMember(parameter, 'description') },
    );
    pathFields.set(name, field);
    const value = isDateOnly(schema, form.references)
      ? `formatDate(parameters.${field}, 'YYYY-MM-DD')`
      : `parameters.${field}`;
    return `{{encodeURL(${value})}}`;
  });
  return { text: server + written.join(''), pathFields };
}

function isDateOnly(schema: unknown, references: References): boolean {
  const view = viewSchema(schema, references);
  return view?.kind === 'string' && view.values.length === 0 && textKeyword(view, 'format') === 'date';
}

function addQuery(name: string, parameter: PlainObject, qs: PlainObject, form: Form): void {
  if (!isUsableName(name)) return;
  const schema = schemaOf(parameter, form.references);
  const view = viewSchema(schema, form.references);
  const help = ownMember(parameter, 'description');
  const isRequired = ownMember(parameter, 'required') === true;
  const style = ownMember(parameter, 'style') ?? 'form';
  const isExploded = ownMember(parameter, 'explode') ?? style === 'form';
  if (
    view?.kind === 'object' &&
    view.properties.length > 0 &&
    ownMember(parameter, 'content') === undefined
  ) {
    // Source: OpenAPI 3.1, style values: `filter[name]=x` of deepObject, `name=x` of an exploded form.
    for (const property of view.properties) {
      const sent = style === 'deepObject' ? `${name}[${property.name}]` : property.name;
      if (!isUsableName(sent)) continue;
      const field = addField(
        form,
        { name: sent, schema: property.schema, isRequired: isRequired && property.isRequired },
        { place: 'query', path: view.path },
      );
      setMember(qs, sent, expressionOf(field, property.schema, form, view.path));
    }
    return;
  }
  const field = addField(form, { name, schema, isRequired }, { place: 'query', help });
  if (ownMember(parameter, 'content') !== undefined) {
    setMember(qs, name, `{{if(parameters.${field}, createJSON(parameters.${field}))}}`);
  } else if (view?.kind === 'array' && isExploded !== true) {
    const separator = style === 'pipeDelimited' ? '|' : style === 'spaceDelimited' ? ' ' : ',';
    setMember(qs, name, `{{if(parameters.${field}, join(parameters.${field}, '${separator}'))}}`);
  } else setMember(qs, name, expressionOf(field, schema, form));
}

function addHeader(name: string, parameter: PlainObject, headers: PlainObject, form: Form): void {
  if (!/^[\w!#$%&'*+.^|~-]{1,100}$/.test(name)) return;
  const schema = schemaOf(parameter, form.references);
  const field = addField(
    form,
    { name, schema, isRequired: ownMember(parameter, 'required') === true },
    { place: 'header', help: ownMember(parameter, 'description') },
  );
  setMember(headers, name.toLowerCase(), expressionOf(field, schema, form));
}

/** The expression of a value. A date without a time is formatted; other dates are sent as ISO 8601. */
function expressionOf(
  field: string,
  schema: unknown,
  { references, fields }: Form,
  path?: readonly object[],
): string {
  const read = `parameters.${field}`;
  const view = viewSchema(schema, references, path);
  const type = fields.find((one) => one['name'] === field)?.['type'];
  if (type === 'date' && view !== undefined && textKeyword(view, 'format') === 'date') {
    return `{{if(${read}, formatDate(${read}, 'YYYY-MM-DD'))}}`;
  }
  return `{{${read}}}`;
}

interface Body {
  /** `type` and `body` of the request. */
  readonly request: PlainObject;
  readonly headers: PlainObject;
}

const NO_BODY: Body = { request: {}, headers: {} };

function readBody({ spec }: Operation, form: Form, options: RequestOptions): Body | string {
  const { references } = form;
  const body = references.follow(ownMember(spec, 'requestBody'));
  if (body === undefined) return NO_BODY;
  const contents = readContent(ownMember(body, 'content'), references);
  if (contents.length === 0) return NO_BODY;
  const isRequired = ownMember(body, 'required') === true;
  const find = (matches: (type: string) => boolean): (typeof contents)[number] | undefined =>
    contents.find(({ type }) => matches(type));
  const json = find(isJsonType);
  if (json !== undefined) {
    const headers = json.type === 'application/json' ? {} : { 'content-type': json.type };
    const schema = ownMember(json.media, 'schema');
    const examples = [mediaExample(json.media, references)];
    return { request: { body: jsonBody(schema, { isRequired, examples }, form, options) }, headers };
  }
  const multipart = find((type) => type === 'multipart/form-data');
  const urlencoded = find((type) => type === 'application/x-www-form-urlencoded');
  const encoded =
    multipart !== undefined && hasFile(multipart.media, references) ? multipart : (urlencoded ?? multipart);
  if (encoded !== undefined) return formBody(encoded, form);
  const text = find((type) => type.startsWith('text/') && !type.endsWith('/xml'));
  if (text !== undefined) {
    const schema = { type: 'string', description: textHelp(body) };
    const field = addField(form, { name: 'text', schema, isRequired }, { place: 'body' });
    return {
      request: { type: 'text', body: `{{parameters.${field}}}` },
      headers: { 'content-type': text.type },
    };
  }
  const file = find((type) => !type.endsWith('xml'));
  if (file === undefined) {
    return `Its body is ${contents[0]?.type}; expected JSON, a form, text or a file.`;
  }
  const field = addFile(form, 'data', isRequired);
  const type = file.type.includes('*') ? 'application/octet-stream' : file.type;
  return {
    request: { type: 'binary', body: `{{parameters.${field.data}}}` },
    headers: { 'content-type': type },
  };
}

function textHelp(body: PlainObject): string {
  const help = ownMember(body, 'description');
  return typeof help === 'string' ? help : '';
}

function jsonBody(
  schema: unknown,
  { isRequired, examples }: { readonly isRequired: boolean; readonly examples: readonly unknown[] },
  form: Form,
  options: RequestOptions,
): unknown {
  const view = viewSchema(schema, form.references);
  if (view?.kind !== 'object' || view.properties.length === 0) {
    const name = view?.kind === 'array' ? 'items' : 'body';
    const field = addField(form, { name, schema: schema ?? {}, isRequired }, { place: 'body', examples });
    return `{{parameters.${field}}}`;
  }
  noteAlternatives(view, form);
  const properties = view.properties.filter(({ name }) => !isPaging(options, 'body', name));
  return bodyMembers({ ...view, properties }, { form, examples }, (property, field) => {
    const inner = viewSchema(property.schema, form.references, view.path);
    if (inner === undefined || !isMap(inner)) return undefined;
    useKeyValuePairs(form, field, inner);
    return `{{if(parameters.${field}, toCollection(parameters.${field}, 'key', 'value'))}}`;
  });
}

function noteAlternatives(view: SchemaView, form: Form): void {
  if (view.alternatives === 0) return;
  form.notes.push(`The form has the fields of all ${view.alternatives} alternatives of the body.`);
}

/** An object with any names and values that are no objects. */
function isMap(view: SchemaView): boolean {
  return (
    view.kind === 'object' &&
    view.properties.length === 0 &&
    ownMember(view.keywords, 'additionalProperties') !== undefined
  );
}

/** Users enter a map as pairs, as in the universal module. */
function useKeyValuePairs(form: Form, name: string, map: SchemaView): void {
  const { references } = form;
  const schema = ownMember(map.keywords, 'additionalProperties');
  const value = describeField(
    { name: 'value', schema, isRequired: false },
    { use: 'form', references },
    map.path,
  );
  const index = form.fields.findIndex((field) => field['name'] === name);
  const { spec: _spec, ...field } = form.fields[index] ?? {};
  form.fields[index] = {
    ...field,
    type: 'array',
    spec: [{ name: 'key', label: 'Key', type: 'text', required: true }, value],
  };
}

type Write = (property: SchemaView['properties'][number], field: string) => unknown;

/** One member per property, so that parameters of path and query do not get into the body. */
function bodyMembers(
  view: SchemaView,
  { form, examples = [] }: { readonly form: Form; readonly examples?: readonly unknown[] },
  write: Write,
): PlainObject {
  const members: PlainObject = {};
  const shown = [...examples, exampleOf(view)].filter(isPlainObject);
  const sorted = [
    ...view.properties.filter((one) => one.isRequired),
    ...view.properties.filter((one) => !one.isRequired),
  ];
  for (const property of sorted) {
    if (!isUsableName(property.name)) continue;
    const inner = viewSchema(property.schema, form.references, view.path);
    if (inner !== undefined && !isShown(inner, 'form')) continue;
    const values = shown.map((example) => ownMember(example, property.name));
    const field = addField(form, property, { place: 'body', path: view.path, examples: values });
    setMember(
      members,
      property.name,
      write(property, field) ?? expressionOf(field, property.schema, form, view.path),
    );
  }
  return members;
}

function hasFile(media: PlainObject, references: References): boolean {
  const view = viewSchema(ownMember(media, 'schema'), references);
  return view?.properties.some(({ schema }) => isFile(viewSchema(schema, references, view.path))) === true;
}

/** `format: binary` of OpenAPI 3.0, or content of another encoding than JSON and text of 3.1. */
function isFile(view: SchemaView | undefined): boolean {
  if (view === undefined || (view.kind !== 'string' && view.kind !== 'any')) return false;
  const media = textKeyword(view, 'contentMediaType');
  return textKeyword(view, 'format') === 'binary' || (media !== '' && !/^text\/|json/.test(media));
}

function formBody(
  { type, media }: { readonly type: string; readonly media: PlainObject },
  form: Form,
): Body | string {
  const view = viewSchema(ownMember(media, 'schema'), form.references);
  if (view === undefined || view.properties.length === 0)
    return `Its body is ${type} without a list of fields.`;
  noteAlternatives(view, form);
  const isMultipart = type === 'multipart/form-data';
  const files = new Map<string, FileFields>();
  const members = bodyMembers(
    isMultipart ? withoutFiles(view, form, files) : view,
    { form },
    () => undefined,
  );
  for (const [name, { fileName, data }] of files) {
    setMember(members, name, {
      value: `{{parameters.${data}}}`,
      options: { filename: `{{parameters.${fileName}}}` },
    });
  }
  return { request: { type: isMultipart ? type : 'urlencoded', body: members }, headers: {} };
}

interface FileFields {
  readonly fileName: string;
  readonly data: string;
}

/** Adds the fields of files, and returns the other properties. */
function withoutFiles(view: SchemaView, form: Form, files: Map<string, FileFields>): SchemaView {
  const others = view.properties.filter(({ name, schema, isRequired }) => {
    const inner = viewSchema(schema, form.references, view.path);
    const items = inner?.kind === 'array' ? viewSchema(inner.items, form.references, inner.path) : undefined;
    if (!isUsableName(name) || !(isFile(inner) || isFile(items))) return true;
    if (items !== undefined)
      form.notes.push(`The form takes one file for \`${name}\`; the API takes several.`);
    files.set(name, addFile(form, name, isRequired));
    return false;
  });
  return { ...view, properties: others };
}

/** A file is two fields, which users map in one step. */
function addFile(form: Form, name: string, isRequired: boolean): FileFields {
  const schema = { type: 'string' };
  const fileName = addField(form, { name: `${name} fileName`, schema, isRequired }, { place: 'body' });
  const data = addField(form, { name, schema, isRequired }, { place: 'body' });
  const replace = (field: string, changes: PlainObject): void => {
    const index = form.fields.findIndex((one) => one['name'] === field);
    form.fields[index] = { ...form.fields[index], ...changes };
  };
  const label = labelOf(name);
  replace(fileName, { label: `${label} file name`, type: 'filename', semantic: 'file:name' });
  replace(data, { label, type: 'buffer', semantic: 'file:data' });
  return { fileName, data };
}
