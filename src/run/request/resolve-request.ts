import type { Directive } from '../../document/compile/compile-directive.js';
import type { CompiledPagination, CompiledRequest } from '../../document/compile/compiled-request.js';
import { MAX_WARNINGS } from '../../document/reading/warn.js';
import { AppError } from '../../errors/app-error.js';
import { isOurs } from '../../errors/engine-error.js';
import { childPointer, type Place } from '../../errors/place.js';
import { TransportError } from '../../errors/transport-error.js';
import { encodeBody, readRequestType } from '../../http/body/body-encoding.js';
import { type BuiltUrl, buildUrl } from '../../http/message/build-url.js';
import { buildHeaders, findHeader, withHeader } from '../../http/message/headers.js';
import { type HttpServer, isSameHost } from '../../http/message/http-url.js';
import type { CrossingRule, HeaderEntry, TransportRequest } from '../../http/message/transport.js';
import { withholdSecrets } from '../../http/transport/crossing.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import {
  atDirective,
  evaluateDirective,
  evaluateFlag,
  evaluateFlatObject,
  evaluateText,
  runError,
} from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';
import { createCrossingRule } from './crossing-rule.js';
import { signRequest } from './sign-request.js';
import { assertUniversalHost } from './universal-host.js';

/** The parts of a request that a page can replace or add to, evaluated. */
interface RequestParts {
  readonly url: string | undefined;
  /** The directive the url comes from, for places. */
  readonly urlDirective: Directive | undefined;
  readonly method: string | undefined;
  readonly headers: Layers;
  readonly inheritedQs: Layers;
  readonly qs: Layers;
  readonly body: Directive | undefined;
}

/** Members of one kind from all places they can be written in, the weakest first. */
type Layers = readonly { readonly directive: Directive; readonly members: PlainObject }[];

const METHOD = /^[A-Z]+$/;
const USER_AGENT: HeaderEntry = ['User-Agent', 'iml-runtime'];

/**
 * Evaluates everything a request is sent with, in the scope as it is now.
 *
 * @param page the pagination directives of a follow-up page; undefined for the first request
 * @returns undefined for a follow-up page whose `pagination.url` evaluates to nothing
 * @throws AppError of type RuntimeError for parts that cannot be sent; InvalidConfigurationError for a page that
 *   merges nothing and has no url
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api,
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination
 */
export function resolveRequest(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
): TransportRequest | undefined {
  const parts = page === undefined ? partsOfRequest(request, context) : partsOfPage(request, page, context);
  if (page?.url !== undefined && parts.url === undefined) return undefined;
  const { url, server } = buildAddress(request, parts, context);
  const method = readMethod(parts.method, request, context);
  const { body, contentType } = buildBody(request, parts, method, context);
  const headers = resolveHeaders(request, parts, { url, host: server.host, contentType }, context);
  const isRead = method === 'GET' || method === 'HEAD';
  const follows = evaluateFlag(isRead ? request.followRedirects : request.followAllRedirects, true, context);
  const unsigned: TransportRequest = {
    method,
    url,
    headers,
    body,
    redirect: follows ? 'follow' : 'manual',
    ca: evaluateText(request.ca, context),
    signal: context.signal,
    crossing: () => createCrossingRule(request, context),
  };
  const isFollowing =
    page !== undefined || context.progress.isRepeating === true || followsCaller(server, context);
  if (!isFollowing) context.progress.firstServer = server;
  const crossing = isFollowing ? findCrossing(server, page, request, context) : undefined;
  // Unsigned: a signature is made of secrets, too.
  if (crossing !== undefined)
    return atDirective(page?.url ?? request.url, context, () => withholdSecrets(unsigned, crossing));
  const isSigned = request.aws !== undefined || request.oauth !== undefined;
  return isSigned ? signRequest(unsigned, request, context) : unsigned;
}

/**
 * Where the link of a page, or the address of a repeat, which may be data of the service, leads to a host that nobody named: a
 * warning, and the rule for what does not go along. Undefined where all does.
 */
function findCrossing(
  server: HttpServer,
  page: CompiledPagination | undefined,
  request: CompiledRequest,
  context: RunContext,
): CrossingRule | undefined {
  const { firstServer } = context.progress;
  if (firstServer !== undefined && isThere(server, firstServer)) return undefined;
  const rule = createCrossingRule(request, context);
  if (rule.isTrusted(server)) return undefined;
  const directive = page === undefined ? request.url : page.url;
  const place = directive && context.document?.placeOf(directive.pointer);
  const what =
    page !== undefined
      ? 'link of the next page'
      : context.progress.isRepeating === true
        ? 'address of a repeat'
        : 'address that an endpoint is given';
  const message = `The ${what} leads to ${server.origin}, a host the app does not name.`;
  context.warnOnce({ code: 'other-host', message, place });
  return rule.sendsSecrets ? undefined : rule;
}

