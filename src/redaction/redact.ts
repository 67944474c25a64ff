import { decodeText } from '../http/body/decode-text.js';
import { isTextMediaType, readContentType, responseHeader } from '../http/message/content-type.js';
import { findHeader } from '../http/message/headers.js';
import { decodeFormComponent } from '../http/message/percent-encoding.js';
import type { HeaderEntry, ResponseHeaders } from '../http/message/transport.js';
import { finishAtOnce, type Parts } from '../iml/values/work.js';
import type { Turns } from '../util/turns.js';
import { cleanerOfBodies } from './body-texts.js';
import { type Hidden, type HiddenSide, hideMore, NOTHING_HIDDEN } from './hide-more.js';
import { hideBeginnings, hideSplit } from './hide-split.js';
import { createKnownSecrets, type KnownSecrets, knowMore } from './known-secrets.js';
import { redactQueries, redactQuery } from './redact-pairs.js';
import { redactPatterns } from './redact-patterns.js';
import { readBodyText } from './redact-text.js';
import {
  type Budget,
  findHidden,
  findHiddenInTurns,
  LEFT_OUT,
  LEFT_OUT_MARK,
  MAX_OVERLAP,
  redactValue,
  SANITIZED,
  type ShowBody,
  type ShownCosts,
  type ValueRules,
} from './redact-value.js';
import { NO_PATHS } from './sanitize-paths.js';
import { isSecretName } from './secret-names.js';
import { mayBeEncoded } from './text-view.js';

export interface RedactorOptions {
  /** Values that must not be shown anywhere; those under 6 characters are not looked for. See `collectSecrets`. */
  readonly secrets: Iterable<string>;
  /** Paths as in `log.sanitize`, expressions in angle brackets already evaluated. Default: none. */
  readonly sanitize?: readonly string[] | undefined;
  /**
   * Characters of text one call shows, 8 more for each value; what is beyond is left out. Default: what is cleaned within some 30
   * ms, which is 262144 characters of plain text, a third of that where it has escapes, and 48 less for each value.
   */
  readonly maxShown?: number | undefined;
}

export interface LoggableRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderEntry[];
  /** The evaluated value, or the text or bytes that are sent. */
  readonly body: unknown;
}

export interface LoggableResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The decoded value, or text or bytes. */
  readonly body: unknown;
}

/**
 * Turns what is sent and received into what may be shown; its input is never changed.
 * Hidden values are remembered: what `request` or `response` hid, `text` finds in later messages too.
 */
export interface Redactor {
  /** Any text: a message, a URL, a stack. */
  readonly text: (text: string) => string;
  /** Any value: members whose names say secret, and secrets inside texts. */
  readonly value: (value: unknown) => unknown;
  readonly request: (request: LoggableRequest) => LoggableRequest;
  readonly response: (response: LoggableResponse) => LoggableResponse;
  /** `request`, `response` and `value` in parts of a few milliseconds: others may have their turn in between. */
  readonly inParts: RedactorInParts;
  /** Whether a text holds a known secret, in whatever form, or cut into pairs of a query in it. */
  readonly holdsSecret: (text: string) => boolean;
  /** Which of texts that follow one another hold a part of a secret that was cut into several of them. */
  readonly findCut: (texts: readonly string[]) => readonly boolean[];
  /** Characters of the longest known secret. */
  readonly longestSecret: () => number;
  /** The same redactor, hiding further paths; what either learns, both know. */
  readonly withSanitize: (sanitize: readonly string[]) => Redactor;
  /** Whether there was room for all that it was given to know. */
  readonly knowsAll: () => boolean;
  /**
   * A redactor that knows the same. What it learns it keeps to itself, so that one made ready serves for many
   * calls.
   *
   * @param maxShown see `RedactorOptions`. Default: as of this one
   */
  readonly apart: (maxShown?: number) => Redactor;
  /** Further values that must not be shown, known from here on. */
  readonly learn: (secrets: Iterable<string>) => void;
  /** The same in turns, ready to be searched for: nobody else waits while thousands are made so. */
  readonly learnInTurns: (secrets: readonly string[], turns: Turns) => Promise<void>;
  /** What a body of any size hides is known from here on, as if all of it had been shown. */
  readonly learnBody: (side: 'request' | 'response', body: unknown, turns: Turns) => Promise<void>;
}

