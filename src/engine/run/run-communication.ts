import { toText } from '../../language/values/value.js';
import { LONGEST_TIMER_MS } from '../../shared/clock.js';
import { failSpan } from '../../shared/tracing.js';
import type { CompiledPagination, CompiledRepeat, CompiledRequest } from '../document/compiled-request.js';
import type { TransportResponse } from '../http/transport.js';
import { MAX_SECRET_LENGTH } from '../redaction/secrets.js';
import {
  assertAccepted,
  collectOutputs,
  countRecords,
  evaluateLimit,
  type OutputKind,
  type Page,
  singlePage,
  wrapPages,
} from './collect-outputs.js';
import type { EngineSettings } from './engine-settings.js';
import {
  applyTimeout,
  atDirective,
  evaluateDirective,
  evaluateFlag,
  evaluateNumber,
  runError,
  traceScope,
} from './evaluate-directive.js';
import {
  buildExchange,
  checkResponse,
  decodeResponse,
  type Exchange,
  exchangeKey,
  extendTemp,
  failureError,
  sendExchange,
} from './exchange.js';
import type { Following } from './resolve-request.js';
import {
  awaitAbortable,
  emit,
  type RunContext,
  throwIfAborted,
  warn,
  warnOnce,
  withPosition,
  withVariables,
} from './run-context.js';
import { startPageSpan } from './run-spans.js';
import type { StopReason } from './trace.js';
import { warnIfUnread } from './warn-if-unread.js';

/** Options of a request. */
export interface RequestPlan {
  /** Whether `response.limit` cuts the output. */
  readonly appliesLimit: boolean;
  /** Required type of the output. Default: any. */
  readonly accepts?: OutputKind | undefined;
  /**
   * Called after `temp` and `condition` allow the request, before it is sent. Returns the context for the next steps.
   */
  readonly begin?: (request: CompiledRequest, context: RunContext) => RunContext;
  /** Called with every page, in order, before it is yielded; true ends paging. */
  readonly isSatisfied?: (page: Page, context: RunContext) => boolean;
}

/** Options of a communication. All except `wraps` apply to its last request. */
export interface CommunicationPlan extends Partial<RequestPlan> {
  /** Whether `wrapper` is applied. Default: true. */
  readonly wraps?: boolean;
}

/** How a request ended. */
export interface RequestEnd {
  /** False where the request has no result: its condition is false, or its output is null or false. */
  readonly hasResult: boolean;
  /** The context the next request starts from. */
  readonly context: RunContext;
}

/**
 * Runs a communication: its requests in order, each with the names that the requests before it left. The last result
 * counts. Pages of the last request are yielded as they arrive, unless `wrapper` needs all of them.
 *
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export async function* runCommunication(
  requests: readonly CompiledRequest[],
  start: RunContext,
  { wraps = true, ...plan }: CommunicationPlan = {},
): AsyncGenerator<Page, RequestEnd> {
  let context = start;
  let result: { request: CompiledRequest; pages: readonly Page[]; requestIndex: number } | undefined;
  for (const [requestIndex, request] of requests.entries()) {
    const isLast = requestIndex === requests.length - 1;
    const isWrapped = wraps && request.response.wrapper !== undefined;
    const pages: Page[] = [];
    let end: RequestEnd;
    if (isLast && !isWrapped) {
      end = yield* runRequest(
        request,
        { appliesLimit: true, ...plan },
        withPosition(context, { requestIndex }),
      );
      if (end.hasResult) return end;
    } else {
      const { accepts: _, ...lastPlan } = plan;
      const requestPlan = isLast ? { appliesLimit: true, ...lastPlan } : { appliesLimit: false };
      const source = runRequest(request, requestPlan, withPosition(context, { requestIndex }));
      let step = await source.next();
      for (; !step.done; step = await source.next()) pages.push(step.value);
      end = step.value;
    }
    context = end.context;
    // Without a result, the result of an earlier request counts. Source:
    // https://github.com/minsu-kang/make-custom-app-skill, component-test-guide. [inf]
    if (end.hasResult) result = { request, pages, requestIndex };
  }
  if (result === undefined) return { hasResult: false, context };
  const { request, requestIndex } = result;
  const at = withPosition(context, { requestIndex });
  const isWrapped = wraps && request.response.wrapper !== undefined;
  const pages = isWrapped ? [wrapPages(request, result.pages, at)] : result.pages;
  throwIfAborted(at);
  for (const page of pages) {
    assertAccepted(page, plan.accepts, request, at);
    yield page;
  }
  return { hasResult: true, context };
}

/**
 * Runs one request with its repeats and pages: build, send, decode, check, collect, decide.
 *
 * @see docs/limits.md, https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination
 */