function isThere(server: HttpServer, first: HttpServer): boolean {
  return server.origin === first.origin || isSameHost(first, server);
}

/**
 * Whether a request of an endpoint is made for a further page of its caller, or a repeat. Mostly it was made for the first one, too; one
 * that was not is held to where the others went, and to the hosts that are named where none was sent.
 */
function followsCaller(server: HttpServer, { progress, position }: RunContext): boolean {
  const { caller } = progress;
  if (caller === undefined) return false;
  const { servers, isFollowing } = caller;
  const key = `${position.requestIndex} ${position.endpoint}`;
  if (isFollowing) progress.firstServer = servers.get(key) ?? findNearest(server, [...servers.values()]);
  else servers.set(key, server);
  return isFollowing;
}

function findNearest(server: HttpServer, others: readonly HttpServer[]): HttpServer | undefined {
  return others.find((other) => isSameHost(other, server)) ?? others[0];
}

function partsOfRequest(request: CompiledRequest, context: RunContext): RequestParts {
  return {
    url: evaluateText(request.url, context),
    urlDirective: request.url,
    method: evaluateText(request.method, context),
    headers: request.headers.flatMap((layer) => evaluateLayer(layer, context)),
    inheritedQs: evaluateLayer(request.inheritedQs, context),
    qs: evaluateLayer(request.qs, context),
    body: request.body,
  };
}

function partsOfPage(request: CompiledRequest, page: CompiledPagination, context: RunContext): RequestParts {
  const own = {
    url: evaluateText(page.url, context),
    urlDirective: page.url ?? request.url,
    method: evaluateText(page.method, context),
    headers: evaluateLayer(page.headers, context),
    qs: evaluateLayer(page.qs, context),
  };
  if (!evaluateFlag(page.mergeWithParent, true, context)) {
    if (page.url === undefined) {
      const place = request.document.placeOf(page.pointer);
      const message = 'A pagination that merges nothing needs a url of its own.';
      throw runError('InvalidConfigurationError', message, context, { place });
    }
    return { ...own, inheritedQs: [], body: page.body };
  }
  const parent = partsOfRequest(request, context);
  const merged = {
    method: own.method ?? parent.method,
    headers: [...parent.headers, ...own.headers],
    body: page.body ?? parent.body,
  };
  // The query written in a url beats what that url inherits, and the qs beside it beats the query.
  return page.url === undefined
    ? { ...parent, ...merged, qs: [...parent.qs, ...own.qs] }
    : { ...own, ...merged, inheritedQs: [...parent.inheritedQs, ...parent.qs] };
}

function evaluateLayer(directive: Directive | undefined, context: RunContext): Layers {
  const members = evaluateFlatObject(directive, context);
  return directive === undefined || members === undefined ? [] : [{ directive, members }];
}

function mergeLayers(layers: Layers): PlainObject {
  if (layers.length <= 1) return layers[0]?.members ?? {};
  return Object.assign({}, ...layers.map(({ members }) => members));
}

/**
 * Where the member that counts is written: in the strongest layer that has it. A name that an expression gave is written
 * nowhere, and may be a secret: then the place is that of the whole object.
 */
function placeOfMember(name: string, layers: Layers, context: RunContext): Place | undefined {
  for (const { directive, members } of layers.toReversed()) {
    const key = Object.keys(members).find((member) => member.toLowerCase() === name.toLowerCase());
    if (key === undefined) continue;
    const isWritten = isPlainObject(directive.raw) && Object.hasOwn(directive.raw, key);
    return context.document?.placeOf(isWritten ? childPointer(directive.pointer, key) : directive.pointer);
  }
  return undefined;
}

/** Runs a step that builds on layers; what it throws points at the member that is wrong, else at `directive`. */
function atLayers<T>(
  layers: Layers,
  directive: Directive | undefined,
  context: RunContext,
  step: () => T,
): T {
  try {
    return atDirective(directive, context, step);
  } catch (error) {
    if (isOurs(error, AppError) && isOurs(error.cause, TransportError)) {
      const { member } = error.cause;
      error.cause.member = undefined;
      if (member !== undefined) error.place = placeOfMember(member, layers, context) ?? error.place;
    }
    throw error;
  }
}

function buildAddress(request: CompiledRequest, parts: RequestParts, context: RunContext): BuiltUrl {
  const { url, inheritedQs, qs } = parts;
  if (url === undefined) {
    const place = parts.urlDirective && request.document.placeOf(parts.urlDirective.pointer);
    throw runError('RuntimeError', 'The url of the request evaluates to nothing.', context, { place });
  }
  const baseUrl = evaluateText(request.baseUrl, context);
  const encodeUrl = evaluateFlag(request.encodeUrl, true, context);
  const layers = [...inheritedQs, ...qs];
  const collections = new Set<string>();
  const onCollection = (name: string): void => void collections.add(name);
  const values = { inheritedQs: mergeLayers(inheritedQs), qs: mergeLayers(qs) };
  const built = atLayers(layers, parts.urlDirective, context, () =>
    buildUrl({ url, baseUrl, encodeUrl, ...values, onCollection }),
  );
  for (const name of [...collections].slice(0, MAX_WARNINGS)) {
    const message = `A collection cannot be sent in a query: "${name}" goes out with an empty value.`;
    context.warnOnce({ code: 'qs-collection', message, place: placeOfMember(name, layers, context) });
  }
  if (context.run.rules.keepsHost) assertUniversalHost(built.url, request, parts.urlDirective, context);
  return built;
}

