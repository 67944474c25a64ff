import { SpecError } from '../../errors/spec-error.js';
import { describeType } from '../../iml/values/value-kind.js';
import { finishAtOnce, type Parts } from '../../iml/values/work.js';
import { isPlainObject, ownMember, type PlainObject } from '../../util/plain-object.js';
import type { Document } from '../reading/document.js';
import { subDocument } from '../reading/sub-document.js';
import {
  compileDirective,
  type Directive,
  type DirectiveContext,
  DirectiveReader,
  SharedDirectives,
} from './compile-directive.js';
import { compileResponse } from './compile-response.js';
import type {
  CompiledCondition,
  CompiledEndpointCall,
  CompiledPagination,
  CompiledRepeat,
  CompiledRequest,
  CompiledSanitize,
} from './compiled-request.js';
import { BASE_POINTER, type CountMerged, mergeWithBase } from './merge.js';

/**
 * Makes a communication ready: one request, or an array of them run in order. The base is merged into each.
 *
 * @throws SpecError (SPEC_INVALID) where a request is no object, for more than 1000 of them, and where they hold too much in part from the base
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export function compileCommunication(
  communication: Document,
  base: Document | undefined,
  context: DirectiveContext,
): readonly CompiledRequest[] {
  return finishAtOnce(compileInParts(communication, base, context));
}

/** Requests of a chain: a hundred of them may send something. [choice] */
const MAX_CHAIN = 1000;

/** Names of all objects that the requests of a chain hold in part from the base: each request has its own. [choice] */
const MAX_MERGED = 50_000;

/** `compileCommunication` in parts, as it may be large. */
export function* compileInParts(
  communication: Document,
  base: Document | undefined,
  context: DirectiveContext,
): Parts<readonly CompiledRequest[]> {
  const { value } = communication;
  if (!Array.isArray(value)) return [yield* compileRequest(communication, base, context)];
  const requests: CompiledRequest[] = [];
  if (value.length > MAX_CHAIN) {
    const message = `A communication has at most ${MAX_CHAIN} requests, not ${value.length}.`;
    throw new SpecError('SPEC_INVALID', message, { place: communication.placeOf('') });
  }
  const ofChain = { ...context, shared: new SharedDirectives(), sanitized: new Map() };
  let merged = 0;
  const countMerged = (names: number): void => {
    merged += names;
    if (merged <= MAX_MERGED) return;
    const message = `The objects that requests of a communication share with the base have at most ${MAX_MERGED} members in all.`;
    throw new SpecError('SPEC_INVALID', message, { place: communication.placeOf('') });
  };
  for (const [index, written] of value.entries()) {
    if (written === null) continue;
    // Of one that has all from the base nothing else takes a turn.
    yield;
    requests.push(yield* compileRequest(subDocument(communication, index), base, ofChain, countMerged));
  }
  return requests;
}

/** What the requests of a chain are made ready with. */
interface ChainContext extends DirectiveContext {
  /** Lists of `log.sanitize`, by the list as written. */
  readonly sanitized?: Map<readonly unknown[], readonly CompiledSanitize[]>;
}

