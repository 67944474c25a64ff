import { describeType, isEmpty } from '../../language/values/value.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import {
  compileDirective,
  type Directive,
  type DirectiveContext,
  DirectiveReader,
  SharedDirectives,
} from './compile-directive.js';
import type {
  CompiledCondition,
  CompiledEndpointCall,
  CompiledError,
  CompiledIterate,
  CompiledPagination,
  CompiledRepeat,
  CompiledRequest,
  CompiledResponse,
  CompiledSanitize,
  CompiledTrigger,
  CompiledValid,
  ErrorEntry,
  RequestRefusal,
} from './compiled-request.js';
import { type Document, subDocument } from './document.js';
import { BASE_POINTER, type CountMerged, mergeWithBase } from './merge.js';

/** Largest number of requests in a chain; up to 100 of them may send. [choice] */
const MAX_CHAIN = 1000;

/** Largest number of members that all requests of a communication merge with the base, in total. [choice] */
const MAX_MERGED = 50_000;

/**
 * Compiles a communication: one request, or an array of requests that run in order. Merges the base into each.
 *
 * @throws SpecError (SPEC_INVALID) if a request is not an object, or the chain exceeds a limit
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export function compileCommunication(
  communication: Document,
  base: Document | undefined,
  context: DirectiveContext,
): readonly CompiledRequest[] {
  const { value } = communication;
  if (!Array.isArray(value)) return [compileRequest(communication, base, context)];
  const requests: CompiledRequest[] = [];
  if (value.length > MAX_CHAIN) {
    const message = `A communication has at most ${MAX_CHAIN} requests, not ${value.length}.`;
    throw new SpecError('SPEC_INVALID', message, { place: communication.locationOf('') });
  }
  const ofChain = { ...context, shared: new SharedDirectives(), sanitized: new Map() };
  let merged = 0;
  const countMerged = (names: number): void => {
    merged += names;
    if (merged <= MAX_MERGED) return;
    const message = `The requests of a communication merge more than ${MAX_MERGED} members with the base.`;
    throw new SpecError('SPEC_INVALID', message, { place: communication.locationOf('') });
  };
  for (const [index, written] of value.entries()) {
    if (written === null) continue;
    requests.push(compileRequest(subDocument(communication, index), base, ofChain, countMerged));
  }
  return requests;
}

/** Context shared by the requests of a chain. */
interface ChainContext extends DirectiveContext {
  /** Compiled `log.sanitize` lists by raw list. */
  readonly sanitized?: Map<readonly unknown[], readonly CompiledSanitize[]>;
}

/** Compiles one request. */
export function compileRequest(
  component: Document,
  base: Document | undefined,
  context: ChainContext,
  countMerged?: CountMerged,
): CompiledRequest {
  if (!isPlainObject(component.value)) {
    throw new SpecError(
      'SPEC_INVALID',
      `A request has to be an object, not ${describeType(component.value)}.`,
      {
        place: component.locationOf(''),
      },
    );
  }
  const own = component.value;
  const document = mergeWithBase(base, component, countMerged);
  const merged = document.value as PlainObject;
  const inherited = base !== undefined && isPlainObject(base.value) ? base.value : {};
  const read = new DirectiveReader(merged, '', context);
  return {
    document,
    functions: context.functions,
    isStatic: isStaticRequest(own),
    temp: read.read('temp'),
    condition: compileCondition(merged, context),
    url: read.read('url'),
    baseUrl: read.read('baseUrl'),
    method: read.read('method'),
    encodeUrl: read.read('encodeUrl'),
    headers: [compileInherited(inherited, 'headers', context), read.read('headers')].filter(
      (d) => d !== undefined,
    ),
    inheritedQs: compileInherited(inherited, 'qs', context),
    qs: read.read('qs'),
    body: read.read('body'),
    type: read.read('type'),
    ca: read.read('ca'),
    gzip: read.read('gzip'),
    followRedirects: read.read('followRedirects'),
    followAllRedirects: read.read('followAllRedirects'),
    timeout: read.read('timeout'),
    aws: read.read('aws'),
    oauth: read.read('oauth'),
    endpoint: compileEndpointCall(merged, context),
    refusal: findRefusal(merged),
    repeat: compileRepeat(merged, context),
    sanitize: compileSanitize(merged, context),
    response: compileResponse(ownMember(merged, 'response'), context, ownMember(merged, 'error')),
    pagination: compilePagination(merged, context),
  };
}

