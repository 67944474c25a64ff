import { findDeclaredHosts } from '../../../engine/declared-hosts.js';
import type { App } from '../../../engine/document/app.js';
import { parseHttpUrl } from '../../../engine/http/http-url.js';
import { readSanitize } from '../../../engine/redaction/sanitize-paths.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import type { CaseExchange } from '../cases/test-case.js';
import { canonicalRequest } from '../exchanges/canonical-request.js';
import { maskValue, writePlaceholders } from '../secrets/mask-value.js';
import { createSecretBook, remainingSecret, type SecretBook } from '../secrets/secret-book.js';
import { listAppTexts, listSanitized } from './app-texts.js';
import { learnRequest, learnResponse } from './collect-secrets.js';
import { findSuspects, type Suspect } from './find-suspects.js';
import { chooseHeaders, maskResponse } from './mask-call.js';
import { printCase } from './print-case.js';
import { readHar, type SkippedEntries } from './read-har.js';
import type { RecordedCall } from './record-transport.js';
import { mapPlaceholders } from './rehearse-run.js';

/** Exchanges of a HAR file. */
export interface HarExchanges {
  /** JSON with one member, `exchanges`. */
  readonly text: string;
  readonly count: number;
  /** Entries that apps do not send, or that go to hosts that the app does not name. */
  readonly skipped: readonly SkippedEntries[];
  readonly placeholders: readonly string[];
  readonly suspects: readonly Suspect[];
}

/**
 * Converts a HAR 1.2 file of a browser or proxy to exchanges with placeholders for secrets. If the app names hosts of
 * the HAR, only those are included.
 *
 * @param file name of the file in errors
 * @throws EngineError (USAGE) for an invalid HAR, and for one without calls; RecordingError (RECORDING_REFUSED) if a secret would remain in the
 * text
 */
export function convertHar(text: string, file: string, app: App): HarExchanges {
  const { calls: all, skipped } = readHar(text, file);
  if (all.length === 0) throw noCalls(file, skipped);
  const isOfApp = findDeclaredHosts(app);
  const ofApp = all.filter(({ request }) => isOfApp(parseHttpUrl(request.url)));
  const calls = ofApp.length === 0 ? all : ofApp;
  const book = createSecretBook();
  const sanitize = readSanitize(listSanitized(app));
  for (const call of calls) {
    learnResponse(call, sanitize, book);
    learnRequest(call, sanitize, book);
  }
  const keeps = chooseHeaders(listAppTexts(app));
  const exchanges = calls.map((call): CaseExchange => {
    return { request: maskRequest(call, book), response: maskResponse(call, book, keeps) };
  });
  const written = writePlaceholders({ exchanges }, mapPlaceholders(book));
  const printed = printCase(written);
  if (book.isIn(printed)) throw remainingSecret(`the exchanges of ${file}`, [printed], book);
  return {
    text: printed,
    count: calls.length,
    skipped:
      calls.length === all.length
        ? skipped
        : [...skipped, { reason: 'to hosts that the app does not name', count: all.length - calls.length }],
    placeholders: book.secrets().map(({ name }) => name),
    suspects: findSuspects(written, (word) => /fake-|secret:/.test(word)),
  };
}

function noCalls(file: string, skipped: readonly SkippedEntries[]): EngineError {
  const why = skipped.length === 0 ? 'it has no entries' : `it has only entries ${listReasons(skipped)}`;
  return new EngineError('USAGE', `${file} has no API calls: ${why}.`);
}

/** `without a valid HTTP URL (1), for resources of a page (3)` */
export function listReasons(skipped: readonly SkippedEntries[]): string {
  return skipped.map(({ reason, count }) => `${reason} (${count})`).join(', ');
}

/** Headers that browsers add. */
const OF_THE_BROWSER =
  /^(?:accept(?:-language|-encoding)?|cache-control|cookie|dnt|origin|pragma|priority|referer|te|upgrade-insecure-requests|if-.*|sec-.*)$/;

function maskRequest({ request }: RecordedCall, book: SecretBook): NonNullable<CaseExchange['request']> {
  const { headers, ...rest } = canonicalRequest(request);
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_BROWSER.test(name));
  const masked = maskValue(rest, book) as typeof rest;
  if (kept.length === 0) return masked;
  return { ...masked, headers: Object.fromEntries(kept.map(([name, value]) => [name, book.clean(value)])) };
}
