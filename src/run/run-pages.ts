import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { Turns } from '../util/turns.js';
import { type PreparedExchange, prepareExchange } from './exchange.js';
import { PageLoops } from './paging/page-loops.js';
import { findStopReason, warnOfLimit } from './paging/paginate.js';
import { waitForRepeat } from './paging/repeat.js';
import { collectOutputs, countRecords, type Page } from './response/collect-outputs.js';
import { extendTemp } from './response/receive-response.js';
import { evaluateFlag } from './scope/evaluate-directive.js';
import { assertGoesOn } from './scope/go-on.js';
import type { RunContext, RunScope } from './scope/run-context.js';
import { traceScope } from './scope/trace-scope.js';
import type { StopReason } from './trace/trace.js';

/** How much of a list is wanted. */
export interface PagingPlan {
  /** Records at most; undefined for as many as there are. */
  readonly limit: number | undefined;
  /** Sees every page, in order, before it is handed on; true ends paging. */
  readonly isSatisfied: ((page: Page) => boolean) | undefined;
}

/**
 * Sends a request and asks for its further pages until one of the reasons to stop holds.
 *
 * @see docs/limits.md, https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination
 */
export async function* runPages(
  request: CompiledRequest,
  plan: PagingPlan,
  first: RunContext,
): AsyncGenerator<Page, boolean> {
  const loops = new PageLoops(first.settings.onPageLoop);
  const { progress, counters } = first;
  progress.records = 0;
  let context = first;
  let asked = namesOfAnswer(context.scope);
  traceScope('request', context);
  const turns = new Turns(() => assertGoesOn(first));
  let exchange = prepareExchange(request, undefined, context);
  try {
    while (exchange !== undefined) {
      if (loops.stopsAtRequest(exchange.key, context)) return stop('page-loop', context);
      if (context.position.page > 1) counters.pages++;
      const bytes = await makeExchange(request, exchange, asked, context);
      if (loops.stopsAtBody(bytes, context)) return stop('page-loop', context);
      if (turns.isOver) await turns.next();
      const page = await collectPage(request, plan, context);
      if (turns.isOver) await turns.next();
      const isSatisfied = plan.isSatisfied?.(page) === true;
      const reason = findStopReason(page, request.pagination, { limit: plan.limit, isSatisfied }, context);
      if (reason !== undefined) stop(reason, context);
      yield page;
      if (reason !== undefined) return true;
      context = context.at({ page: context.position.page + 1 });
      extendTemp(request.temp, context);
      asked = namesOfAnswer(context.scope);
      traceScope('request', context);
      if (turns.isOver) await turns.next();
      exchange = prepareExchange(request, request.pagination, context);
    }
    return stop('no-next-url', context);
  } finally {
    loops.tell(context);
  }
}

function stop(reason: StopReason, context: RunContext): true {
  context.progress.stopReason = reason;
  const { requests, pages } = context.counters;
  const used = { requests, pages, records: context.progress.records, elapsedMs: context.run.elapsedMs };
  context.emit({ kind: 'stop', reason, used });
  return true;
}

/** The records of the response in the scope, as many as are wanted and allowed. See docs/limits.md (Records). */
async function collectPage(request: CompiledRequest, plan: PagingPlan, context: RunContext): Promise<Page> {
  const { counters, progress, settings } = context;
  const isPaged = request.pagination !== undefined;
  const wanted = (plan.limit ?? Number.POSITIVE_INFINITY) - progress.records;
  const allowed = isPaged ? settings.limits.maxRecords - counters.pagedRecords : Number.POSITIVE_INFINITY;
  const page = await collectOutputs(request.response, Math.min(wanted, allowed), context);
  if (page.isCut && allowed < wanted)
    warnOfLimit('max-records', settings.limits.maxRecords, 'records', context);
  const count = countRecords(page);
  progress.records += count;
  if (isPaged) counters.pagedRecords += count;
  return page;
}

/** Names that each answer takes over. */
const ANSWER_NAMES = ['body', 'headers', 'statusCode', 'iterate'] as const;

function namesOfAnswer(scope: RunScope): RunScope {
  return Object.fromEntries(ANSWER_NAMES.map((name) => [name, scope[name]]));
}

/**
 * Makes an exchange, and again while `repeat` asks for it; the last answer is in the scope afterwards. A repeat is
 * evaluated with what its page was first asked with, but for `temp`: an address that came with the page before stays
 * that of the page waited for.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (repeat). [inf]
 *
 * @param asked the names of the answer that a follow-up page was evaluated with
 */
async function makeExchange(
  request: CompiledRequest,
  first: PreparedExchange,
  asked: RunScope,
  context: RunContext,
): Promise<Uint8Array | undefined> {
  if (request.repeat === undefined) return first.make(context);
  const page = context.position.page > 1 ? request.pagination : undefined;
  let exchange = first;
  for (let repeats = 0; ; repeats++) {
    const bytes = await exchange.make(context);
    if (!(await waitForRepeat(request.repeat, repeats, context))) return bytes;
    // A repeat starts over with temp and condition. [inf]
    extendTemp(request.temp, context);
    if (!evaluateFlag(request.condition?.test, true, context)) return bytes;
    const again = prepareExchange(request, page, page === undefined ? context : context.seeing(asked));
    if (again === undefined) return bytes;
    exchange = again;
  }
}