export async function* runRequest(
  request: CompiledRequest,
  plan: RequestPlan,
  parent: RunContext,
): AsyncGenerator<Page, RequestEnd> {
  throwIfAborted(parent);
  const { context: prepared, goesAhead } = prepareRequest(request, parent);
  if (!goesAhead) return yield* skipRequest(request, plan, prepared);
  assertSendable(request, prepared);
  applyTimeout(request.timeout, prepared);
  const first = plan.begin?.(request, prepared) ?? prepared;
  const limit = plan.appliesLimit ? evaluateLimit(request.response, first) : undefined;
  if (request.isStatic) return yield* runStatic(request, plan, limit, first);
  // Requests of an endpoint are counted when they are sent.
  if (request.endpoint === undefined) assertRequestLeft(first);

  const { run } = first;
  const paginator = new Paginator(request.pagination, run.settings.onPageLoop);
  const isDeep = run.settings.trace === 'deep';
  let context = first;
  let records = 0;
  let hasResult = false;
  let exchange: Exchange | undefined;
  const stop = (reason: StopReason, at: RunContext): RequestEnd => {
    reportStop(reason, records, at);
    return { hasResult, context: at };
  };
  try {
    for (;;) {
      // Build
      if (isDeep) traceScope('request', context);
      const isFollowUp = context.position.page > 1;
      const page = isFollowUp ? request.pagination : undefined;
      exchange = buildExchange(request, page, context, followingPage(isFollowUp, exchange));
      if (exchange === undefined) return stop('no-next-url', context);
      if (paginator.recordRequest(exchange, context)) return stop('page-loop', context);
      if (isFollowUp) run.counters.followUpPages++;

      // Send, decode, check, collect
      const { received, taken } = await fetchPage(request, exchange, { paginator, limit, records }, context);
      if (taken === undefined) return stop('page-loop', received);
      const count = countRecords(taken.page);
      records += count;
      if (request.pagination !== undefined) run.counters.pagedRecords += count;
      if (context.position.endpoint === undefined) run.counters.records = records;
      hasResult ||= taken.page.isIterated || taken.page.outputs.length > 0;
      assertAccepted(taken.page, plan.accepts, request, taken.context);

      // Decide
      const isSatisfied = plan.isSatisfied?.(taken.page, taken.context) === true;
      const decision = paginator.decide(taken.page, { limit, records, isSatisfied }, taken.context);
      throwIfAborted(first);
      const end = decision.reason && stop(decision.reason, decision.context);
      yield taken.page;
      if (end !== undefined) return end;
      const next = withPosition(decision.context, { page: decision.context.position.page + 1 });
      context = extendTemp(request.temp, next);
    }
  } finally {
    paginator.warnOfLoop(context);
  }
}

/** Adds the `temp` of a request, registers its `log.sanitize`, and evaluates its condition. */
export function prepareRequest(
  request: CompiledRequest,
  parent: RunContext,
): { readonly context: RunContext; readonly goesAhead: boolean } {
  const before = withPosition(parent, { document: request.document, page: 1 });
  atDirective({ pointer: '/log/sanitize' }, before, () =>
    before.run.log.sanitize(evaluateSanitize(request, before)),
  );
  const context = extendTemp(request.temp, withVariables(before, { pagination: { page: 1 } }));
  return { context, goesAhead: evaluateFlag(request.condition?.test, true, context) };
}

