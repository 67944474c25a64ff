import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { integer, object, oneOf, type Schema, type SchemaMap } from '../../shared/schema/build.js';
import { compileSchema } from '../../shared/schema/compile-schema.js';
import type { SchemaCheck, SchemaProblem } from '../../shared/schema/schema-check.js';
import { badRequest, invalidParameter, missingParameter, tooLarge } from '../problems.js';
import type { Paging } from './lists.js';
import type { RawContents, RestOperation } from './operation.js';

/** The parsed, unvalidated parts of a request. */
interface RawInput {
  readonly params: PlainObject;
  readonly query: PlainObject;
  readonly page: PlainObject;
  readonly body: unknown;
}

type Parts = readonly (readonly [part: keyof RawInput, check: SchemaCheck])[];

/** Compilation is slow and depends on the operation only, so all instances of the API share the result. */
const COMPILED = new WeakMap<RestOperation, Parts>();

/** Maximum number of problems of one part that become messages. */
const MAX_SAID = 1000;

export type InputCheck = (input: RawInput) => void;

/** The trust boundary: handlers can rely on the types of their schemas. Compiled at first use. */
export function createInputCheck(operation: RestOperation): InputCheck {
  return (input) => {
    const parts = COMPILED.get(operation) ?? compileParts(operation);
    COMPILED.set(operation, parts);
    const problems = parts.flatMap(([part, check]) =>
      check(input[part])
        .slice(0, MAX_SAID)
        .map((problem) => say(part, problem)),
    );
    if (problems.length > 0) throw badRequest([...new Set(problems)]);
  };
}

/** The schema of `pg[...]` of an operation. */
export function pageSchemas(paging: Paging): SchemaMap {
  return {
    sortBy: oneOf(paging.sortBy),
    sortDir: oneOf(['asc', 'desc']),
    limit: integer({ minimum: 0 }),
    offset: integer({ minimum: 0 }),
  };
}

function compileParts(operation: RestOperation): Parts {
  const { params, requiredQuery, optionalQuery, paging, body } = operation;
  const page: Schema<unknown> = paging ? object({}, pageSchemas(paging)) : {};
  return [
    ['params', compileSchema(object(params))],
    ['query', compileSchema(object(requiredQuery, optionalQuery))],
    ['page', compileSchema(page)],
    ['body', body === undefined ? () => [] : checkBody(compileSchema(body))],
  ];
}

/** Without this check, a body that is not an object would be a problem of every member. */
function checkBody(check: SchemaCheck): SchemaCheck {
  return (value) =>
    isPlainObject(value) ? check(value) : [{ path: [], keyword: 'type', message: 'must be a JSON object' }];
}

function say(part: keyof RawInput, problem: SchemaProblem): string {
  const path = problem.path.join('.');
  const name = part === 'page' ? `pg[${path}]` : path || part;
  return problem.keyword === 'required' ? missingParameter(name) : invalidParameter(name, problem.message);
}

/**
 * The value without members that its schema does not name, as operations may store what they get. Objects whose schema
 * names no members, or allows further ones with `additionalProperties: true`, keep all of theirs.
 */
export function pickNamed(schema: unknown, value: unknown): unknown {
  if (!isPlainObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => pickNamed(schema['items'], item));
  const { properties } = schema;
  if (!isPlainObject(value) || !isPlainObject(properties) || schema['additionalProperties'] === true) {
    return value;
  }
  const named = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(named.map(([name, inner]) => [name, pickNamed(properties[name], inner)]));
}

/** Limits of a body. */
const BODY_LIMITS: {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Reading and checking a body blocks the event loop; no operation needs a hundredth of it. */
  readonly maxValues: number;
} = Object.freeze({ maxBytes: 1024 * 1024, maxDepth: 32, maxValues: 10_000 });

/** An unpaired surrogate; a pair is one character with the flag `u`. */
const LONE_SURROGATE = /\p{Cs}/u;

