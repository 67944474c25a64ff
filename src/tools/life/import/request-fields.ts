import { isSecretName } from '../../../engine/redaction/secret-names.js';
import { isPlainObject, type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { CanonicalRequest } from '../../testing/exchanges/canonical-request.js';
import type { ExpectedPart } from '../../testing/exchanges/exchange.js';
import { type InferredField, inferFields } from '../infer/infer-fields.js';
import { splitWords, toLabel, toSingular } from '../names.js';

/** The fields of a form and the parts of a request that they fill. */
export interface RequestFields {
  readonly fields: PlainObject[];
  readonly names: Set<string>;
  readonly notes: string[];
}

/** A free name of a field: the name in the API if it is an identifier, else its words. */
function addName({ names }: RequestFields, name: string, fallback: string): string {
  const [first = '', ...rest] = splitWords(name);
  const words = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const plain = [name, words].find((one) => /^[A-Za-z]\w{0,63}$/.test(one)) ?? fallback;
  let free = plain;
  for (let number = 2; names.has(free); number++) free = `${plain}${number}`;
  names.add(free);
  return free;
}

/** Path segments of documentation that are placeholders. */
const PLACEHOLDERS: readonly RegExp[] = [
  /^\{\{?\s*([\w-]+)\s*\}?\}$/,
  /^:([A-Za-z][\w-]*)$/,
  /^<([\w -]+)>$/,
  /^\[([\w -]+)\]$/,
  /^\$\{?([A-Z_]+|\w+(?=\}))\}?$/,
  /^(?!(?:API|REST|RPC|JSON)$)([A-Z][A-Z_]{2,})$/,
];

/** Whether a segment of a path is the ID of a record, not the name of a resource. [inf] */
function isId(segment: string): boolean {
  return (
    /^\d[\d-]*$/.test(segment) ||
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(segment) ||
    /^(?=.*\d)[0-9a-f]{12,}$/i.test(segment) ||
    /^[a-z]{2,6}_(?!v\d+$)(?=\w*\d)\w+$/i.test(segment) ||
    /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w-]{10,}$/.test(segment) ||
    /[@:=]/.test(segment) ||
    segment.length > 40
  );
}

/** A segment of a path. */
export interface PathSegment {
  /** Decoded. */
  readonly text: string;
  /** As in the address: `new URL` encodes braces, so it holds no expression. */
  readonly written: string;
  /** Undefined for a fixed segment. */
  readonly parameter: string | undefined;
}

