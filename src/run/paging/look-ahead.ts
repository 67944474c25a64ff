import type { CompiledPagination, CompiledRequest } from '../../document/compile/compiled-request.js';
import { findLookAheadObstacle } from '../../document/compile/look-ahead-obstacle.js';
import { isSameHost, parseHttpUrl } from '../../http/message/http-url.js';
import type { AheadRequest, TransportRequest, TransportResponse } from '../../http/message/transport.js';
import { addAbortListener, removeAbortListener } from '../../util/abort-listeners.js';
import type { EarlyAnswer, EarlyAnswers } from '../exchange.js';
import { resolveRequest } from '../request/resolve-request.js';
import type { Page } from '../response/collect-outputs.js';
import { evaluateFlag, inTurns } from '../scope/evaluate-directive.js';
import { Run, RunContext } from '../scope/run-context.js';

/** A page that is on its way, or has come. */
interface AheadPage {
  readonly mark: AheadRequest;
  /** Undefined for an answer that is not used. */
  readonly answer: Promise<EarlyAnswer | undefined>;
}

const NOT_NEEDED: DOMException = new DOMException('The page is not needed.', 'AbortError');

/** Requests whose pages can be asked for ahead, and those whose pages cannot. */
const KNOWN = new WeakMap<CompiledRequest, boolean>();

/** @returns undefined for a request whose pages depend on those before them */
export function openLookAhead(
  request: CompiledRequest,
  pagination: CompiledPagination,
  first: RunContext,
): LookAhead | undefined {
  const qualifies = KNOWN.get(request) ?? findLookAheadObstacle(request) === undefined;
  KNOWN.set(request, qualifies);
  return qualifies ? new LookAhead(request, pagination, first) : undefined;
}

/**
 * Asks for pages before paging has come to them. Paging itself goes on as without: it evaluates each request in its turn, and
 * where exactly that request was sent ahead, takes the answer to it. So what a run gives does not depend on what is
 * done here; at worst a page was asked for in vain.
 *
 * An answer counts only if it is a good one: after an error, of the network or of any status from 400 on, and after a redirect, the
 * page is asked for again in its turn, and nothing more ahead. A service that does not like to be asked for several
 * pages at a time makes a run slower, not wrong.
 *
 * @see docs/limits.md (Look-ahead)
 */
export class LookAhead implements EarlyAnswers {
  readonly #request: CompiledRequest;
  readonly #pagination: CompiledPagination;
  readonly #run: RunContext['run'];
  /** Evaluates without telling anybody: neither trace nor observer nor warnings see what may never happen. */
  readonly #quiet: Run;
  readonly #pages = new Map<string, AheadPage>();
  readonly #sending = new AbortController();
  readonly #listener = { onAbort: (): void => this.#sending.abort(this.#run.signal.reason) };
  /** What the run tells of it. */
  readonly #told: { asked: number; used: number };
  /** The last page that was asked for. */
  #reached = 1;
  /** The largest number of records a page has held. */
  #fullPage = 0;
  #isOff = false;

