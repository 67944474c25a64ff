import { encodeBody, readRequestType } from '../../http/body/body-encoding.js';
import { buildHeaders, findHeader, mergeHeaders, withHeader } from '../../http/message/headers.js';
import { parseHttpUrl } from '../../http/message/http-url.js';
import type { HeaderEntry, TransportRequest } from '../../http/message/transport.js';
import { buildUrl } from '../../http/message/url.js';
import type { Directive } from '../../document/compile/compile-directive.js';
import type { CompiledPagination, CompiledRequest } from '../../document/compile/compiled-request.js';
import type { PlainObject } from '../../util/plain-object.js';
import {
  atDirective,
  evaluateDirective,
  evaluateFlag,
  evaluateFlatObject,
  evaluateText,
  runError,
} from '../scope/evaluate-directive.js';
import { assertKnownHost } from './universal-host.js';
import type { RunContext } from '../run-context.js';
import { signRequest } from './sign-request.js';

/** The parts of a request that a page can replace or add to, evaluated. */
interface RequestParts {
  readonly url: string | undefined;
  /** The directive the url comes from, for places. */
  readonly urlDirective: Directive | undefined;
  readonly method: string | undefined;
  /** Weakest first. */
  readonly headers: readonly (PlainObject | undefined)[];
  readonly inheritedQs: PlainObject;
  readonly qs: PlainObject;
  readonly body: Directive | undefined;
}

const METHOD = /^[A-Z]+$/;
const USER_AGENT: HeaderEntry = ['User-Agent', 'iml-runtime'];

/**
 * Evaluates everything a request is sent with, in the scope as it is now.
 *
 * @param page the pagination directives of a follow-up page; undefined for the first request
 * @returns undefined for a follow-up page whose `pagination.url` evaluates to nothing
 * @throws AppError of type RuntimeError for parts that cannot be sent; InvalidConfigurationError for a page that
 *   merges nothing and has no url
 * @see reference/request-spec.md sections 3 and 6, reference/pagination.md (Directives)
 */
export function resolveRequest(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
): TransportRequest | undefined {
  const parts = page === undefined ? partsOfRequest(request, context) : partsOfPage(request, page, context);
  if (page?.url !== undefined && parts.url === undefined) return undefined;
  const url = buildAddress(request, parts, context);
  const method = readMethod(parts.method, request, context);
  const { body, contentType } = buildBody(request, parts, method, context);
  const headers = buildRequestHeaders(request, parts, { url, contentType }, context);
  const isRead = method === 'GET' || method === 'HEAD';
  const follows = evaluateFlag(isRead ? request.followRedirects : request.followAllRedirects, true, context);
  const unsigned: TransportRequest = {
    method,
    url,
    headers,
    body,
    redirect: follows ? 'follow' : 'manual',
    ca: evaluateText(request.ca, context),
    signal: context.abort.signal,
  };
  return signRequest(unsigned, request, context);
}

function partsOfRequest(request: CompiledRequest, context: RunContext): RequestParts {
  return {
    url: evaluateText(request.url, context),
    urlDirective: request.url,
    method: evaluateText(request.method, context),
    headers: request.headers.map((layer) => evaluateFlatObject(layer, context)),
    inheritedQs: evaluateFlatObject(request.inheritedQs, context) ?? {},
    qs: evaluateFlatObject(request.qs, context) ?? {},
    body: request.body,
  };
}

function partsOfPage(request: CompiledRequest, page: CompiledPagination, context: RunContext): RequestParts {
  const own = {
    url: evaluateText(page.url, context),
    urlDirective: page.url ?? request.url,
    method: evaluateText(page.method, context),
    headers: evaluateFlatObject(page.headers, context),
    qs: evaluateFlatObject(page.qs, context) ?? {},
  };
  if (!evaluateFlag(page.mergeWithParent, true, context)) {
    if (page.url === undefined) {
      const place = request.document.placeOf(page.pointer);
      const message = 'A pagination that merges nothing needs a url of its own.';
      throw runError('InvalidConfigurationError', message, context, { place });
    }
    return { ...own, headers: [own.headers], inheritedQs: {}, body: page.body };
  }
  const parent = partsOfRequest(request, context);
  const merged = {
    method: own.method ?? parent.method,
    headers: [...parent.headers, own.headers],
    body: page.body ?? parent.body,
  };
  // The query written in a url beats what that url inherits, and the qs beside it beats the query. Source: design.md (Requests).
  return page.url === undefined
    ? { ...parent, ...merged, qs: { ...parent.qs, ...own.qs } }
    : { ...own, ...merged, inheritedQs: { ...parent.inheritedQs, ...parent.qs } };
}

function buildAddress(request: CompiledRequest, parts: RequestParts, context: RunContext): string {
  const { url, inheritedQs, qs } = parts;
  if (url === undefined) {
    const place = parts.urlDirective && request.document.placeOf(parts.urlDirective.pointer);
    throw runError('RuntimeError', 'The url of the request evaluates to nothing.', context, { place });
  }
  const baseUrl = evaluateText(request.baseUrl, context);
  const encodeUrl = evaluateFlag(request.encodeUrl, true, context);
  const address = atDirective(parts.urlDirective, context, () =>
    buildUrl({ url, baseUrl, encodeUrl, inheritedQs, qs }),
  );
  if (context.settings.keepsHost) assertKnownHost(address, request, parts.urlDirective, context);
  return address;
}

function readMethod(text: string | undefined, request: CompiledRequest, context: RunContext): string {
  const method = (text ?? 'GET').trim().toUpperCase();
  if (METHOD.test(method)) return method;
  const place = request.method && request.document.placeOf(request.method.pointer);
  throw runError('RuntimeError', `The method of the request is not one: letters are expected.`, context, {
    place,
  });
}

/** A GET sends no body and no Content-Type, whatever is written. Source: reference/request-spec.md section 1. [doc] */
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
  return atDirective(parts.body, context, () => encodeBody(type, value, context.settings.random));
}

function buildRequestHeaders(
  request: CompiledRequest,
  parts: RequestParts,
  built: { readonly url: string; readonly contentType: string | undefined },
  context: RunContext,
): readonly HeaderEntry[] {
  const own = request.headers.at(-1);
  const { headers, ignored } = atDirective(own, context, () =>
    buildHeaders(mergeHeaders(...parts.headers), parseHttpUrl(built.url).host),
  );
  for (const name of ignored) {
    const place = own && request.document.placeOf(own.pointer);
    context.warn({ code: 'header-ignored', message: `The header ${name} is the transport's to set.`, place });
  }
  const complete = [...headers];
  const { contentType } = built;
  if (contentType?.startsWith('multipart/')) {
    // Only the encoder knows the boundary. Source: reference/request-spec.md section 6. [inf]
    complete.splice(0, complete.length, ...withHeader(complete, 'Content-Type', contentType));
  } else if (contentType !== undefined && findHeader(complete, 'Content-Type') === undefined) {
    complete.push(['Content-Type', contentType]);
  }
  if (evaluateFlag(request.gzip, false, context) && findHeader(complete, 'Accept-Encoding') === undefined) {
    complete.push(['Accept-Encoding', 'gzip, deflate']);
  }
  if (findHeader(complete, USER_AGENT[0]) === undefined) complete.push(USER_AGENT);
  return complete;
}