/** Makes one request ready, in parts. */
export function* compileRequest(
  component: Document,
  base: Document | undefined,
  context: ChainContext,
  countMerged?: CountMerged,
): Parts<CompiledRequest> {
  if (!isPlainObject(component.value)) {
    throw new SpecError(
      'SPEC_INVALID',
      `A request has to be an object, not ${describeType(component.value)}.`,
      {
        place: component.placeOf(''),
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
    isStatic: ownMember(own, 'url') === undefined && ownMember(own, 'endpoint') === undefined,
    temp: yield* read.read('temp'),
    condition: yield* compileCondition(merged, context),
    url: yield* read.read('url'),
    baseUrl: yield* read.read('baseUrl'),
    method: yield* read.read('method'),
    encodeUrl: yield* read.read('encodeUrl'),
    headers: [yield* compileInherited(inherited, 'headers', context), yield* read.read('headers')].filter(
      (d) => d !== undefined,
    ),
    inheritedQs: yield* compileInherited(inherited, 'qs', context),
    qs: yield* read.read('qs'),
    body: yield* read.read('body'),
    type: yield* read.read('type'),
    ca: yield* read.read('ca'),
    gzip: yield* read.read('gzip'),
    followRedirects: yield* read.read('followRedirects'),
    followAllRedirects: yield* read.read('followAllRedirects'),
    aws: yield* read.read('aws'),
    oauth: yield* read.read('oauth'),
    endpoint: yield* compileEndpointCall(merged, context),
    repeat: yield* compileRepeat(merged, context),
    sanitize: yield* compileSanitize(merged, context),
    response: yield* compileResponse(ownMember(merged, 'response'), context),
    pagination: yield* compilePagination(merged, context),
  };
}

/** The base's own headers or qs, which are evaluated apart from the request's. */
function* compileInherited(
  base: PlainObject,
  key: 'headers' | 'qs',
  context: DirectiveContext,
): Parts<Directive | undefined> {
  return yield* compileDirective(ownMember(base, key), `${BASE_POINTER}/${key}`, context);
}

/** `condition`, or `{condition, default}`; of a request or of a webhook. */
export function* compileCondition(
  request: PlainObject,
  context: DirectiveContext,
): Parts<CompiledCondition | undefined> {
  const condition = ownMember(request, 'condition');
  if (!isPlainObject(condition)) {
    const test = yield* compileDirective(condition, '/condition', context);
    return test && { test, default: undefined };
  }
  const read = new DirectiveReader(condition, '/condition', context);
  return { test: yield* read.read('condition'), default: yield* read.read('default') };
}

function* compileEndpointCall(
  request: PlainObject,
  context: DirectiveContext,
): Parts<CompiledEndpointCall | undefined> {
  const endpoint = ownMember(request, 'endpoint');
  const input = yield* compileDirective(ownMember(request, 'input'), '/input', context);
  if (!isPlainObject(endpoint)) {
    const name = yield* compileDirective(endpoint, '/endpoint', context);
    return name && { name, connection: undefined, input };
  }
  const read = new DirectiveReader(endpoint, '/endpoint', context);
  const name = yield* read.read('name');
  return name && { name, connection: yield* read.read('connection'), input };
}

function* compileRepeat(request: PlainObject, context: DirectiveContext): Parts<CompiledRepeat | undefined> {
  const repeat = ownMember(request, 'repeat');
  if (!isPlainObject(repeat)) return undefined;
  const read = new DirectiveReader(repeat, '/repeat', context);
  return {
    condition: yield* read.read('condition'),
    delay: yield* read.read('delay'),
    limit: yield* read.read('limit'),
  };
}

function* compilePagination(
  request: PlainObject,
  context: DirectiveContext,
): Parts<CompiledPagination | undefined> {
  const pagination = ownMember(request, 'pagination');
  if (!isPlainObject(pagination)) return undefined;
  const read = new DirectiveReader(pagination, '/pagination', context);
  return {
    mergeWithParent: yield* read.read('mergeWithParent'),
    url: yield* read.read('url'),
    method: yield* read.read('method'),
    headers: yield* read.read('headers'),
    qs: yield* read.read('qs'),
    body: yield* read.read('body'),
    condition: yield* read.read('condition'),
    endpoint: yield* read.read('endpoint'),
    input: yield* read.read('input'),
    pointer: '/pagination',
  };
}

/** Entries of `log.sanitize` that are read between two turns. */
const ENTRIES_AT_ONCE = 500;

const SANITIZE_EXPRESSION = /^([^<]*)<(.+)>$/s;

/**
 * `request.body<parameters.secret>` hides the value of the expression. Blanks around an entry say nothing.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api. [doc]
 */
function* compileSanitize(request: PlainObject, context: ChainContext): Parts<readonly CompiledSanitize[]> {
  const log = ownMember(request, 'log');
  const entries = isPlainObject(log) ? ownMember(log, 'sanitize') : undefined;
  if (!Array.isArray(entries)) return [];
  const known = context.sanitized?.get(entries);
  if (known !== undefined) return known;
  const compiled: CompiledSanitize[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_AT_ONCE === 0) yield;
    if (typeof entry !== 'string') continue;
    const [, path = entry, source] = SANITIZE_EXPRESSION.exec(entry.trim()) ?? [];
    const template = source === undefined ? undefined : `{{${source}}}`;
    compiled.push({ path, expression: yield* compileDirective(template, '/log/sanitize', context) });
  }
  context.sanitized?.set(entries, compiled);
  return compiled;
}