  constructor(request: CompiledRequest, pagination: CompiledPagination, first: RunContext) {
    this.#request = request;
    this.#pagination = pagination;
    this.#run = first.run;
    const settings = {
      ...first.settings,
      onTrace: undefined,
      observer: undefined,
      trace: 'summary' as const,
    };
    this.#quiet = new Run(settings, first.run.rules, []);
    addAbortListener(first.signal, this.#listener);
    this.#told = first.counters.ahead ??= { asked: 0, used: 0 };
  }

  take(request: TransportRequest): Promise<EarlyAnswer | undefined> | undefined {
    if (this.#pages.size === 0) return undefined;
    const key = printRequest(request);
    const page = this.#pages.get(key);
    if (page === undefined) {
      // Something is read that was not known to change.
      this.#giveUp();
      return undefined;
    }
    this.#pages.delete(key);
    return this.#use(page);
  }

  /**
   * Asks for the pages behind one that paging goes on after.
   *
   * @param limit records that are wanted in all; undefined for as many as there are
   * @param context the place behind the page, which sees its answer and the number of the next one
   */
  async reach(page: Page, limit: number | undefined, context: RunContext): Promise<void> {
    const { position, settings } = context;
    const next = position.page + 1;
    if (page.held < this.#fullPage) this.#isOff = true;
    this.#fullPage = Math.max(this.#fullPage, page.held);
    this.#reached = Math.max(this.#reached, position.page);
    const last = position.page + Math.min(settings.lookAhead, countAllowed(page, limit, context));
    // One page alone is asked for in its turn.
    if (last <= next) return;
    while (!this.#isOff && this.#reached < last && this.#hasSpare(context)) {
      const evaluated = this.#evaluate(this.#reached + 1, context);
      // Without a wait between two that need none: what is asked for together shares the budget.
      const request = evaluated instanceof Promise ? await evaluated : evaluated;
      // While it was evaluated in turns an answer may have come that ends this.
      if (request === undefined || this.#isOff || !this.#ask(request, context)) return;
      this.#reached++;
    }
  }

  /** Ends what nobody waits for any more, and tells of it. */
  end(context: RunContext): void {
    removeAbortListener(this.#run.signal, this.#listener);
    this.#sending.abort(NOT_NEEDED);
    const { asked, used } = this.#told;
    if (asked > used) context.emit({ kind: 'dropped', pages: asked - used });
  }

  /** What was asked for behind a page that has to be asked for again is so, too: so that a recording has pages in order. */
  #giveUp(): void {
    this.#isOff = true;
    this.#pages.clear();
    this.#sending.abort(NOT_NEEDED);
  }

  async #use({ mark, answer }: AheadPage): Promise<EarlyAnswer | undefined> {
    const given = await answer;
    if (given === undefined) {
      this.#giveUp();
      return undefined;
    }
    mark.isUsed = true;
    this.#told.used++;
    return given;
  }

  /**
   * Whether the limit of requests has room for one that may turn out to be sent in vain: all that paging may still ask for in its
   * turn comes first, or a run would end sooner than without look-ahead.
   */
  #hasSpare({ counters, settings }: RunContext): boolean {
    const { maxRequests, maxPages } = settings.limits;
    const { asked, used } = this.#told;
    const inTurn = Math.min(maxRequests, counters.requests + maxPages - counters.pages);
    return inTurn + asked - used < maxRequests;
  }

  /** @returns whether the page was asked for */
  #ask(request: TransportRequest, context: RunContext): boolean {
    const { budget, clock } = context.settings;
    const sentAtMs = clock.now();
    const account = budget.open(request.url, this.#run.connection ?? '', sentAtMs);
    // Whoever has to ask now comes first.
    if (budget.admit(account, sentAtMs) !== undefined) return false;
    const mark = { isUsed: false };
    const settle = (response: TransportResponse | undefined): EarlyAnswer | undefined => {
      budget.leave(account);
      const nowMs = clock.now();
      if (response !== undefined) budget.heed(account, response, sentAtMs, nowMs);
      if (response !== undefined && isGood(response.status)) {
        return { response, sentAtMs, durationMs: nowMs - sentAtMs };
      }
      this.#isOff = true;
      return undefined;
    };
    const signal = this.#sending.signal;
    const answer = context.settings
      .transport({ ...request, redirect: 'manual', signal, ahead: mark })
      .then(settle, () => settle(undefined));
    this.#told.asked++;
    this.#pages.set(printRequest(request), { mark, answer });
    return true;
  }

  /** The request of a page as it will be; undefined where there is none as far as is known now. */
  #evaluate(
    page: number,
    context: RunContext,
  ): TransportRequest | undefined | Promise<TransportRequest | undefined> {
    const { requestIndex } = context.position;
    const names = { ...context.scope, pagination: { page } };
    const at = RunContext.start(this.#quiet, names).at({ document: context.document, requestIndex, page });
    const { firstServer } = context.progress;
    at.progress.firstServer = firstServer;
    const resolve = (): TransportRequest | undefined =>
      evaluateFlag(this.#pagination.condition, true, at)
        ? resolveRequest(this.#request, this.#pagination, at)
        : undefined;
    const check = (request: TransportRequest | undefined): TransportRequest | undefined => {
      // What goes along to another host is decided when it is its turn.
      const isThere = firstServer !== undefined && request !== undefined;
      if (isThere && isSameHost(firstServer, parseHttpUrl(request.url))) return request;
      if (request !== undefined) this.#isOff = true;
      return undefined;
    };
    // It is thrown again when it is its turn.
    const fail = (): undefined => {
      this.#isOff = true;
    };
    try {
      const resolved = inTurns(at, resolve);
      return resolved instanceof Promise ? resolved.then(check).catch(fail) : check(resolved);
    } catch {
      return fail();
    }
  }
}

/** Pages that may be asked for behind one: up to the limits of pages and records. */
function countAllowed(
  page: Page,
  limit: number | undefined,
  { counters, progress, settings }: RunContext,
): number {
  const { maxPages, maxRecords } = settings.limits;
  const wanted = (limit ?? Number.POSITIVE_INFINITY) - progress.records;
  const records = Math.min(wanted, maxRecords - counters.pagedRecords);
  return Math.min(maxPages - counters.pages, Math.ceil(records / Math.max(1, page.held)));
}

/** Redirects are followed in their turn, with what may go along to another host. */
function isGood(status: number): boolean {
  return status < 300;
}

/** Two requests with the same text ask the same. */
function printRequest({ method, url, headers, ca, redirect, body }: TransportRequest): string {
  return JSON.stringify([method, url, headers, ca, redirect, body?.byteLength]);
}