export interface RedactorInParts {
  readonly value: (value: unknown) => Parts<unknown>;
  readonly request: (request: LoggableRequest) => Parts<LoggableRequest>;
  readonly response: (response: LoggableResponse) => Parts<LoggableResponse>;
  /** What it hides is known then, as if it had been shown: in half the time and less. */
  readonly learnRequest: (request: LoggableRequest) => Parts<void>;
  readonly learnResponse: (response: LoggableResponse) => Parts<void>;
}

/** More is read by nobody, and cleaning it takes time. */
const MAX_SHOWN = 256 * 1024;

/** By what is shown. */
const COSTS_AS_SHOWN: ShownCosts = { value: 8, encoded: 1 };

/** By the time it takes: escapes are undone layer by layer. */
const COSTS_IN_TIME: ShownCosts = { value: 48, encoded: 3 };

/** What stands under a secret name may be words (`password: "is required"`); only what looks like a secret is remembered. */
const LOOKS_SECRET = /^\S{8,}$/;

/**
 * Source: docs/security.md. Names and forms [choice].
 */
export function createRedactor(options: RedactorOptions): Redactor {
  const known = createKnownSecrets();
  for (const secret of options.secrets) known.add(secret);
  const hidden = hideMore(NOTHING_HIDDEN, options.sanitize ?? [], known.add);
  return redactorOver(known, hidden, chooseBudget(options.maxShown));
}

function chooseBudget(maxShown: number | undefined): Budget {
  return maxShown === undefined
    ? { left: MAX_SHOWN, ...COSTS_IN_TIME }
    : { left: maxShown, ...COSTS_AS_SHOWN };
}

function redactorOver(known: KnownSecrets, hidden: Hidden, budget: Budget): Redactor {
  const rulesOfCall = (): ValueRules => rulesOver(known, { ...budget });
  const rulesOfBody = (side: keyof Hidden, rules: ValueRules): ValueRules => {
    const { body, bodyTexts } = hidden[side];
    const text = createTextCleaner(known, rules.budget, cleanerOfBodies(known, bodyTexts));
    return { ...rules, text, paths: body };
  };
  const lastHeaders = rememberLast(known, isSame);
  const lastUrl = rememberLast<string>(known, Object.is);
  /** Bodies whose hidden values are known, all of them. */
  const learned: LearnedBodies = { request: new WeakSet(), response: new WeakSet() };
  // Headers first: what they teach is then found in the address and the body.
  const readRequest = function* ({ method, url, headers, body }: LoggableRequest): Parts<ReadRequest> {
    const rules = rulesOfCall();
    const shownHeaders = lastHeaders(headers, () =>
      withoutSplit(
        headers.map(([name, value]): HeaderEntry => [name, shownHeader(name, value, hidden.request, rules)]),
        rules,
      ),
    );
    const contentType = findHeader(headers, 'content-type');
    const show = yield* readBody(
      body,
      { contentType, learned: learned.request },
      rulesOfBody('request', rules),
    );
    const showUrl = (): string => lastUrl(url, () => redactQuery(url, hidden.request.qs, rules));
    return { method, shownHeaders, show, showUrl };
  };
  const readResponse = function* ({ status, headers, body }: LoggableResponse): Parts<ReadResponse> {
    const rules = rulesOfCall();
    const contentType = responseHeader(headers, 'content-type');
    const shownHeaders = redactResponseHeaders(headers, hidden.response, rules);
    const show = yield* readBody(
      body,
      { contentType, learned: learned.response },
      rulesOfBody('response', rules),
    );
    return { status, shownHeaders, show };
  };
  const inParts: RedactorInParts = {
    *value(value) {
      const rules = rulesOfCall();
      yield* findHidden(value, rules);
      return yield* showValue(value, rules);
    },
    *request(request) {
      const { method, shownHeaders, show, showUrl } = yield* readRequest(request);
      return { method, headers: shownHeaders, body: yield* show(), url: showUrl() };
    },
    *response(response) {
      const { status, shownHeaders, show } = yield* readResponse(response);
      return { status, headers: shownHeaders, body: yield* show() };
    },
    *learnRequest(request) {
      const { showUrl } = yield* readRequest(request);
      showUrl();
    },
    *learnResponse(response) {
      yield* readResponse(response);
    },
  };
  return {
    text: (text) => rulesOfCall().text(text),
    value: (value) => finishAtOnce(inParts.value(value)),
    request: (request) => finishAtOnce(inParts.request(request)),
    response: (response) => finishAtOnce(inParts.response(response)),
    inParts,
    holdsSecret: (text) => known.isIn(text) || redactQueries(text, known.cleanPieces) !== text,
    longestSecret: known.longest,
    findCut: (texts) => {
      const cleaned = known.cleanPieces(texts);
      return texts.map((text, index) => cleaned[index] !== text);
    },
    knowsAll: () => known.isWhole() && hidden.request.bodyTexts.isWhole && hidden.response.bodyTexts.isWhole,
    apart: (most) => redactorOver(knowMore(known), hidden, most === undefined ? budget : chooseBudget(most)),
    withSanitize: (more) => redactorOver(known, hideMore(hidden, more, known.add), budget),
    learn: (secrets) => {
      for (const secret of secrets) known.add(secret);
    },
    learnInTurns: async (secrets, turns) => {
      for (const secret of secrets) {
        known.add(secret);
        if (turns.isOver) await turns.next();
      }
      await known.settle(turns);
    },
    learnBody: async (side, body, turns) => {
      const { onHidden } = rulesOfCall();
      await findHiddenInTurns(body, { paths: hidden[side].body, onHidden }, turns);
      if (typeof body === 'object' && body !== null) learned[side].add(body);
      await known.settle(turns);
    },
  };
}