/** @param path `pathname` of a URL */
export function readPath(path: string): readonly PathSegment[] {
  const all = path.split('/');
  const segments = all.map(decode);
  return segments.map((text, index) => {
    const written = all[index] ?? '';
    const [placeholder] = PLACEHOLDERS.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
    if (placeholder !== undefined) return { text, written, parameter: toIdentifier(placeholder) };
    if (text === '' || !isId(text)) return { text, written, parameter: undefined };
    const before = segments.slice(0, index).findLast((one) => one !== '' && !isId(one));
    const noun = splitWords(before ?? '').map((word, at, all) =>
      at === all.length - 1 ? toSingular(word) : word,
    );
    const isLast = index === segments.length - 1;
    const parameter = isLast || noun.length === 0 ? 'id' : toIdentifier([...noun, 'id'].join(' '));
    return { text, written, parameter };
  });
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function toIdentifier(name: string): string {
  if (/^[a-z]\w*$/.test(name)) return name;
  const [first = 'id', ...rest] = splitWords(name);
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The path as an expression. Adds its fields. */
export function addPath(into: RequestFields, segments: readonly PathSegment[]): string {
  return segments
    .map(({ written, parameter }, index) => {
      if (parameter === undefined) return written;
      const name = addName(into, parameter, 'id');
      const before = segments
        .slice(0, index)
        .findLast((one) => one.parameter === undefined && one.text !== '');
      const noun = splitWords(before?.text ?? '').map((word, at, all) =>
        at === all.length - 1 ? toSingular(word) : word,
      );
      const label = name === 'id' ? toLabel([...noun, 'id']) : toLabel(splitWords(name));
      into.fields.push({ name, label, type: 'text', required: true });
      return `{{encodeURL(parameters.${name})}}`;
    })
    .join('/');
}

/**
 * Adds a field for each member.
 *
 * @returns the members of the request: expressions by the names of the API
 */
export function addMembers(
  into: RequestFields,
  members: Readonly<PlainObject>,
  { place }: { readonly place: 'query' | 'form' | 'json' },
): PlainObject {
  const values = place === 'json' ? members : readTexts(members);
  const sent: PlainObject = {};
  for (const field of inferFields([values])) {
    if (field.name.includes('{{')) {
      into.notes.push(`Left out "${field.name}": a name cannot be an expression.`);
      continue;
    }
    const isSecret = isSecretName(field.name, place === 'query' ? 'query' : 'body');
    if (isSecret && place === 'query') {
      into.notes.push(`Left out "${field.name}" of the query, which looks like a credential.`);
      continue;
    }
    setMember(sent, field.name, addField(into, field, { value: values[field.name], isSecret }));
  }
  return sent;
}

/** The date of a text without a time. */
const DATE = /^\d{4}-\d{2}-\d{2}$/;

function addField(
  into: RequestFields,
  field: InferredField,
  { value, isSecret }: { readonly value: unknown; readonly isSecret: boolean },
): string {
  const name = addName(into, field.name, 'field');
  const isDate = typeof value === 'string' && DATE.test(value);
  const type = isSecret && field.type === 'text' ? 'password' : isDate ? 'date' : field.type;
  into.fields.push({ ...field, name, type });
  if (type !== 'date') return `{{parameters.${name}}}`;
  const format = isDate ? 'YYYY-MM-DD' : 'YYYY-MM-DDTHH:mm:ssZ';
  return `{{if(parameters.${name}, formatDate(parameters.${name}, '${format}'))}}`;
}

/** Texts of a query or form as the values that they write. */
function readTexts(members: Readonly<PlainObject>): PlainObject {
  const values: PlainObject = {};
  for (const [name, value] of Object.entries(members)) {
    setMember(values, name, Array.isArray(value) ? value.map(readText) : readText(value));
  }
  return values;
}

function readText(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'string' && /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(value)
    ? Number(value)
    : value;
}

/** Body and type of a request. Adds the fields of the body. */
export function addBody(into: RequestFields, request: CanonicalRequest): PlainObject {
  const { body, form, parts, bodyText, bodyBase64 } = request;
  if (form !== undefined) return { type: 'urlencoded', body: addMembers(into, form, { place: 'form' }) };
  if (parts !== undefined) return { type: 'multipart/form-data', body: addParts(into, parts) };
  if (isPlainObject(body)) return { body: addMembers(into, body, { place: 'json' }) };
  if (body !== undefined) {
    const [field] = inferFields([{ items: body }]);
    return { body: field === undefined ? {} : addField(into, field, { value: body, isSecret: false }) };
  }
  if (bodyText !== undefined) {
    const name = addName(into, 'body', 'body');
    into.fields.push({ name, label: 'Body', type: 'text', multiline: true, required: true });
    return { type: 'text', body: `{{parameters.${name}}}` };
  }
  return bodyBase64 === undefined ? {} : { type: 'binary', body: addFile(into, 'data').value };
}

function addParts(into: RequestFields, parts: readonly ExpectedPart[]): PlainObject {
  const texts: PlainObject = {};
  const sent: PlainObject = {};
  for (const { name, text, filename } of parts.filter((part) => part.name !== '')) {
    if (filename === undefined) setMember(texts, name, text);
    else if (name.includes('{{')) into.notes.push(`Left out "${name}": a name cannot be an expression.`);
    else setMember(sent, name, addFile(into, name));
  }
  return { ...addMembers(into, texts, { place: 'form' }), ...sent };
}

/**
 * Name and data of a file, which users map in one step.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/multipart-form-data. [doc]
 */
function addFile(
  into: RequestFields,
  name: string,
): { readonly value: string; readonly options: PlainObject } {
  const label = toLabel(splitWords(name));
  const fileName = addName(into, name === 'file' || name === 'data' ? 'fileName' : `${name}Name`, 'fileName');
  const data = addName(into, name, 'data');
  into.fields.push(
    { name: fileName, label: `${label} name`, type: 'filename', semantic: 'file:name', required: true },
    { name: data, label, type: 'buffer', semantic: 'file:data', required: true },
  );
  return {
    value: `{{parameters.${data}}}`,
    options: { filename: `{{parameters.${fileName}}}` },
  };
}
