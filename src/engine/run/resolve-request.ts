import { toText } from '../../language/values/value.js';
import { AppError } from '../../shared/errors/app-error.js';
import { isEngineError, TransportError } from '../../shared/errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledPagination, CompiledRequest } from '../document/compiled-request.js';
import { MAX_WARNINGS } from '../document/document.js';
import { type AwsCredentials, signAws } from '../http/aws-signature.js';
import { encodeBody, readRequestType } from '../http/body/encode-body.js';
import { buildHeaders, findHeader, withHeader } from '../http/headers.js';
import { type BuiltUrl, buildUrl, isSameHost } from '../http/http-url.js';
import { type OAuth1Options, signOAuth1 } from '../http/oauth1-signature.js';
import { withholdSecrets } from '../http/redirects.js';
import {
  type CrossOriginPolicy,
  type HeaderEntry,
  type HttpServer,
  type TransportRequest,
  withCrossOriginPolicy,
} from '../http/transport.js';
import { assertUniversalHost, createCrossOriginPolicy } from './cross-origin.js';
import {
  atDirective,
  evaluateDirective,
  evaluateFlag,
  evaluateFlatObject,
  evaluateText,
  runError,
} from './evaluate-directive.js';
import { type RunContext, type RunPosition, warn, warnOnce } from './run-context.js';