function createTextCleaner(
  known: KnownSecrets,
  budget: Budget,
  clean: KnownSecrets['clean'],
): ValueRules['text'] {
  return (raw) => {
    if (raw === '') return raw;
    if (budget.left <= 0) return LEFT_OUT;
    const near = raw.slice(0, budget.left + MAX_OVERLAP);
    const cost = mayBeEncoded(near) ? budget.encoded : 1;
    const length = Math.min(raw.length, Math.ceil(budget.left / cost));
    budget.left -= length * cost;
    const shown = redactPatterns(redactQueries(clean(raw, length), known.cleanPieces));
    return length === raw.length ? shown : shown + LEFT_OUT_MARK;
  };
}

function rulesOver(known: KnownSecrets, budget: Budget): ValueRules {
  const text = createTextCleaner(known, budget, known.clean);
  return {
    paths: NO_PATHS,
    budget,
    text,
    isSecretNumber: known.isNumber,
    name: rememberNames(known, budget, text),
    pieces: known.cleanPieces,
    beginning: known.beginningIn,
    onHidden: (value, because) => {
      // Of a number all digits stand together, and a short one is not looked for.
      if (typeof value === 'number' || typeof value === 'bigint') known.add(String(value));
      if (typeof value !== 'string' || value.includes(SANITIZED)) return;
      if (because === 'path' || LOOKS_SECRET.test(value)) known.add(value);
    },
  };
}

type LearnedBodies = Readonly<Record<'request' | 'response', WeakSet<object>>>;

/** A copy of a value as it may be shown, once what it hides is known. */
function* showValue(value: unknown, rules: ValueRules): Parts<unknown> {
  const shown = yield* redactValue(value, rules);
  yield* hideSplit(shown, rules);
  yield;
  if (rules.budget.left <= 0) hideBeginnings(shown, rules);
  return shown;
}

function withoutSplit(headers: readonly HeaderEntry[], rules: ValueRules): readonly HeaderEntry[] {
  const values = rules.pieces(headers.map(([, value]) => value));
  return headers.map(([name, value], index): HeaderEntry => [name, values[index] ?? value]);
}

/** Names as they are shown, as long as no further secret is known. */
function rememberNames(
  known: KnownSecrets,
  budget: Budget,
  clean: (name: string) => string,
): (name: string) => string {
  let version = known.version();
  const shownNames = new Map<string, string>();
  return (name) => {
    if (version !== known.version()) {
      version = known.version();
      shownNames.clear();
    }
    const before = budget.left >= name.length ? shownNames.get(name) : undefined;
    if (before !== undefined) {
      budget.left -= name.length;
      return before;
    }
    const isWhole = budget.left >= name.length;
    const shown = clean(name);
    if (isWhole && name.length <= MAX_REMEMBERED_NAME) shownNames.set(name, shown);
    return shown;
  };
}

