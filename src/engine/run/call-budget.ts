import { resolveBounds } from '../../shared/errors/check-options.js';
import { parseRetryAfter, RATE_LIMIT_HEADERS, readRateLimit } from '../http/rate-limit.js';
import type { ResponseHeaders, TransportResponse } from '../http/transport.js';
import type { BudgetReason } from './trace.js';

/** The budget of all runs for one host and connection. */
export interface BudgetFigures {
  /** Maximum concurrent requests. Default: Infinity. */
  readonly inFlight: number;
  /** Maximum requests in any `windowMs`. Default: Infinity. */
  readonly calls: number;
  /** Milliseconds of a window. Default: 1000. */
  readonly windowMs: number;
}

/** Why a request must wait now. */
export interface Shortage {
  readonly reason: BudgetReason;
  /** Milliseconds until the budget allows a request; undefined if another request must end first. */
  readonly waitMs: number | undefined;
  /** The exhausted budget: concurrent requests, or requests per window; undefined if unknown. */
  readonly limit: number | undefined;
}

/** The budget state of one host and connection. */
export interface Account {
  /** `https://api.example.com` */
  readonly origin: string;
  inFlight: number;
  /** No request before this time. */
  heldUntilMs: number;
  /** Remaining requests of the API's window. */
  left: number;
  /** Time of the response that reported it. */
  toldAtMs: number;
  resetAtMs: number;
  limit: number | undefined;
  /** Windows of the embedder's budgets by length. */
  windows: Map<number, SlidingWindow> | undefined;
  /** Waiting requests in order. */
  readonly waiting: (() => void)[];
}

/** Accounts by host and connection. */
export type Accounts = Map<string, Account>;

/** Accounts of all runs in this process with the default transport and clock. */
export const PROCESS_ACCOUNTS: Accounts = new Map();

const DEFAULT_FIGURES: BudgetFigures = Object.freeze({
  inFlight: Number.POSITIVE_INFINITY,
  calls: Number.POSITIVE_INFINITY,
  windowMs: 1000,
});

/** Maximum number of idle accounts. */
const MAX_ACCOUNTS = 1000;

/** Maximum time that headers of a response apply: one hour. [choice] */
const MAX_HOLD_MS = 3_600_000;

/**
 * Decides whether a request may be sent, and applies the headers of responses. They only lower the budget:
 * `Retry-After` with a status of 400 or above, and rate limit headers with any status.
 */
export class CallBudget {
  readonly #figures: BudgetFigures;
  readonly #accounts: Accounts;

  /** @throws EngineError (USAGE) for an invalid budget */
  constructor(figures: Partial<BudgetFigures> = {}, accounts: Accounts = new Map()) {
    this.#figures = resolveBounds(DEFAULT_FIGURES, figures, { least: 1, infinity: true });
    this.#accounts = accounts;
  }

  /** @param connection name or hash of the connection whose requests are counted together; contains no credentials */
  open(url: string, connection: string, nowMs: number): Account {
    const origin = readOrigin(url);
    const key = `${origin} ${connection}`;
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#forget(nowMs);
    const account = createAccount(origin);
    this.#accounts.set(key, account);
    return account;
  }

  /**
   * Counts a request, which must `leave` when it ends.
   *
   * @param isNext whether it has waited for its turn
   * @returns the reason to wait; then the request is not counted
   */
  admit(account: Account, nowMs: number, isNext = false): Shortage | undefined {
    const { inFlight, calls, windowMs } = this.#figures;
    if (account.inFlight >= inFlight || (account.waiting.length > 0 && !isNext)) {
      return { reason: 'in-flight', waitMs: undefined, limit: inFlight };
    }
    if (nowMs < account.heldUntilMs) {
      return { reason: 'retry-after', waitMs: account.heldUntilMs - nowMs, limit: undefined };
    }
    if (account.left <= 0 && nowMs < account.resetAtMs) {
      return { reason: 'rate-limit', waitMs: account.resetAtMs - nowMs, limit: account.limit };
    }
    const waitMs =
      calls === Number.POSITIVE_INFINITY ? 0 : openWindow(account, windowMs).waitFor(calls, nowMs);
    if (waitMs > 0) return { reason: 'calls', waitMs, limit: calls };
    this.force(account, nowMs);
    return undefined;
  }

  /** Counts a request even if the budget is exhausted. */
  force(account: Account, nowMs: number): void {
    account.inFlight++;
    account.left--;
    if (account.windows !== undefined) for (const window of account.windows.values()) window.add(nowMs);
  }

  /** Ends a request. Apply its response headers first. */
  leave(account: Account): void {
    account.inFlight--;
    wakeNext(account);
  }

