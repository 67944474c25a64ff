import { RecordingError } from '../../errors/engine-error.js';
import type { ResponseHeaders } from '../../http/message/transport.js';
import { isPlainObject } from '../../util/plain-object.js';
import { respond } from '../exchanges/play-exchanges.js';
import type { RecordedCall } from '../recording/record-transport.js';
import type { RehearsedRun, RunToRecord } from '../recording/rehearse-run.js';
import { writePlaceholders } from '../secrets/write-placeholders.js';

/**
 * The calls of a run without secrets: requests from the rehearsal, redacted responses, with times and durations.
 *
 * @throws RecordingError (RECORDING_REFUSED)
 */
export function maskCalls(
  run: RunToRecord,
  { rehearsal, fixture, placeholders, book }: RehearsedRun,
): readonly RecordedCall[] {
  const write = (text: string): string => {
    const written = writePlaceholders(text, placeholders);
    const shown = typeof written === 'string' ? written : text;
    // Secrets in the code of the app itself.
    return book.isIn(shown) ? book.clean(shown) : shown;
  };
  return run.calls.map((call, index): RecordedCall => {
    const request = rehearsal.requests[index];
    const response = fixture.exchanges?.[index]?.response ?? {};
    if (request === undefined) throw new RecordingError(`Call ${index + 1} of the run was not made again.`);
    const { method, url, headers, body } = request;
    const { startedAtMs, durationMs, error } = call;
    const played = call.response === undefined ? undefined : respond(response, request);
    return {
      request: {
        method,
        url: write(url),
        headers: headers.map(([name, value]) => [name, write(value)] as const),
        body: body && writeBytes(body, write),
      },
      response: played && {
        status: played.status,
        headers: writeHeaders(played.headers, write),
        body: writeBytes(played.body, write),
      },
      error,
      startedAtMs,
      durationMs,
    };
  });
}

function writeHeaders(headers: ResponseHeaders, write: (text: string) => string): ResponseHeaders {
  const written = Object.entries(headers).map(([name, value]): [string, string | readonly string[]] => [
    name,
    typeof value === 'string' ? write(value) : value.map(write),
  ]);
  const kept: unknown = Object.fromEntries(written);
  return isPlainObject(kept) ? (kept as Record<string, string | readonly string[]>) : {};
}

function writeBytes(bytes: Uint8Array, write: (text: string) => string): Uint8Array {
  const raw = Buffer.from(bytes).toString('latin1');
  const written = write(raw);
  return written === raw ? bytes : Buffer.from(written, 'latin1');
}