function readMethod(text: string | undefined, request: CompiledRequest, context: RunContext): string {
  const method = (text ?? 'GET').trim().toUpperCase();
  if (METHOD.test(method)) return method;
  const place = request.method && request.document.placeOf(request.method.pointer);
  throw runError('RuntimeError', `The method of the request is not one: letters are expected.`, context, {
    place,
  });
}

/**
 * A GET sends no body and no Content-Type, whatever is written.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
function buildBody(
  request: CompiledRequest,
  parts: RequestParts,
  method: string,
  context: RunContext,
): ReturnType<typeof encodeBody> {
  if (method === 'GET' || method === 'HEAD') return { body: undefined, contentType: undefined };
  const value = evaluateDirective(parts.body, context);
  const type = atDirective(request.type, context, () =>
    readRequestType(evaluateDirective(request.type, context)),
  );
  const layers = parts.body && isPlainObject(value) ? [{ directive: parts.body, members: value }] : [];
  return atLayers(layers, parts.body, context, () => encodeBody(type, value, context.settings.random));
}

/** What headers are made of, beside what is written for all requests alike. */
interface HeaderParts {
  readonly host: string;
  readonly contentType: string | undefined;
  readonly isZipped: boolean;
  readonly layers: readonly PlainObject[];
}

/** The headers of the last page of a communication: those of the next one mostly are the same. */
const LAST_HEADERS = new WeakMap<
  RunContext['progress'],
  { readonly parts: HeaderParts; readonly headers: readonly HeaderEntry[] }
>();

function resolveHeaders(
  request: CompiledRequest,
  { headers: layers }: RequestParts,
  built: { readonly url: string; readonly host: string; readonly contentType: string | undefined },
  context: RunContext,
): readonly HeaderEntry[] {
  const { url, host, contentType } = built;
  const isZipped = evaluateFlag(request.gzip, false, context);
  const parts = { host, contentType, isZipped, layers: layers.map(({ members }) => members) };
  const last = LAST_HEADERS.get(context.progress);
  if (last !== undefined && isMadeOfSame(last.parts, parts)) return last.headers;
  let isOfAddress = false;
  const isRedirected = (): boolean => {
    isOfAddress = true;
    return context.settings.hosts?.isRedirected(url) === true;
  };
  const { headers: written, ignored } = atLayers(layers, request.headers.at(-1), context, () =>
    buildHeaders(parts.layers, host, isRedirected),
  );
  for (const name of ignored.slice(0, MAX_WARNINGS)) {
    const place = placeOfMember(name, layers, context);
    context.warn({ code: 'header-ignored', message: `The header ${name} is the transport's to set.`, place });
  }
  const headers = completeHeaders(written, parts);
  // Others are to be looked at for each page.
  if (!isOfAddress && ignored.length === 0) LAST_HEADERS.set(context.progress, { parts, headers });
  return headers;
}

function isMadeOfSame(known: HeaderParts, parts: HeaderParts): boolean {
  return (
    known.host === parts.host &&
    known.contentType === parts.contentType &&
    known.isZipped === parts.isZipped &&
    known.layers.length === parts.layers.length &&
    known.layers.every((members, index) => hasSameMembers(members, parts.layers[index] ?? {}))
  );
}

/** In the same order. Lists and dates are never the same: they may have been made anew. */
function hasSameMembers(known: PlainObject, members: PlainObject): boolean {
  const names = Object.keys(members);
  return (
    names.length === Object.keys(known).length &&
    Object.keys(known).every((name, index) => name === names[index] && Object.is(known[name], members[name]))
  );
}

function completeHeaders(
  written: readonly HeaderEntry[],
  { contentType, isZipped }: HeaderParts,
): readonly HeaderEntry[] {
  let headers = [...written];
  if (contentType?.startsWith('multipart/')) {
    // Only the encoder knows the boundary.
    // Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [inf]
    headers = withHeader(headers, 'Content-Type', contentType);
  } else if (contentType !== undefined && findHeader(headers, 'Content-Type') === undefined) {
    headers.push(['Content-Type', contentType]);
  }
  if (isZipped && findHeader(headers, 'Accept-Encoding') === undefined) {
    headers.push(['Accept-Encoding', 'gzip, deflate']);
  }
  if (findHeader(headers, USER_AGENT[0]) === undefined) headers.push(USER_AGENT);
  return headers;
}
