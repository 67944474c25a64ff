import type { CompiledRepeat, CompiledRequest } from '../document/compile/compiled-request.js';
import { Turns } from '../util/turns.js';
import { type MadeExchange, type PreparedExchange, prepareExchange } from './exchange.js';
import { Paginator, warnOfLimit } from './paging/paginate.js';
import { waitForRepeat } from './request/repeat-request.js';
import { collectOutputs, countRecords, type Page, type TakenPage } from './response/collect-outputs.js';
import { extendTemp } from './response/receive-response.js';
import { evaluateFlag, inTurns } from './scope/evaluate-directive.js';
import type { RunContext } from './scope/run-context.js';
import { traceScope } from './scope/trace-scope.js';
import type { StopReason } from './trace/trace.js';

/** How much of a list is wanted. */
export interface PagingPlan {
  /** Records at most; undefined for as many as there are. */
  readonly limit: number | undefined;
  /** Sees every page, in order, before it is handed on, and the place it was taken at; true ends paging. */
  readonly isSatisfied: ((page: Page, context: RunContext) => boolean | Promise<boolean>) | undefined;
}

/** How a request ended. */
export interface RequestEnd {
  /** False for a request whose condition is false: it has no result and replaces none. */
  readonly isExecuted: boolean;
  /** The place with the names that the request leaves to the next one. */
  readonly context: RunContext;
}

/**
 * Sends a request and asks for its further pages until one of the reasons to stop holds.
 *
 * @returns what gives the pages
 * @see docs/limits.md, https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination
 */
export async function* runPages(
  request: CompiledRequest,
  plan: PagingPlan,
  first: RunContext,
): AsyncGenerator<Page, RequestEnd> {
  const paginator = new Paginator(request.pagination, first.settings.onPageLoop);
  const { progress, counters } = first;
  progress.records = 0;
  progress.isRepeating = false;
  let context = first;
  const turns = new Turns(() => first.assertGoesOn());
  try {
    for (;;) {
      if (context.settings.trace === 'deep') traceScope('request', context);
      const page = context.position.page > 1 ? request.pagination : undefined;
      const asked = context;
      const exchange = await inTurns(asked, () => prepareExchange(request, page, asked));
      if (exchange === undefined) return stop('no-next-url', context);
      if (exchange.key !== undefined && paginator.stopsAtRequest(exchange.key, context))
        return stop('page-loop', context);
      if (page !== undefined) counters.pages++;
      const made = await makeExchange(request, exchange, context);
      if (paginator.stopsAtBody(made.bytes, made.context)) return stop('page-loop', made.context);
      if (turns.isOver) await turns.next();
      const taken = await collectPage(request, plan, made.context);
      if (turns.isOver) await turns.next();
      const isSatisfied = (await plan.isSatisfied?.(taken.page, taken.context)) === true;
      const wanted = { limit: plan.limit, isSatisfied };
      const end = await inTurns(taken.context, () =>
        paginator.findStopReason(taken.page, wanted, taken.context),
      );
      first.assertGoesOn();
      const stopped = end.reason && stop(end.reason, end.context);
      yield taken.page;
      if (stopped !== undefined) return stopped;
      const next = end.context.at({ page: end.context.position.page + 1 });
      context = request.temp === undefined ? next : await inTurns(next, () => extendTemp(request.temp, next));
      if (turns.isOver) await turns.next();
    }
  } finally {
    paginator.tell(context);
  }
}

/** Notes and tells why paging ended. */
function stop(reason: StopReason, context: RunContext): RequestEnd {
  context.progress.stopReason = reason;
  const { requests, pages } = context.counters;
  const used = { requests, pages, records: context.progress.records, elapsedMs: context.run.elapsedMs };
  context.emit({ kind: 'stop', reason, used });
  return { isExecuted: true, context };
}

/** The records of the response that the names hold, as many as are wanted and allowed. See docs/limits.md (Records). */
async function collectPage(
  request: CompiledRequest,
  plan: PagingPlan,
  context: RunContext,
): Promise<TakenPage> {
  const { counters, progress, settings } = context;
  const isPaged = request.pagination !== undefined;
  const wanted = (plan.limit ?? Number.POSITIVE_INFINITY) - progress.records;
  const allowed = isPaged ? settings.limits.maxRecords - counters.pagedRecords : Number.POSITIVE_INFINITY;
  const taken = await collectOutputs(request.response, Math.min(wanted, allowed), context);
  const { page } = taken;
  if (page.isCut && allowed < wanted)
    warnOfLimit('max-records', settings.limits.maxRecords, 'records', context);
  const count = countRecords(page);
  progress.records += count;
  if (isPaged) counters.pagedRecords += count;
  return taken;
}

/**
 * Makes an exchange, and again while `repeat` asks for it. A repeat of a follow-up page is evaluated with what its page was
 * first asked with, but for `temp`: an address that came with the page before stays that of the page waited for.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (repeat). [inf]
 *
 * @param asked what the exchange was evaluated with
 */
function makeExchange(
  request: CompiledRequest,
  first: PreparedExchange,
  asked: RunContext,
): Promise<MadeExchange> {
  const making = first.make(asked);
  return request.repeat === undefined ? making : repeatExchange(request, request.repeat, making, asked);
}

async function repeatExchange(
  request: CompiledRequest,
  repeat: CompiledRepeat,
  making: Promise<MadeExchange>,
  asked: RunContext,
): Promise<MadeExchange> {
  let made = await making;
  const page = asked.position.page > 1 ? request.pagination : undefined;
  for (let repeats = 0; await waitForRepeat(repeat, repeats, made.context); repeats++) {
    // A repeat starts over with temp and condition. [inf]
    const { bytes, context: before } = made;
    const context = await inTurns(before, () => extendTemp(request.temp, before));
    const goesAhead = await inTurns(context, () => evaluateFlag(request.condition?.test, true, context));
    if (!goesAhead) return { context, bytes };
    const seen = page === undefined ? context : asked.seeing({ temp: context.scope['temp'] });
    if (context.settings.trace === 'deep') traceScope('request', seen);
    seen.progress.isRepeating = true;
    const again = await inTurns(seen, () => prepareExchange(request, page, seen));
    seen.progress.isRepeating = false;
    if (again === undefined) return { context, bytes };
    made = await again.make(context);
  }
  return made;
}