function evaluateSanitize(request: CompiledRequest, context: RunContext): readonly string[] {
  return request.sanitize.map(({ path, expression }) => {
    if (expression === undefined) return path;
    const text = toText(evaluateDirective(expression, context));
    return `${path}<${text.slice(0, MAX_SECRET_LENGTH + 1)}>`;
  });
}

/** Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (condition). [doc] */
async function* skipRequest(
  request: CompiledRequest,
  plan: RequestPlan,
  context: RunContext,
): AsyncGenerator<Page, RequestEnd> {
  if (context.run.settings.trace === 'deep') traceScope('request', context);
  emit({ kind: 'skipped', place: request.document.locationOf('/condition') }, context);
  const fallback = request.condition?.default;
  const page = singlePage(fallback && evaluateDirective(fallback, context));
  if (page.outputs.length === 0) return { hasResult: false, context };
  assertAccepted(page, plan.accepts, request, context);
  plan.isSatisfied?.(page, context);
  throwIfAborted(context);
  yield page;
  return { hasResult: true, context };
}

/** @throws AppError of type InvalidConfigurationError for a request that cannot be sent as it is written */
export function assertSendable({ document, refusal }: CompiledRequest, context: RunContext): void {
  if (refusal === undefined) return;
  const place = document.locationOf(refusal.pointer);
  throw runError('InvalidConfigurationError', refusal.message, context, { place });
}

/** A request without url sends nothing. See docs/limits.md (Records). */
async function* runStatic(
  request: CompiledRequest,
  plan: RequestPlan,
  limit: number | undefined,
  before: RunContext,
): AsyncGenerator<Page, RequestEnd> {
  const checked = acceptResponse(request, undefined, undefined, before);
  const { page, context } = collectOutputs(request.response, limit ?? Number.POSITIVE_INFINITY, checked);
  if (context.position.endpoint === undefined) context.run.counters.records = countRecords(page);
  assertAccepted(page, plan.accepts, request, context);
  plan.isSatisfied?.(page, context);
  throwIfAborted(context);
  yield page;
  return { hasResult: page.isIterated || page.outputs.length > 0, context };
}

/** Request no. 101 of a chain is an error, unlike that of a page or a repeat. See docs/limits.md (Requests). [inf] */
function assertRequestLeft(context: RunContext): void {
  const { maxRequests } = context.run.limits;
  if (context.run.counters.requests < maxRequests) return;
  const place = context.position.document?.locationOf('/url');
  throw runError('RuntimeError', `The module may send ${maxRequests} requests, and needs more.`, context, {
    place,
  });
}

/**
 * Sends the exchange of a page, again while `repeat` holds, and collects its outputs, in a span of the page.
 *
 * @returns the context after the response; no outputs if the body ends paging, as it repeats the last one
 */
async function fetchPage(
  request: CompiledRequest,
  exchange: Exchange,
  list: { readonly paginator: Paginator; readonly limit: number | undefined; readonly records: number },
  context: RunContext,
): Promise<{ readonly received: RunContext; readonly taken: ReturnType<typeof collectOutputs> | undefined }> {
  const { counters } = context.run;
  const span = startPageSpan(context);
  const before = counters.requests;
  try {
    const received = await span.within(async () => {
      const first = await receive(request, exchange, context);
      return request.repeat === undefined ? first : repeatExchange(request, exchange, first, context);
    });
    const { response } = received;
    if (list.paginator.recordBody(response?.body, received.context)) {
      return { received: received.context, taken: undefined };
    }
    const taken = collectPage(request, list.limit, list.records, received.context);
    span.set({ 'iml.records': countRecords(taken.page) });
    if (exchange.kind === 'http' && response !== undefined)
      warnIfUnread(request, exchange.request, response, taken.page, taken.context);
    return { received: received.context, taken };
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    const requests = counters.requests - before;
    span.set({ 'iml.retries': exchange.kind === 'http' ? Math.max(0, requests - 1) : undefined });
    span.end();
  }
}