/** Names of more characters do not come again, and are not looked up by the host in constant time. */
const MAX_REMEMBERED_NAME = 1000;

/**
 * The pages of a list are asked for with the same headers, and what was told of a request is looked at again where it fails: such a
 * thing is cleaned once, until another secret is known.
 */
function rememberLast<T>(
  known: KnownSecrets,
  isEqual: (a: T, b: T) => boolean,
): (raw: T, clean: () => T) => T {
  let last: { raw: T; shown: T; version: number } | undefined;
  return (raw, clean) => {
    if (last !== undefined && last.version === known.version() && isEqual(last.raw, raw)) return last.shown;
    const version = known.version();
    const shown = clean();
    // What cleaning taught may hide more of the same next time.
    last = known.version() === version ? { raw, shown, version } : undefined;
    return shown;
  };
}

function isSame(a: readonly HeaderEntry[], b: readonly HeaderEntry[]): boolean {
  if (a.length !== b.length) return false;
  return a.every(([name, value], index) => name === b[index]?.[0] && value === b[index]?.[1]);
}

/** A request whose headers are cleaned, and of whose body it is known what it hides. */
interface ReadRequest {
  readonly method: string;
  readonly shownHeaders: readonly HeaderEntry[];
  readonly show: ShowBody;
  readonly showUrl: () => string;
}

interface ReadResponse {
  readonly status: number;
  readonly shownHeaders: ResponseHeaders;
  readonly show: ShowBody;
}

interface BodyReading {
  readonly contentType: string | undefined;
  /** Bodies of which it is known already. */
  readonly learned: WeakSet<object>;
}

function* readBody(body: unknown, { contentType, learned }: BodyReading, rules: ValueRules): Parts<ShowBody> {
  const { mediaType, charset } = readContentType(contentType);
  if (typeof body === 'string') return yield* readBodyText(body, rules, mediaType);
  if (!(body instanceof Uint8Array)) {
    const isLearned = typeof body === 'object' && body !== null && learned.has(body);
    if (!isLearned) yield* findHidden(body, rules);
    return () => showValue(body, rules);
  }
  if (!isTextMediaType(mediaType)) return () => redactValue(body, rules);
  // A character has four bytes at most: more than is shown is not decoded.
  const text = decodeText(body.subarray(0, 4 * (rules.budget.left + 1)), charset);
  return yield* readBodyText(text, rules, mediaType);
}

function shownHeader(name: string, value: string, paths: HiddenSide, rules: ValueRules): string {
  const lower = name.toLowerCase();
  const isNamed = paths.headers.has(lower);
  if (isNamed || isSecretName(name, 'header')) {
    rules.onHidden(value, isNamed ? 'path' : 'name');
    // The scheme tells how the request was authorised, and no secret.
    const scheme = /^(Basic|Bearer|Digest|OAuth|Token|AWS4-HMAC-SHA256|AWS) (.+)$/is.exec(value);
    if (scheme?.[2] !== undefined) rules.onHidden(scheme[2], 'name');
    if (lower === 'cookie' || lower === 'set-cookie')
      for (const cookie of cookieValues(value)) rules.onHidden(cookie, 'name');
    return SANITIZED;
  }
  return lower === 'location' ? redactQuery(value, paths.qs, rules) : rules.text(value);
}

/** Values of cookies, and of their attributes, as they stand there and decoded. */
function cookieValues(header: string): readonly string[] {
  return header.split(';').flatMap((pair) => {
    const value = pair.slice(pair.indexOf('=') + 1).trim();
    return [value, decodeFormComponent(value)];
  });
}

function redactResponseHeaders(
  headers: ResponseHeaders,
  paths: HiddenSide,
  rules: ValueRules,
): ResponseHeaders {
  const shown: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    shown[name] =
      typeof value === 'string'
        ? shownHeader(name, value, paths, rules)
        : value.map((item) => shownHeader(name, item, paths, rules));
  }
  finishAtOnce(hideSplit(shown, rules));
  return shown;
}