/** Whether a request sends nothing: it has neither an endpoint nor a url. An empty url counts as none. [app] */
export function isStaticRequest(request: PlainObject): boolean {
  return isEmpty(ownMember(request, 'url')) && ownMember(request, 'endpoint') === undefined;
}

/** Compiles headers or qs of the base, which are evaluated separately from those of the request. */
function compileInherited(
  base: PlainObject,
  key: 'headers' | 'qs',
  context: DirectiveContext,
): Directive | undefined {
  return compileDirective(ownMember(base, key), `${BASE_POINTER}/${key}`, context);
}

/** Compiles `condition`, or `{condition, default}`, of a request or webhook. */
export function compileCondition(
  request: PlainObject,
  context: DirectiveContext,
): CompiledCondition | undefined {
  const condition = ownMember(request, 'condition');
  if (!isPlainObject(condition)) {
    const test = compileDirective(condition, '/condition', context);
    return test && { test, default: undefined };
  }
  const read = new DirectiveReader(condition, '/condition', context);
  return { test: read.read('condition'), default: read.read('default') };
}

/**
 * Returns why a request cannot be sent, from its directives alone. Source:
 * https://github.com/minsu-kang/make-custom-app-skill. [inf]
 */
function findRefusal(request: PlainObject): RequestRefusal | undefined {
  const has = (key: string): boolean => {
    const value = ownMember(request, key);
    return !isEmpty(value) && value !== false;
  };
  if (has('endpoint') && has('url')) {
    return { message: 'A request cannot have both endpoint and url.', pointer: '/url' };
  }
  if (has('isc')) {
    return { message: 'A request with isc works inside Make only.', pointer: '/isc' };
  }
  if (has('agency')) {
    return {
      message: 'A request with agency works with an on-premise agent of Make only.',
      pointer: '/agency',
    };
  }
  return undefined;
}

function compileEndpointCall(
  request: PlainObject,
  context: DirectiveContext,
): CompiledEndpointCall | undefined {
  const endpoint = ownMember(request, 'endpoint');
  const input = compileDirective(ownMember(request, 'input'), '/input', context);
  if (!isPlainObject(endpoint)) {
    const name = compileDirective(endpoint, '/endpoint', context);
    return name && { name, connection: undefined, input };
  }
  const read = new DirectiveReader(endpoint, '/endpoint', context);
  const name = read.read('name');
  return name && { name, connection: read.read('connection'), input };
}

/**
 * `repeat`, or its alias `while`, whose limit includes the first request. Source:
 * https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf]
 */
function compileRepeat(request: PlainObject, context: DirectiveContext): CompiledRepeat | undefined {
  const name = isPlainObject(ownMember(request, 'repeat')) ? 'repeat' : 'while';
  const repeat = ownMember(request, name);
  if (!isPlainObject(repeat)) return undefined;
  const pointer = `/${name}`;
  const read = new DirectiveReader(repeat, pointer, context);
  return {
    condition: read.read('condition'),
    delay: read.read('delay'),
    limit: read.read('limit'),
    countsFirst: name === 'while',
    pointer,
  };
}

function compilePagination(request: PlainObject, context: DirectiveContext): CompiledPagination | undefined {
  const pagination = ownMember(request, 'pagination');
  if (!isPlainObject(pagination)) return undefined;
  const read = new DirectiveReader(pagination, '/pagination', context);
  return {
    mergeWithParent: read.read('mergeWithParent'),
    url: read.read('url'),
    method: read.read('method'),
    headers: read.read('headers'),
    qs: read.read('qs'),
    body: read.read('body'),
    condition: read.read('condition'),
    endpoint: read.read('endpoint'),
    input: read.read('input'),
    pointer: '/pagination',
  };
}

const SANITIZE_EXPRESSION = /^([^<]*)<(.+)>$/s;

/**
 * `request.body<parameters.secret>` redacts the value of the expression. Ignores whitespace around an entry. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api. [doc]
 */
function compileSanitize(request: PlainObject, context: ChainContext): readonly CompiledSanitize[] {
  const log = ownMember(request, 'log');
  const entries = isPlainObject(log) ? ownMember(log, 'sanitize') : undefined;
  if (!Array.isArray(entries)) return [];
  const known = context.sanitized?.get(entries);
  if (known !== undefined) return known;
  const compiled: CompiledSanitize[] = [];
  for (const entry of entries) {
    if (typeof entry !== 'string') continue;
    const [, path = entry, source] = SANITIZE_EXPRESSION.exec(entry.trim()) ?? [];
    const template = source === undefined ? undefined : `{{${source}}}`;
    compiled.push({ path, expression: compileDirective(template, '/log/sanitize', context) });
  }
  context.sanitized?.set(entries, compiled);
  return compiled;
}

