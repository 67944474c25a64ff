import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import busboy from 'busboy';
import { parse } from 'yaml';
import type { Transport, TransportRequest } from '../../src/index.js';

type Json = Record<string, unknown>;

const FOLDER = path.resolve(import.meta.dirname, '../../spec-fixtures/openapi');

/** How the list of an operation is paged, as the author of the document knows. */
export type PageStyle =
  | { readonly by: 'page'; readonly parameter: string; readonly first: 0 | 1; readonly tell: TellEnd }
  | { readonly by: 'offset'; readonly parameter: string; readonly size: string; readonly tell: TellEnd }
  | {
      readonly by: 'cursor';
      readonly parameter: string;
      readonly tell: (body: Json, cursor: string | null, items: readonly Json[]) => void;
    }
  | { readonly by: 'header' }
  | { readonly by: 'link'; readonly tell: (body: Json, url: string | null) => void };

type TellEnd = (body: Json, pages: number, total: number, isLast: boolean) => void;

/** An API that behaves as a document says, and refuses requests that do not. */
export interface MockApi {
  readonly transport: Transport;
  /** Requests by operation: `GET /contacts`. */
  readonly requests: Map<string, TransportRequest[]>;
  /** Last response bodies by operation. */
  readonly responses: Map<string, unknown>;
  readonly operations: readonly string[];
  /** Why requests were refused, and what in a response contradicts the document: defects of the mock. */
  readonly problems: string[];
}

export interface MockOptions {
  readonly file: string;
  /** Address of the API in front of its paths. */
  readonly base: string;
  /** Headers in lower case and query parameters that carry the credentials. */
  readonly credentials: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
  };
  /** Lists that are paged, with the path of the list. */
  readonly lists: Readonly<Record<string, { readonly at: readonly string[]; readonly style?: PageStyle }>>;
}

/** Items of a list, in pages. */
export const TOTAL = 5;
const PAGES = 3;

