import { decodeText } from '../http/body/decode-text.js';
import { isTextMediaType, readContentType, responseHeader } from '../http/message/content-type.js';
import { findHeader } from '../http/message/headers.js';
import { decodeFormComponent } from '../http/message/percent-encoding.js';
import type { HeaderEntry, ResponseHeaders } from '../http/message/transport.js';
import type { Turns } from '../util/turns.js';
import { createKnownSecrets, type KnownSecrets } from './known-secrets.js';
import { redactBodyText, redactPatterns, redactQuery } from './redact-text.js';
import {
  type Budget,
  findHidden,
  findHiddenInTurns,
  hideSplit,
  LEFT_OUT,
  redactValue,
  SANITIZED,
  type ValueRules,
} from './redact-value.js';
import { readSanitize, type SanitizePaths } from './sanitize-paths.js';
import { isSecretName } from './secret-names.js';

export interface RedactorOptions {
  /** Values that must not be shown anywhere; those under 6 characters are not looked for. See `collectSecrets`. */
  readonly secrets: Iterable<string>;
  /** Paths as in `log.sanitize`, expressions in angle brackets already evaluated. Default: none. */
  readonly sanitize?: readonly string[] | undefined;
  /** Characters of text one call shows; what is beyond is left out. Default: 262144. */
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
  /** Whether a text holds a known secret, in whatever form. */
  readonly holdsSecret: (text: string) => boolean;
  /** The same redactor, hiding further paths; what either learns, both know. */
  readonly withSanitize: (sanitize: readonly string[]) => Redactor;
  /** Further values that must not be shown, known from here on. */
  readonly learn: (secrets: Iterable<string>) => void;
  /** What a body of any size hides is known from here on, as if all of it had been shown. */
  readonly learnBody: (side: 'request' | 'response', body: unknown, turns: Turns) => Promise<void>;
}

/** More is read by nobody, and cleaning it takes time. */
const MAX_SHOWN = 256 * 1024;

/** What stands under a secret name may be words (`password: "is required"`); only what looks like a secret is remembered. */
const LOOKS_SECRET = /^\S{8,}$/;

/**
 * Source: docs/security.md. Names and forms [choice].
 */
export function createRedactor(options: RedactorOptions): Redactor {
  const known = createKnownSecrets();
  for (const secret of options.secrets) known.add(secret);
  return redactorOver(known, options.sanitize ?? [], options.maxShown ?? MAX_SHOWN);
}

function redactorOver(known: KnownSecrets, sanitize: readonly string[], maxShown: number): Redactor {
  const sides = readSanitize(sanitize);
  for (const text of [...sides.request.bodyTexts, ...sides.response.bodyTexts]) known.add(text);
  const rulesOfCall = (): ValueRules => rulesOver(known, { left: maxShown });
  const lastHeaders = rememberLast(known);
  return {
    text: (text) => rulesOfCall().text(text),
    value: (value) => {
      const rules = rulesOfCall();
      return showValue(value, rules);
    },
    holdsSecret: known.isIn,
    // Headers first: what they teach is then found in the address and the body.
    request: ({ method, url, headers, body }) => {
      const rules = rulesOfCall();
      const shownHeaders = lastHeaders(headers, () =>
        withoutSplit(
          headers.map(([name, value]): HeaderEntry => [name, shownHeader(name, value, sides.request, rules)]),
          rules,
        ),
      );
      const contentType = findHeader(headers, 'content-type');
      return {
        method,
        headers: shownHeaders,
        body: redactBody(body, contentType, sides.request, rules),
        url: redactQuery(url, sides.request.qs, rules),
      };
    },
    response: ({ status, headers, body }) => {
      const rules = rulesOfCall();
      const contentType = responseHeader(headers, 'content-type');
      return {
        status,
        headers: redactResponseHeaders(headers, sides.response, rules),
        body: redactBody(body, contentType, sides.response, rules),
      };
    },
    withSanitize: (more) => redactorOver(known, [...sanitize, ...more], maxShown),
    learn: (secrets) => {
      for (const secret of secrets) known.add(secret);
    },
    learnBody: async (side, body, turns) => {
      const { onHidden } = rulesOfCall();
      await findHiddenInTurns(body, { paths: sides[side].body, onHidden }, turns);
      await known.settle(turns);
    },
  };
}

