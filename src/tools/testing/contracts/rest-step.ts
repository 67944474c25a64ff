import { isDeepStrictEqual } from 'node:util';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';

/** One request of a contract case and the response it must get. */
export interface RestStep {
  /** Name of a token; absent: no header. `{name}` is a saved token, any other text the token itself. */
  readonly as?: string;
  /**
   * `GET /organizations?cols[]=id`; `{name}` is replaced by a saved value. A path after `!` starts at the root of the
   * server.
   */
  readonly request?: string;
  readonly body?: unknown;
  /** Text of the body, instead of `body`. */
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default 200. */
  readonly status?: number;
  /** Expected content of the response body; see `findDifference`. */
  readonly expect?: unknown;
  readonly expectHeaders?: Readonly<Record<string, string>>;
  /** Values of the response to save, by name: `{ "id": "organization.id" }`. */
  readonly save?: Readonly<Record<string, string>>;
}

/** State shared by the steps of a case. */
export interface StepContext {
  /** Base address of the API, without a slash at the end. */
  readonly baseUrl: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly tokens: Readonly<Record<string, string | undefined>>;
  readonly saved: Map<string, unknown>;
}

/** Longest part of a response that an error shows. */
const MAX_SHOWN = 2000;

/** Sends the request of a step. Rejects with an Error that names the difference between the response and the expected one. */
export async function playStep(step: RestStep, context: StepContext): Promise<void> {
  const { saved } = context;
  const response = await context.fetch(buildRequest(step, context));
  const text = await response.text();
  const shown = showResponse(text);
  const { status = 200 } = step;
  if (response.status !== status)
    throw new Error(`expected status ${status}, got ${response.status}: ${shown}`);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body: unknown = isJson ? JSON.parse(text) : text;
  const problem = step.expect === undefined ? undefined : findDifference(body, fillDeep(step.expect, saved));
  if (problem !== undefined) throw new Error(`${problem} in ${shown}`);
  for (const [name, value] of Object.entries(step.expectHeaders ?? {})) {
    const found = findDifference(response.headers.get(name) ?? undefined, value, `header ${name}`);
    if (found !== undefined) throw new Error(found);
  }
  for (const [name, path] of Object.entries(step.save ?? {})) {
    const value = valueAt(body, path);
    if (value === undefined) throw new Error(`${path} is missing in ${shown}`);
    saved.set(name, value);
  }
}

/** The start of a response without the tokens in it. */
export function showResponse(text: string): string {
  return text.replace(/("token":")[^"]*/g, '$1***').slice(0, MAX_SHOWN);
}

function buildRequest(step: RestStep, { baseUrl, tokens, saved }: StepContext): Request {
  const [method = 'GET', target = '/'] = fill(step.request ?? '', saved).split(/ (.*)/s);
  const token = step.as === undefined ? undefined : (tokens[step.as] ?? fill(step.as, saved));
  const body =
    step.rawBody ?? (step.body === undefined ? undefined : JSON.stringify(fillDeep(step.body, saved)));
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Token ${token}` }),
    ...step.headers,
  };
  const address = target.startsWith('!') ? `${new URL(baseUrl).origin}${target.slice(1)}` : baseUrl + target;
  return new Request(address, { method, headers, ...(body !== undefined && { body }) });
}

/**
 * The difference between a value and the expected one; undefined if they match. Objects may have further members, unless the
 * expected one has `$only`. `{ "$some": X }` expects a list with an entry that matches X. Texts with a meaning: `$any`, `$integer`,
 * `$number`, `$text`, `$flag`, `$instant`, `$uuid`, `$list`, `$object`, `$absent`, `$has:part of a text`, `$length:3`.
 */
function findDifference(value: unknown, expected: unknown, path = ''): string | undefined {
  const here = path === '' ? 'the response' : path;
  if (typeof expected === 'string' && expected.startsWith('$')) {
    return fitsKind(value, expected) ? undefined : `${here} does not match ${expected}`;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return `${here} is not a list`;
    if (value.length !== expected.length)
      return `${here} has ${value.length} entries, not ${expected.length}`;
    return findProblem(expected.map((it, index) => findDifference(value[index], it, `${path}[${index}]`)));
  }
  if (isPlainObject(expected)) {
    if (Object.hasOwn(expected, '$some')) {
      const { $some: entry } = expected;
      const isFound = Array.isArray(value) && value.some((it) => findDifference(it, entry) === undefined);
      return isFound ? undefined : `${here} has no entry like ${JSON.stringify(entry)}`;
    }
    if (!isPlainObject(value)) return `${here} is not an object`;
    const { $only: only, ...members } = expected;

    const further = Object.keys(value).find((name) => only === true && !Object.hasOwn(members, name));
    if (further !== undefined) return `${here} has the member ${further}`;
    const names = Object.keys(members);
    return findProblem(
      names.map((name) => findDifference(ownMember(value, name), members[name], `${path}.${name}`)),
    );
  }
  return isDeepStrictEqual(value, expected)
    ? undefined
    : `${here} is ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function fitsKind(value: unknown, kind: string): boolean {
  const [name, argument = ''] = kind.split(/:(.*)/s);
  switch (name) {
    case '$any':
      return value !== undefined;
    case '$absent':
      return value === undefined;
    case '$integer':
      return Number.isInteger(value);
    case '$number':
      return typeof value === 'number';
    case '$text':
      return typeof value === 'string';
    case '$flag':
      return typeof value === 'boolean';
    case '$instant':
      return typeof value === 'string' && INSTANT.test(value);
    case '$uuid':
      return typeof value === 'string' && UUID.test(value);
    case '$list':
      return Array.isArray(value);
    case '$object':
      return isPlainObject(value);
    case '$has':
      return JSON.stringify(value)?.includes(argument) ?? false;
    case '$length':
      return Array.isArray(value) && value.length === Number(argument);
    default:
      throw new Error(`Unknown expectation ${kind}.`);
  }
}

function findProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((it, name) => (typeof it === 'object' && it !== null ? ownMember(it, name) : undefined), value);
}

function fill(text: string, saved: ReadonlyMap<string, unknown>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    saved.has(name) ? String(saved.get(name)) : whole,
  );
}

function fillDeep(value: unknown, saved: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') {
    const whole = /^\{(\w+)\}$/.exec(value)?.[1];
    return whole !== undefined && saved.has(whole) ? saved.get(whole) : fill(value, saved);
  }
  if (Array.isArray(value)) return value.map((it) => fillDeep(it, saved));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, fillDeep(it, saved)]));
}