function readFixture(file: string): Json {
  const text = readFileSync(path.join(FOLDER, file), 'utf8');
  return (file.endsWith('.json') ? JSON.parse(text) : parse(text)) as Json;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'];

export function mockApi({ file, base, credentials, lists }: MockOptions): MockApi {
  const document = readFixture(file);
  const check = createCheck(document);
  const follow = (value: unknown): Json => {
    const reference = (value as Json | undefined)?.['$ref'];
    if (typeof reference !== 'string') return (value ?? {}) as Json;
    if (!reference.startsWith('#/')) return {};
    return follow(
      reference
        .slice(2)
        .split('/')
        .reduce<unknown>((at, step) => (at as Json)[step], document),
    );
  };
  const routes = Object.entries(document['paths'] as Json).flatMap(([at, item]) =>
    METHODS.filter((method) => method in (item as Json)).map((method) => {
      const spec = (item as Json)[method] as Json;
      const parameters = [...list((item as Json)['parameters']), ...list(spec['parameters'])].map(follow);
      const pattern = new RegExp(`^${at.replace(/\{[^}]+\}/g, '([^/]+)')}$`);
      return { key: `${method.toUpperCase()} ${at}`, method, at, spec, parameters, pattern };
    }),
  );
  const requests: MockApi['requests'] = new Map();
  const responses: MockApi['responses'] = new Map();
  const problems: string[] = [];

  const transport: Transport = async (request) => {
    const url = new URL(request.url);
    const reply = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)),
      url: request.url,
    });
    const refuse = (reason: string) => {
      problems.push(`${request.method} ${url.pathname}: ${reason}`);
      return reply(400, { message: reason, detail: reason, error: { message: reason } });
    };
    if (!request.url.startsWith(base)) return refuse(`not below ${base}`);
    const at = url.pathname.slice(new URL(base).pathname.replace(/\/$/, '').length);
    const found = routes
      .filter(({ method, pattern }) => method.toUpperCase() === request.method && pattern.test(at))
      .sort((a, b) => a.at.split('{').length - b.at.split('{').length)[0];
    if (found === undefined) return refuse('no such operation');
    const headers = new Map(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
    for (const [name, value] of Object.entries(credentials.headers ?? {})) {
      if (headers.get(name) !== value) return refuse(`header ${name}: ${headers.get(name)}`);
    }
    for (const [name, value] of Object.entries(credentials.query ?? {})) {
      if (url.searchParams.get(name) !== value) return refuse(`query ${name}: ${url.searchParams.get(name)}`);
    }
    const known = requests.get(found.key) ?? [];
    requests.set(found.key, [...known, request]);
    const listed = lists[found.key];
    // Links of the API may have parameters that the document does not name.
    const ofLinks = listed?.style?.by === 'header' || listed?.style?.by === 'link' ? ['page'] : [];
    const problem =
      checkQuery(url, found.parameters, [...Object.keys(credentials.query ?? {}), ...ofLinks], follow) ??
      (await checkBody(request, headers.get('content-type') ?? '', follow(found.spec['requestBody']), check));
    if (problem !== undefined) return refuse(problem);

    const declared = Object.entries(found.spec['responses'] as Json).find(([status]) => /^2/.test(status));
    const [status = '200', written] = declared ?? [];
    const code = status === '2XX' ? 200 : Number(status);
    const [type, media] = Object.entries((follow(written)['content'] ?? {}) as Json)[0] ?? [];
    if (type === undefined) return reply(code, undefined);
    if (type === 'text/plain') return reply(code, 'Sunny.', { 'content-type': type });
    if (type.startsWith('image/')) return reply(code, 'PNG', { 'content-type': type });
    const schema = (media as Json)['schema'];
    const body = schema === undefined ? (media as Json)['example'] : fake(schema, follow, 1);
    const links: Record<string, string> = {};
    if (listed !== undefined) fillList(body, listed, { url, links, schema, follow });
    const mismatch = schema === undefined ? undefined : check(schema, body);
    if (mismatch !== undefined) problems.push(`mock: ${found.key}: ${mismatch}`);
    responses.set(found.key, body);
    return reply(code, body, { 'content-type': type, ...links });
  };
  return { transport, requests, responses, operations: routes.map(({ key }) => key), problems };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Follow = (value: unknown) => Json;