/** The parts of a request that a page can replace or add to, evaluated. */
interface RequestParts {
  readonly url: string | undefined;
  /** The directive of the url, for locations. */
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
 * A request whose address can come from a response: of a page, of a repeat, or of an endpoint that one of them calls.
 */
export interface Following {
  readonly what: 'page' | 'repeat' | 'endpoint';
  /** Servers of the requests that it follows. */
  readonly servers: readonly HttpServer[];
}

/** A request that is ready to be sent. */
export interface ResolvedRequest {
  readonly request: TransportRequest;
  /** Server of the first request of the pagination loop; undefined if unknown. */
  readonly first: HttpServer | undefined;
}

/**
 * Evaluates everything a request is sent with.
 *
 * @param page the pagination directives of a follow-up page; undefined for the first request
 * @param following undefined for a request whose address does not come from a response
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
  following?: Following,
): ResolvedRequest | undefined {
  const parts = page === undefined ? partsOfRequest(request, context) : partsOfPage(request, page, context);
  if (page?.url !== undefined && parts.url === undefined) return undefined;
  const { url, server } = buildAddress(request, parts, context);
  const method = readMethod(parts.method, request, context);
  const { body, contentType } = buildBody(request, parts, method, context);
  const headers = resolveHeaders(request, parts, { url, host: server.host, contentType }, context);
  const isRead = method === 'GET' || method === 'HEAD';
  const follows = evaluateFlag(isRead ? request.followRedirects : request.followAllRedirects, true, context);
  const unsigned = withCrossOriginPolicy(
    {
      method,
      url,
      headers,
      body,
      redirect: follows ? 'follow' : 'manual',
      ca: evaluateText(request.ca, context),
      signal: context.run.signal,
    },
    () => createCrossOriginPolicy(request, context),
  );
  if (following === undefined) recordEndpointServer(server, context);
  const origin = following ?? followedCaller(context);
  const first = origin === undefined ? server : findNearest(server, origin.servers);
  const policy = origin && findCrossOriginPolicy(server, first, { origin, page, request }, context);
  return { request: seal(unsigned, policy, { page, request }, context), first };
}

/** Signs a request. A request to another host is not signed, because signatures derive from secrets. */
function seal(
  unsigned: TransportRequest,
  policy: CrossOriginPolicy | undefined,
  { page, request }: { readonly page: CompiledPagination | undefined; readonly request: CompiledRequest },
  context: RunContext,
): TransportRequest {
  if (policy !== undefined)
    return atDirective(page?.url ?? request.url, context, () => withholdSecrets(unsigned, policy));
  const isSigned = request.aws !== undefined || request.oauth !== undefined;
  return isSigned ? signRequest(unsigned, request, context) : unsigned;
}

/**
 * Warns if a page link or the URL of a repeat, which may come from the API, leads to an undeclared host. Returns the
 * policy for its secrets; undefined if all are sent.
 */
function findCrossOriginPolicy(
  server: HttpServer,
  first: HttpServer | undefined,
  {
    origin,
    page,
    request,
  }: {
    readonly origin: Following;
    readonly page: CompiledPagination | undefined;
    readonly request: CompiledRequest;
  },
  context: RunContext,
): CrossOriginPolicy | undefined {
  if (first !== undefined && (server.origin === first.origin || isSameHost(first, server))) return undefined;
  const rule = createCrossOriginPolicy(request, context);
  if (rule.isTrusted(server)) return undefined;
  const directive = page === undefined ? request.url : page.url;
  const place = directive && context.position.document?.locationOf(directive.pointer);
  const message = `The ${CROSSING_SOURCES[origin.what]} leads to ${server.origin}, a host the app does not name.`;
  warnOnce({ code: 'other-host', message, place }, context);
  return rule.sendsSecrets ? undefined : rule;
}

const CROSSING_SOURCES = {
  page: 'link of the next page',
  repeat: 'address of a repeat',
  endpoint: 'address that an endpoint is given',
} as const;

/**
 * The requests that a request of an endpoint follows if its caller follows a response. Most calls were made for the first
 * page, too; one that was not is held to where the others went, and to the named hosts if none was sent.
 */
function followedCaller({ position, run }: RunContext): Following | undefined {
  if (!position.followsResponse) return undefined;
  const known = run.endpointServers.get(endpointKey(position));
  return { what: 'endpoint', servers: known === undefined ? [...run.endpointServers.values()] : [known] };
}

function recordEndpointServer(server: HttpServer, { position, run }: RunContext): void {
  if (position.endpoint === undefined || position.followsResponse) return;
  run.endpointServers.set(endpointKey(position), server);
}

function endpointKey({ requestIndex, endpoint }: RunPosition): string {
  return `${requestIndex} ${endpoint}`;
}

function findNearest(server: HttpServer, others: readonly HttpServer[]): HttpServer | undefined {
  return others.find((other) => isSameHost(other, server)) ?? others[0];
}

function partsOfRequest(request: CompiledRequest, context: RunContext): RequestParts {
  return {
    url: evaluateText(request.url, context),
    urlDirective: request.url,
    method: evaluateText(request.method, context),
    headers: request.headers.flatMap((layer) => evaluateHeaders(layer, context)),
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
    headers: evaluateHeaders(page.headers, context),
    qs: evaluateLayer(page.qs, context),
  };
  if (!evaluateFlag(page.mergeWithParent, true, context)) {
    if (page.url === undefined) {
      const place = request.document.locationOf(page.pointer);
      const message = 'Pagination with mergeWithParent false needs its own url.';
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

/**
 * A header that evaluates to undefined leaves that of the base.
 * Source: https://github.com/minsu-kang/make-custom-app-skill. [inf]
 */
function evaluateHeaders(directive: Directive | undefined, context: RunContext): Layers {
  return evaluateLayer(directive, context).map((layer) => {
    const names = Object.keys(layer.members);
    if (names.every((name) => layer.members[name] !== undefined)) return layer;
    const written = Object.entries(layer.members).filter(([, value]) => value !== undefined);
    return { directive: layer.directive, members: Object.fromEntries(written) };
  });
}

function mergeLayers(layers: Layers): PlainObject {
  if (layers.length <= 1) return layers[0]?.members ?? {};
  return Object.assign({}, ...layers.map(({ members }) => members));
}

/**
 * Location of the effective member: in the strongest layer that contains it. A computed name may be a secret and has
 * the location of the whole object.
 */
function placeOfMember(name: string, layers: Layers, context: RunContext): SourceLocation | undefined {
  for (const { directive, members } of layers.toReversed()) {
    const key = Object.keys(members).find((member) => member.toLowerCase() === name.toLowerCase());
    if (key === undefined) continue;
    const isWritten = isPlainObject(directive.raw) && Object.hasOwn(directive.raw, key);
    return context.position.document?.locationOf(
      isWritten ? childPointer(directive.pointer, key) : directive.pointer,
    );
  }
  return undefined;
}

/** Runs a step on layers. Errors have the location of the failing member, or of `directive`. */
function atLayers<T>(
  layers: Layers,
  directive: Directive | undefined,
  context: RunContext,
  step: () => T,
): T {
  try {
    return atDirective(directive, context, step);
  } catch (error) {
    if (isEngineError(error, AppError) && isEngineError(error.cause, TransportError)) {
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
    const place = parts.urlDirective && request.document.locationOf(parts.urlDirective.pointer);
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
    const message = `A collection cannot be sent in a query: "${name}" is sent with an empty value.`;
    warnOnce({ code: 'qs-collection', message, place: placeOfMember(name, layers, context) }, context);
  }
  if (context.run.rules.keepsHost) assertUniversalHost(built.url, request, parts.urlDirective, context);
  return built;
}

function readMethod(text: string | undefined, request: CompiledRequest, context: RunContext): string {
  const method = (text ?? 'GET').trim().toUpperCase();
  if (METHOD.test(method)) return method;
  const place = request.method && request.document.locationOf(request.method.pointer);
  throw runError('RuntimeError', `Invalid HTTP method: expected letters only.`, context, {
    place,
  });
}

/**
 * A GET sends no body and no Content-Type, regardless of the directives. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
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
  return atLayers(layers, parts.body, context, () => encodeBody(type, value, context.run.settings.random));
}

/** Inputs of headers other than the directives. */
interface HeaderInput {
  readonly url: string;
  readonly host: string;
  readonly contentType: string | undefined;
}

function resolveHeaders(
  request: CompiledRequest,
  { headers: layers }: RequestParts,
  { url, host, contentType }: HeaderInput,
  context: RunContext,
): readonly HeaderEntry[] {
  const isZipped = evaluateFlag(request.gzip, false, context);
  const { headers, ignored } = atLayers(layers, request.headers.at(-1), context, () =>
    buildHeaders(
      layers.map(({ members }) => members),
      host,
      () => context.run.settings.hosts?.isRedirected(url) === true,
    ),
  );
  for (const name of ignored.slice(0, MAX_WARNINGS)) {
    const place = placeOfMember(name, layers, context);
    const message = `The header ${name} is the transport's to set.`;
    warn({ code: 'header-ignored', message, place }, context);
  }
  return completeHeaders(headers, contentType, isZipped);
}

function completeHeaders(
  written: readonly HeaderEntry[],
  contentType: string | undefined,
  isZipped: boolean,
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

/**
 * Signs a complete request with its `aws` or `oauth` directive, if any. The signature covers the sent request, so
 * nothing may change it afterwards.
 *
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
function signRequest(
  request: TransportRequest,
  compiled: CompiledRequest,
  context: RunContext,
): TransportRequest {
  return signWithOAuth(signWithAws(request, compiled, context), compiled, context);
}

function signWithAws(
  request: TransportRequest,
  compiled: CompiledRequest,
  context: RunContext,
): TransportRequest {
  const credentials = evaluateFlatObject(compiled.aws, context);
  if (credentials === undefined) return request;
  const nowMs = context.run.settings.clock.now();
  const headers = atDirective(compiled.aws, context, () => {
    const read: AwsCredentials = { key: '', secret: '', ...textMembers(credentials) };
    return signAws(request, read, nowMs);
  });
  return { ...request, headers };
}

function signWithOAuth(
  request: TransportRequest,
  compiled: CompiledRequest,
  context: RunContext,
): TransportRequest {
  const options = evaluateFlatObject(compiled.oauth, context);
  if (options === undefined) return request;
  const { clock, random } = context.run.settings;
  const sources = { nowMs: clock.now(), nonce: createNonce(random) };
  const signed = atDirective(compiled.oauth, context, () =>
    signOAuth1(request, textMembers(options), sources),
  );
  return { ...request, ...signed };
}

/** Whether to compute the hash, or the hash itself. */
const BODY_HASH = 'body_hash';

/** Evaluated members may be of any type; the signers take texts, and a boolean for that one. */
function textMembers(members: PlainObject): Partial<AwsCredentials> & OAuth1Options {
  const texts = Object.entries(members).map(([name, value]) => [
    name,
    name === BODY_HASH && typeof value === 'boolean' ? value : toText(value),
  ]);
  return Object.fromEntries(texts);
}

/** 128 random bits as hexadecimal digits. */
function createNonce(random: () => number): string {
  return Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
}