/** A response that is decoded and checked. */
interface Received {
  /** The context with the names of the response. */
  readonly context: RunContext;
  /** Undefined for the result of an endpoint. */
  readonly response: TransportResponse | undefined;
}

/** Sends one exchange, decodes and checks the response. */
async function receive(request: CompiledRequest, exchange: Exchange, context: RunContext): Promise<Received> {
  const answer = await sendExchange(exchange, context);
  if (answer.kind === 'endpoint') {
    const { body, statusCode, headers } = answer;
    return {
      context: acceptResponse(
        request,
        exchange,
        undefined,
        withVariables(context, { body, statusCode, headers }),
      ),
      response: undefined,
    };
  }
  const { response } = answer;
  const sent = exchange.kind === 'http' ? exchange.request : undefined;
  const decoded = decodeResponse(request.response, sent, response, context);
  return { context: acceptResponse(request, exchange, response, decoded), response };
}

/**
 * Adds `response.temp`, then throws the error of a failed response. All errors that an app reports for its responses are
 * thrown here.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api. [inf]
 */
function acceptResponse(
  request: CompiledRequest,
  exchange: Exchange | undefined,
  response: TransportResponse | undefined,
  decoded: RunContext,
): RunContext {
  const context = extendTemp(request.response.temp, decoded);
  if (context.run.settings.trace === 'deep') traceScope('response', context);
  const failure = checkResponse(request.response, response, context);
  if (failure !== undefined) {
    const sent = exchange?.kind === 'http' ? exchange.request : undefined;
    const place = sent && request.document.locationOf('/url');
    throw failureError(failure, context, { request: sent, response, place });
  }
  return context;
}

/**
 * Repeats an exchange while `repeat` holds. A repeat of a follow-up page uses the variables of its first request,
 * except `temp`, so a URL from the previous page stays. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [inf]
 */
async function repeatExchange(
  request: CompiledRequest,
  exchange: Exchange,
  first: Received,
  asked: RunContext,
): Promise<Received> {
  const page = asked.position.page > 1 ? request.pagination : undefined;
  const following: Following = {
    what: 'repeat',
    servers: exchange.first === undefined ? [] : [exchange.first],
  };
  let received = first;
  for (let repeats = 0; await waitForRepeat(request.repeat, repeats, received.context); repeats++) {
    // A repeat evaluates temp and condition again. [inf]
    const context = extendTemp(request.temp, received.context);
    const goesAhead = evaluateFlag(request.condition?.test, true, context);
    if (!goesAhead) return { context, response: received.response };
    const seen = page === undefined ? context : withVariables(asked, { temp: context.scope['temp'] });
    if (context.run.settings.trace === 'deep') traceScope('request', seen);
    const again = buildExchange(request, page, seen, following);
    if (again === undefined) return { context, response: received.response };
    received = await receive(request, again, context);
  }
  return received;
}

function followingPage(isFollowUp: boolean, last: Exchange | undefined): Following | undefined {
  if (!isFollowUp) return undefined;
  return { what: 'page', servers: last?.first === undefined ? [] : [last.first] };
}

/** Collects the outputs of a response up to the limit. See docs/limits.md (Requests and records). */
function collectPage(
  request: CompiledRequest,
  limit: number | undefined,
  before: number,
  context: RunContext,
): ReturnType<typeof collectOutputs> {
  const { counters, limits } = context.run;
  const { maxRecords } = limits;
  const wanted = (limit ?? Number.POSITIVE_INFINITY) - before;
  const allowed =
    request.pagination === undefined ? Number.POSITIVE_INFINITY : maxRecords - counters.pagedRecords;
  const taken = collectOutputs(request.response, Math.min(wanted, allowed), context);
  if (taken.page.isCut && allowed < wanted) warnOfLimit('max-records', maxRecords, 'records', context);
  return taken;
}

