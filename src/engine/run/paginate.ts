import { LONGEST_TIMER_MS } from '../../shared/time.js';
import type { CompiledPagination, CompiledRepeat } from '../document/compiled-request.js';
import type { Page } from './collect-outputs.js';
import type { EngineSettings } from './engine-settings.js';
import { evaluateFlag, evaluateNumber, runError } from './evaluate-directive.js';
import { type Exchange, exchangeKey } from './exchange.js';
import { awaitAbortable, emit, type RunContext, warn, warnOnce, withVariables } from './run-context.js';
import type { StopReason } from './trace.js';

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
export class Paginator {
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
export function warnOfLimit(
  reason: StopReason,
  limit: number,
  what: string,
  context: RunContext,
): StopReason {
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
export async function waitForRepeat(
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
 * @throws AppError of type RuntimeError for what is no number
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
