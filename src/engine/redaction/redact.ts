import { AppError } from '../../shared/errors/app-error.js';
import { decodeText, findBodyExcess } from '../http/body/decode-body.js';
import { findJsonExcess } from '../http/body/json-limits.js';
import { findHeader, isTextMediaType, readContentType, responseHeader } from '../http/headers.js';
import { decodeFormComponent } from '../http/http-url.js';
import type { HeaderEntry, ResponseHeaders } from '../http/transport.js';
import {
  collectBodyText,
  collectHidden,
  hideQuery,
  LEFT_OUT,
  LEFT_OUT_MARK,
  type RedactionRules,
  redactBodyText,
  redactPatterns,
  redactUrl,
  redactValue,
  SANITIZED,
} from './redact-text.js';
import { type HiddenPaths, joinPaths, NO_PATHS, readSanitize } from './sanitize-paths.js';
import { isSecretName } from './secret-names.js';
import { MAX_SECRET_LENGTH, mergeRanges, SecretMatcher, type SecretRange } from './secrets.js';

export interface RedactorOptions {
  /** Values that must not be shown anywhere; those under 6 characters are not searched for. See `collectSecrets`. */
  readonly secrets: Iterable<string>;
  /** Paths as in `log.sanitize`, expressions in angle brackets already evaluated. Default: none. */
  readonly sanitize?: readonly string[] | undefined;
  /** Maximum number of shown characters per call; each value counts 8 more. Default: 262144. */
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
 * Redacts requests and responses before they are shown; the input is never changed. A redactor keeps the values it hides:
 * `text` finds what `request` or `response` hid in later messages, too.
 */
export interface Redactor {
  /** Any text: a message, a stack. */
  readonly text: (text: string) => string;
  /** Any value: members with secret names, and secrets inside of texts. */
  readonly value: (value: unknown) => unknown;
  /** The address of a request. */
  readonly url: (url: string) => string;
  /** The headers of a request. */
  readonly headers: (headers: readonly HeaderEntry[]) => readonly HeaderEntry[];
  readonly request: (request: LoggableRequest) => LoggableRequest;
  readonly response: (response: LoggableResponse) => LoggableResponse;
  /** Adds secrets. */
  readonly collect: (secrets: Iterable<string>) => void;
  /** Adds the secrets of a request, by names and paths, without showing it. */
  readonly collectRequest: (request: Omit<LoggableRequest, 'method'>) => void;
  /** Adds the secrets of a response, by names and paths, without showing it. */
  readonly collectResponse: (response: Omit<LoggableResponse, 'status'>) => void;
  /** Whether a text contains a secret in any of its forms. */
  readonly holdsSecret: (text: string) => boolean;
  /** The same redactor with further paths; both share the secrets they collect. */
  readonly withSanitize: (sanitize: readonly string[]) => Redactor;
  /** Whether there was room for all secrets. */
  readonly isComplete: () => boolean;
  /** A redactor with the same secrets that keeps new ones to itself. @param maxShown see `RedactorOptions` */
  readonly fork: (maxShown?: number) => Redactor;
}

/** A reader of a log needs no more. [choice] */
const MAX_SHOWN = 256 * 1024;

/**
 * In a response, a value under a secret name may be words (`password: "is required"`): only what looks like a secret is
 * kept. A request has no such messages, and its passwords may have spaces. A pattern over the whole text would exhaust the
 * stack of the regular expression engine on a text of several megabytes.
 */
function looksSecret(value: string): boolean {
  return value.length >= 8 && !/\s/.test(value);
}

/**
 * Source: docs/security.md. Names and forms [choice].
 */
export function createRedactor({ secrets, sanitize = [], maxShown = MAX_SHOWN }: RedactorOptions): Redactor {
  const matcher = new SecretMatcher();
  for (const secret of secrets) matcher.add(secret);
  return redactorOver(matcher, sanitize, maxShown);
}

function redactorOver(matcher: SecretMatcher, sanitize: readonly string[], maxShown: number): Redactor {
  // Few redactors are used, so entries are parsed by the first use.
  let parsed: Hidden | undefined;
  const hidden = (): Hidden => (parsed ??= readHidden(sanitize, matcher));
  const rules = (side: HiddenSide = NOTHING_HIDDEN): RedactionRules => {
    const { body: paths, texts, isSent } = side;
    hidden();
    const budget = { left: maxShown };
    return {
      paths,
      budget,
      text: (text) => redactWithin(text, budget, matcher, texts),
      isSecretNumber: (value) => matcher.isNumber(value),
      onHidden: (value, because) => keepHidden(value, because === 'path' || isSent, matcher),
    };
  };
  const redactHeaders = (headers: readonly HeaderEntry[], side: HiddenSide): HeaderEntry[] =>
    headers.map(([name, value]) => [name, redactHeader(name, value, side, rules(side))]);
  const collect = (headers: readonly HeaderEntry[], body: unknown, side: HiddenSide): void => {
    const sideRules = rules(side);
    for (const [name, value] of headers) hideHeader(name, value, side, sideRules);
    collectBody(body, findHeader(headers, 'content-type'), sideRules);
  };
  return {
    text: (text) => rules().text(text),
    value: (value) => {
      const valueRules = rules();
      collectHidden(value, valueRules);
      return redactValue(value, valueRules);
    },
    url: (url) => redactUrl(url, hidden().request.qs, rules()),
    headers: (headers) => redactHeaders(headers, hidden().request),
    // Headers and body first: the secrets they name are then found in the address.
    request: ({ method, url, headers, body }) => {
      const { request: side } = hidden();
      const shownHeaders = redactHeaders(headers, side);
      const shownBody = redactBody(body, findHeader(headers, 'content-type'), rules(side));
      return { method, url: redactUrl(url, side.qs, rules(side)), headers: shownHeaders, body: shownBody };
    },
    response: ({ status, headers, body }) => {
      const { response: side } = hidden();
      const shown: Record<string, string | readonly string[]> = Object.create(null);
      for (const [name, value] of Object.entries(headers)) {
        const items = [value].flat().map((item) => redactHeader(name, item, side, rules()));
        shown[name] = typeof value === 'string' ? (items[0] ?? '') : items;
      }
      const contentType = responseHeader(headers, 'content-type');
      return { status, headers: shown, body: redactBody(body, contentType, rules(side)) };
    },
    collect: (secrets) => {
      for (const secret of secrets) matcher.add(secret);
    },
    collectRequest: ({ url, headers, body }) => {
      collect(headers, body, hidden().request);
      hideQuery(url, hidden().request.qs, rules(hidden().request));
    },
    collectResponse: ({ headers, body }) => {
      const entries = Object.entries(headers).flatMap(([name, value]) =>
        [value].flat().map((item): HeaderEntry => [name, item]),
      );
      collect(entries, body, hidden().response);
    },
    holdsSecret: (text) => matcher.find(text).length > 0,
    withSanitize: (more) => redactorOver(matcher, [...sanitize, ...more], maxShown),
    isComplete: () => matcher.isComplete(),
    fork: (most = maxShown) => redactorOver(new SecretMatcher(matcher), sanitize, most),
  };
}

/** What `log.sanitize` hides in requests or in responses. */
interface HiddenSide {
  /** Lower case. */
  readonly headers: ReadonlySet<string>;
  readonly qs: ReadonlySet<string>;
  readonly body: HiddenPaths;
  /** Texts that are hidden in bodies of this side only, as they are too short or too long to search for elsewhere. */
  readonly texts: readonly string[];
  /** Whether it is the side of requests. */
  readonly isSent: boolean;
}

interface Hidden {
  readonly request: HiddenSide;
  readonly response: HiddenSide;
}

const NOTHING_HIDDEN: HiddenSide = {
  headers: new Set(),
  qs: new Set(),
  body: NO_PATHS,
  texts: [],
  isSent: false,
};

function readHidden(entries: readonly string[], matcher: SecretMatcher): Hidden {
  const { request, response } = readSanitize(entries);
  const [hiddenRequest = NOTHING_HIDDEN, hiddenResponse = NOTHING_HIDDEN] = [request, response].map(
    (side): HiddenSide => ({
      headers: side.headers,
      qs: side.qs,
      body: joinPaths(side.body),
      texts: side.bodyTexts.filter((text) => !matcher.add(text)),
      isSent: side === request,
    }),
  );
  return { request: hiddenRequest, response: hiddenResponse };
}

function redactWithin(
  text: string,
  budget: { left: number },
  matcher: SecretMatcher,
  texts: readonly string[],
): string {
  if (text === '') return text;
  if (budget.left <= 0) return LEFT_OUT;
  const length = Math.min(text.length, budget.left);
  budget.left -= length;
  // A secret may begin in the part that is shown and end after it.
  const near = length === text.length ? text : text.slice(0, length + matcher.longestForm());
  const known = matcher.find(near);
  const ranges = texts.length === 0 ? known : mergeRanges([...known, ...findTexts(near, texts)]);
  const shown = redactPatterns(replaceRanges(text.slice(0, length), ranges));
  return length === text.length ? shown : shown + LEFT_OUT_MARK;
}

/** Replaces ranges of a text. @param ranges in order and without overlaps */
function replaceRanges(text: string, ranges: readonly SecretRange[]): string {
  let replaced = '';
  let at = 0;
  for (const { start, end } of ranges) {
    if (start >= text.length) break;
    replaced += text.slice(at, start) + SANITIZED;
    at = end;
  }
  return at === 0 ? text : replaced + text.slice(at);
}

function findTexts(text: string, texts: readonly string[]): SecretRange[] {
  const found: SecretRange[] = [];
  for (const each of texts) {
    for (let start = text.indexOf(each); start !== -1; start = text.indexOf(each, start + each.length)) {
      // The entry may be the beginning of a file.
      found.push({ start, end: each.length > MAX_SECRET_LENGTH ? text.length : start + each.length });
    }
  }
  return found;
}

/** @param isSecret whether the value is secret whatever it looks like */
function keepHidden(value: unknown, isSecret: boolean, matcher: SecretMatcher): void {
  if (typeof value === 'number' || typeof value === 'bigint') matcher.add(String(value));
  if (typeof value !== 'string' || value.includes(SANITIZED)) return;
  if (isSecret || looksSecret(value)) matcher.add(value);
}

function redactBody(body: unknown, contentType: string | undefined, rules: RedactionRules): unknown {
  const { mediaType, charset } = readContentType(contentType);
  if (typeof body === 'string') return redactBodyText(readablePart(body), rules, mediaType);
  if (body instanceof Uint8Array) {
    return isTextMediaType(mediaType)
      ? redactBodyText(decodeReadable(body, charset), rules, mediaType)
      : redactValue(body, rules);
  }
  collectHidden(body, rules);
  return redactValue(body, rules);
}

function collectBody(body: unknown, contentType: string | undefined, rules: RedactionRules): void {
  if (body === undefined) return;
  const { mediaType, charset } = readContentType(contentType);
  if (typeof body === 'string') collectBodyText(readablePart(body), rules, mediaType);
  else if (!(body instanceof Uint8Array)) collectHidden(body, rules);
  else if (isTextMediaType(mediaType)) collectBodyText(decodeReadable(body, charset), rules, mediaType);
}

/** Length of the part of a body above the limits of JSON that is searched and shown. [choice] */
const MAX_UNPARSED = 512 * 1024;

/** A body that a run refuses for its size is not parsed here either; only its start is shown. */
function readablePart(text: string): string {
  return text.length < MAX_UNPARSED || findJsonExcess(Buffer.from(text)) === undefined
    ? text
    : text.slice(0, MAX_UNPARSED);
}

function decodeReadable(body: Uint8Array, charset: string | undefined): string {
  const isRead = body.length < MAX_UNPARSED || findBodyExcess(body, charset) === undefined;
  return decodeText(isRead ? body : body.subarray(0, MAX_UNPARSED), charset);
}

function redactHeader(name: string, value: string, side: HiddenSide, rules: RedactionRules): string {
  if (hideHeader(name, value, side, rules)) return SANITIZED;
  return name.toLowerCase() === 'location' ? redactUrl(value, side.qs, rules) : rules.text(value);
}

/** Keeps the secrets of a header. @returns whether its whole value is hidden */
function hideHeader(name: string, value: string, side: HiddenSide, rules: RedactionRules): boolean {
  const lower = name.toLowerCase();
  const isPath = side.headers.has(lower);
  if (!isPath && !isSecretName(name, 'header')) {
    if (lower === 'location') hideQuery(value, side.qs, rules);
    return false;
  }
  rules.onHidden(value, isPath ? 'path' : 'name');
  // The scheme is not secret.
  const scheme = /^(?:Basic|Bearer|Digest|OAuth|Token|AWS4-HMAC-SHA256|AWS) (?=.)/is.exec(value);
  if (scheme !== null) rules.onHidden(value.slice(scheme[0].length), 'name');
  if (lower !== 'cookie' && lower !== 'set-cookie') return true;
  for (const pair of value.split(';')) {
    const cookie = pair.slice(pair.indexOf('=') + 1).trim();
    rules.onHidden(cookie, 'name');
    rules.onHidden(decodeFormComponent(cookie), 'name');
  }
  return true;
}

/** Redacts an error, and its causes in place. Returns the same error if its own texts contain no secret. */
export function redactAppError(error: AppError, redact: (text: string) => string): AppError {
  redactCauses(error.cause, redact);
  const { type, message, suberrors, request, ...rest } = error;
  const shown = redact(message);
  const shownSuberrors = suberrors?.map(redact);
  const shownRequest = request && {
    ...request,
    url: redact(request.url),
    body: request.body === undefined ? undefined : redact(request.body),
  };
  const isSame =
    shown === message &&
    shownSuberrors?.every((line, index) => line === suberrors?.[index]) !== false &&
    shownRequest?.url === request?.url &&
    shownRequest?.body === request?.body;
  if (isSame) return error;
  const options = { ...rest, cause: error.cause, suberrors: shownSuberrors, request: shownRequest };
  return new AppError(type, shown, options);
}

/** Maximum number of stored causes. The engine creates no longer chains. */
const MAX_CAUSES = 100;

/** Members of an error that are redacted: no error of the host or of ours has more. */
const MAX_MEMBERS = 100;

/**
 * Redacts the causes of an error in place: message, stack, and the members that the host adds (`input` and `base` of an
 * invalid URL). The errors of an AggregateError are redacted, too. Causes beyond the first 100 are removed.
 */
export function redactCauses(cause: unknown, redact: (text: string) => string): void {
  const found = new Set([cause]);
  const keeps = (error: unknown): boolean => {
    if (!isError(error) || found.has(error)) return true;
    if (found.size > MAX_CAUSES) return false;
    found.add(error);
    return true;
  };
  // The loop visits errors that are added meanwhile.
  for (const error of found) {
    if (!isError(error)) continue;
    redactMembers(error, redact);
    redactInner(error, keeps, (inner) => (typeof inner === 'string' ? redact(inner) : inner));
  }
}

/** A value of the embedder may be a proxy that throws. */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function redactMembers(error: Error, redact: (text: string) => string): void {
  attempt(() => {
    // `stack` may be inherited.
    for (const name of new Set(['stack', ...Object.getOwnPropertyNames(error).slice(0, MAX_MEMBERS)])) {
      attempt(() => {
        const text: unknown = Reflect.get(error, name);
        const shown = typeof text === 'string' ? redact(text) : text;
        if (shown !== text) Reflect.set(error, name, shown);
      });
    }
  });
}

function redactInner(
  error: Error,
  keeps: (cause: unknown) => boolean,
  redact: (cause: unknown) => unknown,
): void {
  attempt(() => {
    const kept = keeps(error.cause) ? redact(error.cause) : undefined;
    if (kept !== error.cause) error.cause = kept;
  });
  attempt(() => {
    if (!(error instanceof AggregateError)) return;
    const { errors } = error;
    const kept = errors.slice(0, MAX_CAUSES).filter(keeps).map(redact);
    if (kept.length < errors.length || kept.some((each, at) => each !== errors[at])) error.errors = kept;
  });
}

/** What cannot be read cannot be shown either. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}
