import { decodeContent } from '../../../engine/http/content-decoding.js';
import type {
  HeaderEntry,
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../engine/http/transport.js';
import { type Clock, SYSTEM_CLOCK } from '../../../shared/clock.js';
import {
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  wholeNumber,
} from '../../../shared/errors/check-options.js';
import { TransportError } from '../../../shared/errors/engine-error.js';

/** A request and its response as sent, with secrets. Do not write it to disk. */
export interface RecordedCall {
  readonly request: RecordedRequest;
  /** The response, with its body decoded. Undefined without a response. */
  readonly response: RecordedResponse | undefined;
  /** The network error; also undefined for an aborted request. */
  readonly error: TransportError | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** A request as sent. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array | undefined;
}

/** A response as received. */
export type RecordedResponse = Pick<TransportResponse, 'status' | 'headers' | 'body'>;

/** A running recording. */
export interface Recording {
  /** The recording transport; see `http.transport` and `http.wrap` of `createEngine`. */
  readonly transport: Transport;
  /** In order of their start. Contains credentials. */
  readonly calls: () => readonly RecordedCall[];
  /** Whether calls are missing because of the size limit. */
  readonly isIncomplete: () => boolean;
}

/** Options of `recordTransport`. */
export interface RecordTransportOptions {
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Maximum size of all bodies in bytes. Default: 128 MiB. */
  readonly maxBytes?: number | undefined;
}

const SHAPES: OptionShapes<RecordTransportOptions> = {
  clock: objectWithFunctions(['now']),
  maxBytes: wholeNumber(0),
};

const MAX_BYTES = 128 * 1024 * 1024;

/**
 * A transport that keeps every exchange another one makes: answers of any status, each hop of a redirect, and what the
 * network failed with. The caller gets the same result.
 *
 * @param transport makes the exchanges
 * @example
 * const recording = recordTransport(transport);
 * const engine = createEngine({ app, http: { transport: recording.transport } });
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

/** A body with a wrong encoding is kept unchanged, so that it fails again. */
async function decoded(response: TransportResponse, request: TransportRequest): Promise<RecordedResponse> {
  try {
    const { status, headers, body } = await decodeContent(response, request.signal);
    return { status, headers, body };
  } catch {
    return { status: response.status, headers: response.headers, body: response.body };
  }
}