/** Reports why paging ended. */
function reportStop(reason: StopReason, records: number, context: RunContext): void {
  const { requests, followUpPages } = context.run.counters;
  if (context.position.endpoint === undefined) context.run.counters.stopReason = reason;
  emit(
    {
      kind: 'stop',
      reason,
      used: { requests, followUpPages, records, elapsedMs: context.run.elapsedMs },
    },
    context,
  );
}

/** The default: continue like the platform. [choice] */
export const DEFAULT_ON_PAGE_LOOP: EngineSettings['onPageLoop'] = 'warn';

/**
 * Decides when the pages of one list end: at a request or an answer that came before, and behind a page for all other reasons.
 *
 * Pages that repeat any earlier one of the list are noticed: cursors can go A-B-A, so not only the one before. What follows is
 * the embedder's choice; the platform would go on. [choice]
 *
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination
 */
class Paginator {
  readonly #pagination: CompiledPagination | undefined;
  readonly #onPageLoop: EngineSettings['onPageLoop'];
  readonly #sent = new Set<string>();
  #lastBody: Uint8Array | undefined;
  /** The first page that repeats another, and how that was seen. */
  #loop: { readonly page: number; readonly what: string } | undefined;
  #lastLoop = 0;
  #loops = 0;

  constructor(pagination: CompiledPagination | undefined, onPageLoop: EngineSettings['onPageLoop']) {
    this.#pagination = pagination;
    this.#onPageLoop = onPageLoop;
  }