  /**
   * Applies the headers of a response. If the request was sent before the current state was known, they only lower
   * the budget.
   *
   * @param sentAtMs when the request was sent
   */
  applyHeaders(account: Account, response: TransportResponse, sentAtMs: number, nowMs: number): void {
    const { status, headers, url } = response;
    const asksToWait = status >= 400 && 'retry-after' in headers;
    const tellsWhatIsLeft = RATE_LIMIT_HEADERS.some((name) => name in headers);
    if (!asksToWait && !tellsWhatIsLeft) return;
    // After a redirect the response is from another host.
    if (readOrigin(url) !== account.origin) return;
    if (asksToWait) holdBack(account, headers, nowMs);
    const told = tellsWhatIsLeft ? readRateLimit(headers, nowMs) : undefined;
    if (told === undefined) return;
    // Requests in progress may not be counted yet.
    const left = Math.max(0, told.remaining - account.inFlight);
    const isOlder = nowMs < account.resetAtMs && sentAtMs < account.toldAtMs;
    if (isOlder && left > account.left) return;
    account.left = left;
    account.toldAtMs = nowMs;
    account.resetAtMs = nowMs + Math.min(told.resetMs, MAX_HOLD_MS);
    account.limit = told.limit;
  }

  /** Drops expired accounts; if that is not enough, the oldest idle ones. */
  #forget(nowMs: number): void {
    const unused = [...this.#accounts].filter(
      ([, { inFlight, waiting }]) => inFlight === 0 && waiting.length === 0,
    );
    const idle = unused.filter(([, account]) => isIdle(account, nowMs));
    const dropped = idle.length > 0 ? idle : unused.slice(0, MAX_ACCOUNTS / 4);
    for (const [key] of dropped) this.#accounts.delete(key);
  }
}

/**
 * Resolves when a request of the account has ended; rejects with the abort reason. Waiting requests continue in
 * order.
 */
export function takeTurn(account: Account, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onTurn = (): void => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = (): void => {
      account.waiting.splice(account.waiting.indexOf(onTurn), 1);
      reject(signal.reason);
    };
    account.waiting.push(onTurn);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Continues the next waiting request, also if this one stops waiting after its turn. */
export function wakeNext(account: Account): void {
  if (account.waiting.length > 0) account.waiting.shift()?.();
}

function createAccount(origin: string): Account {
  return {
    origin,
    inFlight: 0,
    // A custom clock may be before 1970.
    heldUntilMs: Number.NEGATIVE_INFINITY,
    left: Number.POSITIVE_INFINITY,
    toldAtMs: Number.NEGATIVE_INFINITY,
    resetAtMs: Number.NEGATIVE_INFINITY,
    limit: undefined,
    windows: undefined,
    waiting: [],
  };
}

function readOrigin(url: string): string {
  return /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase() ?? '';
}

function openWindow(account: Account, windowMs: number): SlidingWindow {
  account.windows ??= new Map();
  const window = account.windows.get(windowMs) ?? new SlidingWindow(windowMs);
  account.windows.set(windowMs, window);
  return window;
}

function isIdle({ heldUntilMs, resetAtMs, windows }: Account, nowMs: number): boolean {
  if (nowMs < heldUntilMs || nowMs < resetAtMs) return false;
  return [...(windows?.values() ?? [])].every((window) => window.isEmpty(nowMs));
}

/** With 2xx and 3xx, the header says when to request the result again, which is unrelated. [choice] */
function holdBack(account: Account, headers: ResponseHeaders, nowMs: number): void {
  const value = headers['retry-after'];
  const delayMs = parseRetryAfter(typeof value === 'string' ? value : undefined, nowMs);
  if (delayMs === undefined) return;
  account.heldUntilMs = Math.max(account.heldUntilMs, nowMs + Math.min(delayMs, MAX_HOLD_MS));
}

/** Consecutive requests that leave the window together. */
interface CallGroup {
  readonly firstMs: number;
  lastMs: number;
  calls: number;
}

/** Groups of one call before calls share one, and groups a window is then divided into. */
const GROUPS = 64;

/**
 * Counts the calls of the last `windowMs` milliseconds. The first 64 calls are stored one by one. Beyond that, calls within a 64th of the
 * window form a group, which counts until its last call has left the window. So the count is never too low.
 */
export class SlidingWindow {
  readonly #windowMs: number;
  readonly #groups: CallGroup[] = [];
  #calls = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  add(nowMs: number): void {
    this.#forget(nowMs);
    const last = this.#groups.at(-1);
    const isNear = last !== undefined && nowMs - last.firstMs < this.#windowMs / GROUPS;
    if (last !== undefined && (nowMs === last.lastMs || (isNear && this.#groups.length >= GROUPS))) {
      last.calls++;
      last.lastMs = nowMs;
    } else {
      this.#groups.push({ firstMs: nowMs, lastMs: nowMs, calls: 1 });
    }
    this.#calls++;
  }

  /** Milliseconds until another call is within `most` of a window; 0 if it is now. */
  waitFor(most: number, nowMs: number): number {
    this.#forget(nowMs);
    let left = this.#calls;
    let freeMs = nowMs;
    for (const { lastMs, calls } of this.#groups) {
      if (left < most) break;
      left -= calls;
      freeMs = lastMs + this.#windowMs;
    }
    return freeMs - nowMs;
  }

  isEmpty(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#calls === 0;
  }

  #forget(nowMs: number): void {
    let gone = 0;
    for (const { lastMs, calls } of this.#groups) {
      // After a clock was set back, later times are ignored.
      if (lastMs <= nowMs && nowMs < lastMs + this.#windowMs) break;
      gone++;
      this.#calls -= calls;
    }
    if (gone > 0) this.#groups.splice(0, gone);
  }
}
