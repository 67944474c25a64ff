import type { CompiledPagination, CompiledRepeat } from '../../document/compile/compiled-request.js';
import { LONGEST_TIMER_MS } from '../../util/clock.js';
import { type Exchange, exchangeKey } from '../exchange.js';
import type { Page } from '../response/collect-outputs.js';
import type { EngineSettings } from '../scope/engine-settings.js';
import { evaluateFlag, evaluateNumber, runError } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';
import type { StopReason } from '../trace/trace.js';

/** What follows where the embedder says nothing: the platform would go on, too. [choice] */
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
   * Whether paging ends before this is asked for: it was asked for an earlier page, its token or link came round again.
   *
   * @throws AppError of type RuntimeError with `onPageLoop: 'error'`
   */
  stopsAtRequest(exchange: Exchange, context: RunContext): boolean {
    const key = this.#pagination && exchangeKey(exchange, this.#pagination, context);
    if (key === undefined) return false;
    if (this.#sent.has(key)) return this.#note('its token or link is the same', context);
    this.#sent.add(key);
    return false;
  }

  /**
   * Whether paging ends at this answer: a body that is not empty came a second time in a row. Answers without bytes are
   * not compared.
   *
   * @throws AppError of type RuntimeError with `onPageLoop: 'error'`
   */
  stopsAtBody(bytes: Uint8Array | undefined, context: RunContext): boolean {
    const last = this.#lastBody;
    this.#lastBody = bytes;
    if (bytes === undefined || last === undefined || bytes.byteLength === 0) return false;
    return Buffer.compare(bytes, last) === 0 && this.#note('its body is the same', context);
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
    const next = context.seeing({ pagination: { page: context.position.page + 1 } });
    const goesOn = evaluateFlag(pagination.condition, true, next);
    return { reason: goesOn ? findLimit(next) : 'condition', context: next };
  }

  /** Warns of a loop, once for all its pages; for use when paging is over. */
  warnOfLoop(context: RunContext): void {
    if (this.#loop === undefined) return;
    const { page, what } = this.#loop;
    const message =
      this.#loops === 1
        ? `Page ${page} repeats an earlier page: ${what}.`
        : `${this.#loops} pages repeat an earlier page, the first of them page ${page}: ${what}.`;
    const place = context.document?.locationOf('/pagination');
    context.warnOnce({ code: 'page-loop', message, place }, `${place?.file} ${place?.pointer}`);
  }

  #note(what: string, context: RunContext): boolean {
    const { page } = context.position;
    if (this.#onPageLoop === 'error') {
      const place = context.document?.locationOf('/pagination');
      throw runError('RuntimeError', `Page ${page} repeats an earlier page: ${what}.`, context, { place });
    }
    this.#loop ??= { page, what };
    if (this.#lastLoop !== page) this.#loops++;
    this.#lastLoop = page;
    return this.#onPageLoop === 'stop';
  }
}

function findLimit(context: RunContext): StopReason | undefined {
  const { counters } = context;
  const { maxRecords, maxPages, maxRequests } = context.run.limits;
  if (counters.pagedRecords >= maxRecords) return warnOfLimit('max-records', maxRecords, 'records', context);
  if (counters.pages >= maxPages) return warnOfLimit('max-pages', maxPages, 'follow-up pages', context);
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
  const place = context.document?.locationOf('/pagination');
  context.warnOnce({
    code: 'limit-reached',
    message: `Paging ended at the limit of ${limit} ${what}.`,
    place,
  });
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
  const { run, settings } = context;
  const { limit, delay } = readRepeat(repeat, context);
  const place = context.document?.locationOf(repeat.pointer);
  if (repeats >= limit) {
    context.warn({
      code: 'repeat-limit',
      message: `The condition still holds after ${repeats} repeats.`,
      place,
    });
    return false;
  }
  if (context.counters.requests >= run.limits.maxRequests) {
    const message = `Repeating ended at the limit of ${run.limits.maxRequests} requests.`;
    context.warn({ code: 'limit-reached', message, place });
    return false;
  }
  const delayMs = Math.min(Math.max(0, delay), LONGEST_TIMER_MS);
  context.emit({ kind: 'wait', delayMs, reason: 'repeat', repeats, place });
  await context.whileGoingOn(settings.clock.sleep(delayMs, context.signal));
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
  const place = context.document?.locationOf(repeat.pointer);
  throw runError('RuntimeError', 'repeat.limit and repeat.delay have to be numbers.', context, { place });
}