/** Checks a value against a schema of the document. Remote references allow everything. */
function createCheck(document: Json): (schema: unknown, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
  ajv.addFormat('date', /^\d{4}-\d{2}-\d{2}$/);
  ajv.addFormat('email', /^\S+@\S+$/);
  ajv.addFormat('uri', /^https?:/);
  ajv.addFormat('uuid', /^[0-9a-f-]{36}$/);
  for (const format of ['binary', 'password']) ajv.addFormat(format, true);
  const components = JSON.parse(
    JSON.stringify(document['components']).replace(/"\$ref":"https[^"]*"/g, '"title":"remote"'),
  ) as Json;
  return (schema, value) => {
    const validate = ajv.compile({ ...(schema as Json), components });
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** Every sent parameter is declared, and every required one is sent. */
function checkQuery(
  url: URL,
  parameters: readonly Json[],
  others: readonly string[],
  follow: Follow,
): string | undefined {
  const allowed = new Set(others);
  for (const parameter of parameters.filter((one) => one['in'] === 'query')) {
    const name = String(parameter['name']);
    const properties =
      parameter['style'] === 'deepObject'
        ? Object.keys(follow(parameter['schema'])['properties'] as Json)
        : undefined;
    for (const one of properties === undefined ? [name] : properties.map((inner) => `${name}[${inner}]`))
      allowed.add(one);
    if (parameter['required'] === true && !url.searchParams.has(name)) return `${name} is missing`;
    const { type, format } = follow(parameter['schema']);
    for (const value of url.searchParams.getAll(name)) {
      if (type === 'integer' && !/^-?\d+$/.test(value)) return `${name} is no integer: ${value}`;
      if (format === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(value)) return `${name} is no date: ${value}`;
      if (format === 'date-time' && !/^\d{4}-.*T.*Z$/.test(value))
        return `${name} is no date and time: ${value}`;
    }
  }
  const unknown = [...url.searchParams.keys()].find((name) => !allowed.has(name));
  return unknown === undefined ? undefined : `unknown parameter ${unknown}`;
}

async function checkBody(
  { body }: TransportRequest,
  type: string,
  requestBody: Json,
  check: ReturnType<typeof createCheck>,
): Promise<string | undefined> {
  const content = (requestBody['content'] ?? {}) as Json;
  const names = Object.keys(content);
  if (names.length === 0) return body === undefined ? undefined : `unexpected body: ${Buffer.from(body)}`;
  const media = names.find((name) => type.startsWith(name));
  if (media === undefined || body === undefined) return `the content type is "${type}"`;
  const text = Buffer.from(body).toString('utf8');
  const { schema } = content[media] as { schema: Json };
  if (media.endsWith('json')) return check(schema, JSON.parse(text)) ?? readOnlyIn(text);
  if (media.startsWith('multipart/')) return checkParts(await readParts(Buffer.from(body), type), schema);
  if (!media.endsWith('urlencoded')) return text === '' ? 'the body is empty' : undefined;
  const form = new URLSearchParams(text);
  const properties = Object.entries(schema['properties'] as Json);
  const value = Object.fromEntries(
    properties.flatMap(([name, inner]) => {
      if (!form.has(name)) return [];
      return [[name, (inner as Json)['type'] === 'array' ? form.getAll(name) : form.get(name)]];
    }),
  );
  return check(schema, value);
}

/** Members of the fixtures that only responses have. */
function readOnlyIn(text: string): string | undefined {
  return /"(?:created_at|updated_at)"/.test(text) ? 'a read-only member is sent' : undefined;
}

function readParts(body: Buffer, type: string): Promise<Json> {
  const parts: Json = {};
  return new Promise((resolve, reject) => {
    const parser = busboy({ headers: { 'content-type': type } });
    parser.on('field', (name, value) => {
      parts[name] = value;
    });
    parser.on('file', (name, stream, info) => {
      stream.on('data', (chunk: Buffer) => {
        parts[name] = { name: info.filename, text: chunk.toString('utf8') };
      });
    });
    parser.on('close', () => resolve(parts));
    parser.on('error', reject);
    parser.end(body);
  });
}

function checkParts(parts: Json, schema: Json): string | undefined {
  const names = Object.keys(schema['properties'] as Json);
  const unknown = Object.keys(parts).find((name) => !names.includes(name));
  const missing = (schema['required'] as readonly string[]).find((name) => !(name in parts));
  if (unknown !== undefined || missing !== undefined) return `parts: unknown ${unknown}, missing ${missing}`;
  return typeof parts['file'] === 'object' ? undefined : 'the file has no name';
}

interface Filling {
  readonly url: URL;
  readonly links: Record<string, string>;
  readonly schema: unknown;
  readonly follow: Follow;
}

/** Puts the requested page into a response. */
function fillList(
  body: unknown,
  { at, style }: MockOptions['lists'][string],
  { url, links, schema, follow }: Filling,
): void {
  const itemSchema = at.reduce<Json>(
    (inner, name) => follow((follow(inner)['properties'] as Json)[name]),
    follow(schema),
  )['items'];
  const items = Array.from({ length: TOTAL }, (_, index) => fake(itemSchema, follow, index + 1));
  const [page, perPage] = style === undefined ? [0, TOTAL] : pageOf(style, url);
  const shown = items.slice(page * perPage, (page + 1) * perPage);
  const isLast = (page + 1) * perPage >= TOTAL;
  const holder = at.slice(0, -1).reduce<Json>((inner, name) => inner[name] as Json, body as Json);
  const last = at.at(-1);
  if (last === undefined) (body as unknown[]).splice(0, Number.POSITIVE_INFINITY, ...shown);
  else holder[last] = shown;
  const next = isLast ? null : nextUrl(url, page + 1);
  if (style?.by === 'header' && next !== null)
    links['link'] = `<${url.href}>; rel="prev", <${next}>; rel="next"`;
  if (style?.by === 'link') style.tell(body as Json, next);
  if (style?.by === 'cursor')
    style.tell(body as Json, isLast ? null : `c${page + 1}`, shown as readonly Json[]);
  if (style?.by === 'page' || style?.by === 'offset') style.tell(body as Json, PAGES, TOTAL, isLast);
}

function nextUrl(url: URL, page: number): string {
  const next = new URL(url);
  next.searchParams.set('page', String(page));
  next.searchParams.delete('api_key');
  return next.href;
}

/** Index of the requested page, and items per page. */
function pageOf(style: PageStyle, { searchParams }: URL): readonly [page: number, perPage: number] {
  const number = (name: string): number => Number(searchParams.get(name) ?? 0);
  switch (style.by) {
    case 'page':
      return [Number(searchParams.get(style.parameter) ?? style.first) - style.first, 2];
    case 'offset':
      // The page size is that of the caller, so a list has one page per 100 items: small sizes are set by the test.
      return [number(style.parameter) / Math.max(1, number(style.size)), number(style.size)];
    case 'cursor': {
      const cursor = searchParams.get(style.parameter);
      return [cursor === null ? 0 : Number(/\d+$/.exec(cursor)?.[0]) / (cursor.startsWith('c') ? 1 : 2), 2];
    }
    default:
      return [number('page'), 2];
  }
}

/** A value that a schema allows, with all optional members as deep as no schema contains itself. */
function fake(schema: unknown, follow: Follow, seed: number, path: readonly unknown[] = []): unknown {
  const target = follow(schema);
  if (path.includes(target)) return undefined;
  const inner = [...path, target];
  const alternatives = [...list(target['oneOf']), ...list(target['anyOf'])].filter(
    (one) => follow(one)['type'] !== 'null',
  );
  if (alternatives.length > 0) return fake(alternatives[seed % alternatives.length], follow, seed, inner);
  if (Array.isArray(target['allOf'])) {
    const parts = [...target['allOf'], { ...target, allOf: undefined }].map((part) =>
      fake(part, follow, seed, inner),
    );
    const objects = parts.filter((part) => typeof part === 'object' && part !== null && !Array.isArray(part));
    return objects.length > 0 ? Object.assign({}, ...objects) : parts.find((part) => part !== undefined);
  }
  if ('const' in target) return target['const'];
  const values = list(target['enum']);
  if (values.length > 0) return values[seed % values.length];
  const written = target['type'];
  const type = Array.isArray(written) ? written.find((one) => one !== 'null') : written;
  if (type === 'object' || 'properties' in target) {
    const members = Object.entries((target['properties'] ?? {}) as Json)
      .filter(([, member]) => follow(member)['writeOnly'] !== true)
      .map(
        ([name, member]) =>
          [name, name === 'id' ? fakeId(follow(member), seed) : fake(member, follow, seed, inner)] as const,
      )
      .filter(([, value]) => value !== undefined);
    return Object.fromEntries(members);
  }
  if (type === 'array') {
    const item = fake(target['items'], follow, seed, inner);
    return item === undefined ? [] : [item];
  }
  if (type === 'integer' || type === 'number') return seed;
  if (type === 'boolean') return seed % 2 === 0;
  return type === 'string' || 'format' in target ? fakeText(String(target['format']), seed) : undefined;
}

function fakeId(schema: Json, seed: number): unknown {
  return schema['type'] === 'integer'
    ? seed
    : schema['format'] === 'uuid'
      ? fakeText('uuid', seed)
      : `id_${seed}`;
}

function fakeText(format: string, seed: number): string {
  switch (format) {
    case 'date-time':
      return `2026-01-0${seed}T08:00:00Z`;
    case 'date':
      return `2026-01-0${seed}`;
    case 'email':
      return `person${seed}@example.com`;
    case 'uri':
      return `https://example.com/${seed}`;
    case 'uuid':
      return `00000000-0000-4000-8000-00000000000${seed}`;
    default:
      return `text ${seed}`;
  }
}
