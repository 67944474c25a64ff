import {
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  wholeNumber,
} from '../../errors/check-options.js';
import { TransportError } from '../../errors/engine-error.js';
import type {
  HeaderEntry,
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../http/message/transport.js';
import { decodeContent } from '../../http/transport/content-decoding.js';
import { type Clock, SYSTEM_CLOCK } from '../../util/clock.js';

/** One exchange as it went over the wire, secrets included: nothing of it is to be written as it is. */
export interface RecordedCall {
  readonly request: RecordedRequest;
  /** What came back; its body without `Content-Encoding`. Undefined where nothing came. */
  readonly response: RecordedResponse | undefined;
  /** Why nothing came; undefined also for a call that nobody waited for any more. */
  readonly error: TransportError | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** A request as it was sent. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array | undefined;
}

/** The answer to it, as it came. */
export type RecordedResponse = Pick<TransportResponse, 'status' | 'headers' | 'body'>;

/** What has been recorded so far. */
export interface Recording {
  /** Makes the exchanges and keeps them; see `EngineOptions.transport` and `EngineOptions.wrapTransport`. */
  readonly transport: Transport;
  /** In the order the calls began. Holds credentials. */
  readonly calls: () => readonly RecordedCall[];
  /** Whether there was more than may be kept; what came after that is missing. */
  readonly isIncomplete: () => boolean;
}

/** How the calls of a transport are recorded. */
export interface RecordTransportOptions {
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Bytes of all bodies together that are kept. Default: 128 MiB. */
  readonly maxBytes?: number | undefined;
}

const SHAPES: OptionShapes<RecordTransportOptions> = {
  clock: objectWithFunctions(['now']),
  maxBytes: wholeNumber(0),
};

const MAX_BYTES = 128 * 1024 * 1024;

/**
 * A transport that keeps every exchange another one makes: answers of any status, each hop of a redirect, and what the
 * network failed with. Nothing is changed for whoever calls it.
 *
 * @param transport makes the exchanges
 * @example
 * const recording = recordTransport(transport);
 * const engine = createEngine({ app, transport: recording.transport });
 */
export function recordTransport(transport: Transport, options: RecordTransportOptions = {}): Recording {
  checkOptions(options, SHAPES, 'The options of recordTransport');
  const { clock = SYSTEM_CLOCK, maxBytes = MAX_BYTES } = options;
  const calls: (RecordedCall | undefined)[] = [];
  let bytes = 0;
  let isIncomplete = false;
  const keep = (index: number, call: RecordedCall): void => {
    bytes += (call.request.body?.byteLength ?? 0) + (call.response?.body.byteLength ?? 0);
    if (bytes > maxBytes) isIncomplete = true;
    else calls[index] = call;
  };
  return {
    transport: async (request) => {
      const index = calls.push(undefined) - 1;
      const startedAtMs = clock.now();
      const begin = { request: copyRequest(request), startedAtMs };
      try {
        const response = await transport(request);
        const durationMs = clock.now() - startedAtMs;
        keep(index, {
          ...begin,
          durationMs,
          response: await decoded(response, request),
          error: undefined,
        });
        return response;
      } catch (thrown) {
        const error = thrown instanceof TransportError && !request.signal.aborted ? thrown : undefined;
        keep(index, {
          ...begin,
          durationMs: clock.now() - startedAtMs,
          response: undefined,
          error,
        });
        throw thrown;
      }
    },
    calls: () => calls.filter((call) => call !== undefined),
    isIncomplete: () => isIncomplete,
  };
}

function copyRequest({ method, url, headers, body }: TransportRequest): RecordedRequest {
  return { method, url, headers, body };
}

/** A body that is not encoded as it says is kept as it came, so that it fails again when it is played. */
async function decoded(response: TransportResponse, request: TransportRequest): Promise<RecordedResponse> {
  try {
    const { status, headers, body } = await decodeContent(response, request.signal);
    return { status, headers, body };
  } catch {
    return { status: response.status, headers: response.headers, body: response.body };
  }
}