/**
 * Reads the JSON body of a request; undefined without one. Refuses another content type, a content encoding, invalid
 * JSON or UTF-8, duplicate names in an object, depth, values or bytes above the limits, and characters that databases
 * cannot store.
 * @throws RestError 400 `SC400`, 413 `SC413`
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  if (!isJsonType(request.headers.get('content-type') ?? ''))
    throw bodyProblem('must be sent as application/json');
  // The API does not decompress: a proxy would pass on other content than the checks saw.
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw bodyProblem('must be sent without content encoding');
  const text = decodeUtf8(bytes);
  if (countValues(text) > BODY_LIMITS.maxValues)
    throw bodyProblem(`must not contain more than ${BODY_LIMITS.maxValues} values`);
  const value = parseJson(text);
  const problem = structureProblem(text);
  if (problem !== undefined) throw bodyProblem(problem);
  return value;
}

/**
 * Reads a body that is not JSON, byte by byte: a text, or bytes as base64. Refuses other content types, a content
 * encoding, and texts that are not UTF-8 or that databases cannot store.
 *
 * @throws RestError 400 `SC400`, 413 `SC413`
 */
export async function readRawBody(request: Request, { types, encoding }: RawContents): Promise<string> {
  const bytes = await readBytes(request);
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!types.includes(type)) throw bodyProblem(`must be sent as ${types.join(' or ')}`);
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw bodyProblem('must be sent without content encoding');
  if (encoding === 'base64') return Buffer.from(bytes).toString('base64');
  const text = decodeUtf8(bytes);
  if (!isStorable(text)) throw bodyProblem(UNSTORABLE);
  return text;
}

function isJsonType(header: string): boolean {
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'));
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const { maxBytes } = BODY_LIMITS;
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A reader is faster than async iteration of the stream.
  const reader = request.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > maxBytes) {
      await reader.cancel();
      throw tooLarge(maxBytes);
    }
    chunks.push(read.value);
  }
  const [first = new Uint8Array()] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw bodyProblem('must be UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bodyProblem('must be JSON');
  }
}

function bodyProblem(expectation: string): Error {
  return badRequest([invalidParameter('body', expectation)]);
}

/** Estimates the number of values in a JSON text, without empty lists and objects; any number for invalid JSON. */
function countValues(text: string): number {
  let count = 1;
  let isInside = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) isInside = !isInside;
    else if (isInside) index += unit === BACKSLASH ? 1 : 0;
    else if (unit === COMMA || unit === BRACKET || unit === BRACE) count++;
  }
  return count;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Strings, brackets and commas; the count needs no other token. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;

/** The structural problem of a valid JSON text. Iterative, so that depth does not use the stack. */
function structureProblem(text: string): string | undefined {
  /** The names seen in each open object; undefined stands for a list. */
  const open: (Set<string> | undefined)[] = [];
  let nameIsNext = false;
  for (const [token] of text.matchAll(TOKENS)) {
    switch (token) {
      case '{':
      case '[':
        open.push(token === '{' ? new Set() : undefined);
        if (open.length > BODY_LIMITS.maxDepth)
          return `must not be nested deeper than ${BODY_LIMITS.maxDepth}`;
        nameIsNext = token === '{';
        break;
      case '}':
      case ']':
        open.pop();
        nameIsNext = false;
        break;
      case ',':
        nameIsNext = open.at(-1) !== undefined;
        break;
      default: {
        const value: string = JSON.parse(token);
        if (!isStorable(value)) return UNSTORABLE;
        const names = open.at(-1);
        if (!nameIsNext || !names) break;
        if (names.has(value)) return `must not contain the name ${token.slice(0, 80)} twice`;
        names.add(value);
        nameIsNext = false;
      }
    }
  }
  return undefined;
}

/** Completes an error message about a text. */
export const UNSTORABLE = 'must not contain NUL or an unpaired surrogate';

/** Whether every store accepts a text: PostgreSQL refuses NUL, UTF-8 lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}