/**
 * Compiles a response spec. Values that are not objects count as empty.
 *
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses
 */
function compileResponse(value: unknown, context: DirectiveContext, outerError?: unknown): CompiledResponse {
  const response = isPlainObject(value) ? value : {};
  const read = new DirectiveReader(response, '/response', context);
  return {
    type: read.read('type'),
    temp: read.read('temp'),
    valid: compileValid(ownMember(response, 'valid'), context),
    error: compileError(ownMember(response, 'error'), '/response/error', context),
    outerError: compileError(outerError, '/error', context),
    unwrap: read.read('unwrap'),
    iterate: compileIterate(response, '/response', context),
    output: read.read('output'),
    wrapper: read.read('wrapper'),
    limit: read.read('limit'),
    trigger: compileTrigger(ownMember(response, 'trigger'), context),
    data: read.read('data'),
    metadata: read.read('metadata'),
    uid: read.read('uid'),
    expires: read.read('expires'),
    scope: read.read('scope'),
  };
}

function compileValid(value: unknown, context: DirectiveContext): CompiledValid | undefined {
  const pointer = '/response/valid';
  if (value === undefined) return undefined;
  if (!isPlainObject(value)) {
    return {
      condition: compileDirective(value, pointer, context),
      message: undefined,
      type: undefined,
      pointer,
    };
  }
  const read = new DirectiveReader(value, pointer, context);
  return {
    condition: read.read('condition'),
    message: read.read('message'),
    type: read.read('type'),
    pointer,
  };
}

const STATUS = /^\d{3}$/;

function compileError(value: unknown, pointer: string, context: DirectiveContext): CompiledError | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = new Map<string, ErrorEntry>();
  if (isPlainObject(value)) {
    for (const status of Object.keys(value).filter((key) => STATUS.test(key))) {
      entries.set(status, compileErrorEntry(value[status], childPointer(pointer, status), context));
    }
  }
  return { ...compileErrorEntry(value, pointer, context), entries };
}

function compileErrorEntry(value: unknown, pointer: string, context: DirectiveContext): ErrorEntry {
  if (!isPlainObject(value))
    return { message: compileDirective(value, pointer, context), type: undefined, pointer };
  const read = new DirectiveReader(value, pointer, context);
  return { message: read.read('message'), type: read.read('type'), pointer };
}

/** Compiles `iterate` of a response or webhook: text, a bare path, or container and condition. */
export function compileIterate(
  parent: Readonly<Record<string, unknown>>,
  parentPointer: string,
  context: DirectiveContext,
): CompiledIterate | undefined {
  const iterate = ownMember(parent, 'iterate');
  if (iterate === null || iterate === '') return undefined;
  if (!isPlainObject(iterate)) {
    const container = new DirectiveReader(parent, parentPointer, context).readPath('iterate');
    return container && { container, condition: undefined };
  }
  const read = new DirectiveReader(iterate, `${parentPointer}/iterate`, context);
  const container = read.readPath('container');
  return container && { container, condition: read.read('condition') };
}

function compileTrigger(value: unknown, context: DirectiveContext): CompiledTrigger | undefined {
  if (!isPlainObject(value)) return undefined;
  const read = new DirectiveReader(value, '/response/trigger', context);
  return {
    type: read.read('type'),
    order: read.read('order'),
    id: read.read('id'),
    date: read.read('date'),
  };
}

/** The compiled response to a webhook sender: of a responder, `respond` or `verification.respond`. */
export interface CompiledRespond {
  readonly type: Directive | undefined;
  readonly status: Directive | undefined;
  readonly headers: Directive | undefined;
  readonly body: Directive | undefined;
  /** Directive pointers refer to this document. */
  readonly document: Document;
}

/**
 * Compiles the webhook response at `pointer`. Values that are not objects count as empty.
 *
 * @param value the value at `pointer`
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks
 */
export function compileRespond(
  value: unknown,
  document: Document,
  pointer: string,
  context: DirectiveContext,
): CompiledRespond {
  const read = new DirectiveReader(isPlainObject(value) ? value : {}, pointer, context);
  return {
    type: read.read('type'),
    status: read.read('status'),
    headers: read.read('headers'),
    body: read.read('body'),
    document,
  };
}