function rulesOver(known: KnownSecrets, budget: Budget): ValueRules {
  return {
    paths: [],
    budget,
    text: (raw) => {
      if (raw === '') return raw;
      if (budget.left <= 0) return LEFT_OUT;
      const length = Math.min(raw.length, budget.left);
      budget.left -= length;
      const shown = redactPatterns(known.clean(raw, length));
      return length === raw.length ? shown : `${shown}… ${LEFT_OUT}`;
    },
    pieces: known.cleanPieces,
    onHidden: (value, because) => {
      if (typeof value !== 'string' || value.includes(SANITIZED)) return;
      if (because === 'path' || LOOKS_SECRET.test(value)) known.add(value);
    },
  };
}

/** A copy of a value as it may be shown, cleaned of what it hides itself. */
function showValue(value: unknown, rules: ValueRules): unknown {
  findHidden(value, rules);
  const shown = redactValue(value, rules);
  hideSplit(shown, rules);
  return shown;
}

function withoutSplit(headers: readonly HeaderEntry[], rules: ValueRules): readonly HeaderEntry[] {
  const values = rules.pieces(headers.map(([, value]) => value));
  return headers.map(([name, value], index): HeaderEntry => [name, values[index] ?? value]);
}

/** The pages of a list are asked for with the same headers: these are cleaned once, until another secret is known. */
function rememberLast(
  known: KnownSecrets,
): (raw: readonly HeaderEntry[], clean: () => readonly HeaderEntry[]) => readonly HeaderEntry[] {
  let last: { raw: readonly HeaderEntry[]; shown: readonly HeaderEntry[]; version: number } | undefined;
  return (raw, clean) => {
    if (last !== undefined && last.version === known.version() && isSame(last.raw, raw)) return last.shown;
    const version = known.version();
    const shown = clean();
    // What cleaning taught may hide more of the same headers next time.
    last = known.version() === version ? { raw, shown, version } : undefined;
    return shown;
  };
}

function isSame(a: readonly HeaderEntry[], b: readonly HeaderEntry[]): boolean {
  if (a.length !== b.length) return false;
  return a.every(([name, value], index) => name === b[index]?.[0] && value === b[index]?.[1]);
}

function redactBody(
  body: unknown,
  contentType: string | undefined,
  paths: SanitizePaths,
  rules: ValueRules,
): unknown {
  const text = (raw: string): string =>
    paths.bodyTexts.reduce((cleaned, piece) => cleaned.replaceAll(piece, SANITIZED), rules.text(raw));
  const bodyRules: ValueRules = { ...rules, text, paths: paths.body };
  if (typeof body === 'string') return redactBodyText(body, bodyRules);
  if (!(body instanceof Uint8Array)) {
    return showValue(body, bodyRules);
  }
  const { mediaType, charset } = readContentType(contentType);
  if (!isTextMediaType(mediaType)) return redactValue(body, bodyRules);
  // A character has four bytes at most: more than is shown is not decoded.
  return redactBodyText(decodeText(body.subarray(0, 4 * (rules.budget.left + 1)), charset), bodyRules);
}

function shownHeader(name: string, value: string, paths: SanitizePaths, rules: ValueRules): string {
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
  paths: SanitizePaths,
  rules: ValueRules,
): ResponseHeaders {
  const shown: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    shown[name] =
      typeof value === 'string'
        ? shownHeader(name, value, paths, rules)
        : value.map((item) => shownHeader(name, item, paths, rules));
  }
  hideSplit(shown, rules);
  return shown;
}