  /**
   * Records a request before it is sent.
   *
   * @returns whether paging ends here, because the request equals an earlier one: its token or link came again
   * @throws AppError of type RuntimeError with `onPageLoop: 'error'`
   */
  recordRequest(exchange: Exchange, context: RunContext): boolean {
    const key = this.#pagination && exchangeKey(exchange, this.#pagination, context);
    if (key === undefined) return false;
    if (this.#sent.has(key)) return this.#recordLoop('its token or link is the same', context);
    this.#sent.add(key);
    return false;
  }

  /**
   * Records the body of a response; undefined bytes are not compared.
   *
   * @returns whether paging ends here, because the body is not empty and equals the last one
   * @throws AppError of type RuntimeError with `onPageLoop: 'error'`
   */
  recordBody(bytes: Uint8Array | undefined, context: RunContext): boolean {
    const last = this.#lastBody;
    this.#lastBody = bytes;
    if (bytes === undefined || last === undefined || bytes.byteLength === 0) return false;
    return Buffer.compare(bytes, last) === 0 && this.#recordLoop('its body is the same', context);
  }

  /**
   * Why no further page is asked for after `page`, if so. The condition sees the next page as `pagination.page`, and so does
   * all that comes after it.
   *
   * The limits come behind the condition: a run that is complete at a limit has not been cut by it.
   *
   * @param taken.isSatisfied whether the user of the pages has seen enough, as a polling trigger may
   */
  decide(
    page: Page,
    taken: { readonly limit: number | undefined; readonly records: number; readonly isSatisfied: boolean },
    context: RunContext,
  ): { readonly reason: StopReason | undefined; readonly context: RunContext } {
    const pagination = this.#pagination;
    if (pagination === undefined) return { reason: 'no-pagination', context };
    const { limit, records, isSatisfied } = taken;
    if (limit !== undefined && records >= limit) return { reason: 'response-limit', context };
    if (page.isEmpty) return { reason: 'empty-page', context };
    if (isSatisfied) return { reason: 'trigger', context };
    const next = withVariables(context, { pagination: { page: context.position.page + 1 } });
    const goesOn = evaluateFlag(pagination.condition, true, next);
    return { reason: goesOn ? checkLimits(next) : 'pagination-condition', context: next };
  }

  /** Warns of a loop, once for all its pages; for use when paging is over. */
  warnOfLoop(context: RunContext): void {
    if (this.#loop === undefined) return;
    const { page, what } = this.#loop;
    const message =
      this.#loops === 1
        ? `Page ${page} repeats an earlier page: ${what}.`
        : `${this.#loops} pages repeat an earlier page, the first of them page ${page}: ${what}.`;
    const place = context.position.document?.locationOf('/pagination');
    warnOnce({ code: 'page-loop', message, place }, context, `${place?.file} ${place?.pointer}`);
  }

  #recordLoop(what: string, context: RunContext): boolean {
    const { page } = context.position;
    if (this.#onPageLoop === 'error') {
      const place = context.position.document?.locationOf('/pagination');
      throw runError('RuntimeError', `Page ${page} repeats an earlier page: ${what}.`, context, { place });
    }
    this.#loop ??= { page, what };
    if (this.#lastLoop !== page) this.#loops++;
    this.#lastLoop = page;
    return this.#onPageLoop === 'stop';
  }
}

/** Warns of the limit of paging that is reached, if any. */
function checkLimits(context: RunContext): StopReason | undefined {
  const { counters, limits } = context.run;
  const { maxRecords, maxPages, maxRequests } = limits;
  if (counters.pagedRecords >= maxRecords) return warnOfLimit('max-records', maxRecords, 'records', context);
  if (counters.followUpPages >= maxPages)
    return warnOfLimit('max-pages', maxPages, 'follow-up pages', context);
  if (counters.requests >= maxRequests) return warnOfLimit('max-requests', maxRequests, 'requests', context);
  return undefined;
}

/** The limits of paging end it without an error. See docs/limits.md. [choice] */
function warnOfLimit(reason: StopReason, limit: number, what: string, context: RunContext): StopReason {
  const place = context.position.document?.locationOf('/pagination');
  warnOnce(
    {
      code: 'limit-reached',
      message: `Paging ended at the limit of ${limit} ${what}.`,
      place,
    },
    context,
  );
  return reason;
}

/**
 * Decides whether a request is sent again, and waits if so.
 * `limit` counts the repeats after the first call; the limits of the module end them, too, with a warning.
 *
 * @param repeats how often the request was repeated so far
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (repeat)
 */
async function waitForRepeat(
  repeat: CompiledRepeat | undefined,
  repeats: number,
  context: RunContext,
): Promise<boolean> {
  if (repeat === undefined || !evaluateFlag(repeat.condition, false, context)) return false;
  const { run } = context;
  const { limit, delay } = readRepeat(repeat, context);
  const place = context.position.document?.locationOf(repeat.pointer);
  if (repeats >= limit) {
    warn(
      {
        code: 'repeat-limit',
        message: `The condition still holds after ${repeats} repeats.`,
        place,
      },
      context,
    );
    return false;
  }
  if (run.counters.requests >= run.limits.maxRequests) {
    const message = `Repeating ended at the limit of ${run.limits.maxRequests} requests.`;
    warn({ code: 'limit-reached', message, place }, context);
    return false;
  }
  const delayMs = Math.min(Math.max(0, delay), LONGEST_TIMER_MS);
  emit({ kind: 'wait', delayMs, reason: 'repeat', repeats, place }, context);
  await awaitAbortable(run.settings.clock.sleep(delayMs, run.signal), context);
  return true;
}

/**
 * `repeat.limit` and `repeat.delay` (milliseconds) as numbers. Default: no limit, no delay.
 *
 * @throws AppError of type RuntimeError for values that are not numbers
 */
export function readRepeat(
  repeat: CompiledRepeat,
  context: RunContext,
): { readonly limit: number; readonly delay: number } {
  const written = evaluateNumber(repeat.limit, context) ?? Number.POSITIVE_INFINITY;
  const limit = repeat.countsFirst ? written - 1 : written;
  const delay = evaluateNumber(repeat.delay, context) ?? 0;
  if (!Number.isNaN(limit) && !Number.isNaN(delay)) return { limit, delay };
  const place = context.position.document?.locationOf(repeat.pointer);
  throw runError('RuntimeError', 'repeat.limit and repeat.delay have to be numbers.', context, { place });
}
