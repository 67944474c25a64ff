import { toText } from '../iml/values/coerce.js';
import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { collectOutputs, type Page } from './response/collect-outputs.js';
import { evaluateDirective, evaluateFlag, runError } from './scope/evaluate-directive.js';
import { type Exchange, prepareExchange } from './exchange.js';
import {
  handlePageLoop,
  type PagingMemory,
  repeatsBody,
  repeatsRequest,
  stopReason,
  warnOfLimit,
} from './paginate.js';
import { extendTemp, judge } from './receive-response.js';
import { evaluateLimit } from './paging/record-limit.js';
import { waitForRepeat } from './paging/repeat.js';
import type { RunContext } from './run-context.js';

/** What differs between the uses of a request: how many records are wanted, and when its user has seen enough. */
export interface RequestPlan {
  /** Whether `response.limit` cuts what is collected. Of a chain only the last one's does, of a trigger none. */
  readonly appliesLimit: boolean;
  /** Called when temp and condition have let the request go ahead, before anything is sent. */
  readonly begin?: (request: CompiledRequest) => void;
  /** Sees every page, in order, before it is handed on; true ends paging. */
  readonly isSatisfied?: (page: Page) => boolean;
}

/**
 * Runs one request with its repeats and pages, a page a step. Whether it is sent at all is decided at once.
 *
 * @returns what gives its pages, and in the end whether it was executed: a request whose condition is false has no
 *   result and replaces none
 * @see reference/request-spec.md section 3
 */
export function runRequest(
  request: CompiledRequest,
  plan: RequestPlan,
  context: RunContext,
): AsyncGenerator<Page, boolean> {
  context.request = request;
  context.page = 1;
  context.redactor = context.redactor.withSanitize(sanitizePaths(request, context));
  context.scope['pagination'] = { page: 1 };
  extendTemp(request.temp, context);
  if (!evaluateFlag(request.condition?.test, true, context)) return skipRequest(request, plan, context);
  plan.begin?.(request);
  const limit = plan.appliesLimit ? evaluateLimit(request.response, context) : undefined;
  if (request.isStatic) return runStatic(request, plan, limit, context);
  // The requests of an endpoint are counted where they are sent.
  if (request.endpoint === undefined) assertRequestLeft(context);
  return runPages(request, plan, limit, context);
}

function sanitizePaths(request: CompiledRequest, context: RunContext): readonly string[] {
  return request.sanitize.map(({ path, expression }) =>
    expression === undefined ? path : `${path}<${toText(evaluateDirective(expression, context))}>`,
  );
}

/** Source: reference/request-spec.md section 4 (condition). [doc] */
async function* skipRequest(
  request: CompiledRequest,
  plan: RequestPlan,
  context: RunContext,
): AsyncGenerator<Page, boolean> {
  context.emit({ kind: 'skipped', place: request.document.placeOf('/condition') });
  const fallback = request.condition?.default;
  if (fallback === undefined) return false;
  const value = evaluateDirective(fallback, context);
  const outputs = value === undefined || value === null ? [] : [value];
  const page = { isIterated: false, outputs, keys: [], isEmpty: false };
  plan.isSatisfied?.(page);
  yield page;
  return true;
}

/** A request without url. Source: reference/request-spec.md section 8. [doc] */
async function* runStatic(
  request: CompiledRequest,
  plan: RequestPlan,
  limit: number | undefined,
  context: RunContext,
): AsyncGenerator<Page, boolean> {
  judge(request.response, undefined, context);
  const page = cut(collectOutputs(request.response, context), { limit, collected: 0 }, context);
  context.records = countRecords(page);
  plan.isSatisfied?.(page);
  yield page;
  return true;
}

async function* runPages(
  request: CompiledRequest,
  plan: RequestPlan,
  limit: number | undefined,
  context: RunContext,
): AsyncGenerator<Page, boolean> {
  const memory: PagingMemory = { sent: new Set(), lastBody: undefined };
  let collected = 0;
  let exchange = prepareExchange(request, undefined, context);
  while (exchange !== undefined) {
    if (
      repeatsRequest(exchange.key, memory) &&
      handlePageLoop('its token or link is the same', context) === 'stop'
    ) {
      stop('page-loop', context);
      return true;
    }
    if (context.page > 1) context.pages++;
    const making =
      request.repeat === undefined ? exchange.make() : repeatExchange(request, exchange, context);
    const body = await making;
    if (repeatsBody(body, memory) && handlePageLoop('its body is the same', context) === 'stop') {
      stop('page-loop', context);
      return true;
    }
    const page = cut(collectOutputs(request.response, context), { limit, collected }, context);
    collected += countRecords(page);
    context.records = collected;
    const isSatisfied = plan.isSatisfied?.(page) === true;
    const reason = stopReason(page, request.pagination, context, { collected, limit, isSatisfied });
    if (reason !== undefined) stop(reason, context);
    yield page;
    if (reason !== undefined) return true;
    context.page++;
    extendTemp(request.temp, context);
    exchange = prepareExchange(request, request.pagination, context);
  }
  stop('no-next-url', context);
  return true;
}

function stop(reason: NonNullable<RunContext['stopReason']>, context: RunContext): void {
  context.stopReason = reason;
  context.emit({ kind: 'stop', reason });
}

/** Makes an exchange, and again while `repeat` asks for it; the last answer is in the scope afterwards. */
async function repeatExchange(
  request: CompiledRequest,
  first: Exchange,
  context: RunContext,
): Promise<Uint8Array | undefined> {
  let exchange = first;
  for (let repeats = 0; ; repeats++) {
    const body = await exchange.make();
    if (!(await waitForRepeat(request.repeat, repeats, context))) return body;
    // A repeat starts over with temp and condition. Source: reference/request-spec.md section 3. [inf]
    extendTemp(request.temp, context);
    if (!evaluateFlag(request.condition?.test, true, context)) return body;
    const again = prepareExchange(request, context.page > 1 ? request.pagination : undefined, context);
    if (again === undefined) return body;
    exchange = again;
  }
}

/** Call no. 101 of a chain is an error, unlike that of a page or repeat. Source: reference/pagination.md (Limits). [inf] */
function assertRequestLeft(context: RunContext): void {
  const { maxRequests } = context.settings.limits;
  if (context.requests < maxRequests) return;
  const place = context.document?.placeOf('/url');
  throw runError('RuntimeError', `The module may send ${maxRequests} requests, and needs more.`, context, {
    place,
  });
}

/** Cuts a page at `response.limit` and at the records a module may have. */
function cut(
  page: Page,
  bounds: { readonly limit: number | undefined; readonly collected: number },
  context: RunContext,
): Page {
  const { maxRecords } = context.settings.limits;
  const left = Math.min(bounds.limit ?? Number.POSITIVE_INFINITY, maxRecords) - bounds.collected;
  const count = countRecords(page);
  if (count <= left) return page;
  if (bounds.collected + left === maxRecords) warnOfLimit('max-records', maxRecords, 'records', context);
  const { isIterated, outputs, keys, isEmpty } = page;
  if (isIterated) return { isIterated, outputs: outputs.slice(0, left), keys: keys.slice(0, left), isEmpty };
  return {
    isIterated,
    outputs: outputs.map((list) => (Array.isArray(list) ? list.slice(0, left) : list)),
    keys,
    isEmpty,
  };
}

/** A single output that is a list counts by its items. */
function countRecords(page: Page): number {
  if (page.isIterated) return page.outputs.length;
  return page.outputs.reduce<number>((sum, output) => sum + (Array.isArray(output) ? output.length : 1), 0);
}
