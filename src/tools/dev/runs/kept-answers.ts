import type { Transport, TransportRequest, TransportResponse } from '../../../engine/http/transport.js';
import { TransportError } from '../../../shared/errors/engine-error.js';

interface RecordedExchange {
  readonly key: string;
  readonly response: TransportResponse;
}

/** The responses of a run, with secrets; kept in memory only. */
export interface KeptAnswers {
  readonly exchanges: readonly RecordedExchange[];
  /** Number of finished exchanges before the first request of a page, by page number. */
  readonly pageStarts: ReadonlyMap<number, number>;
  /** Whether all responses are stored; large runs exceed the limit. */
  readonly isWhole: boolean;
}

/** Records the exchanges of a transport. */
export interface AnswerRecorder {
  readonly wrap: (transport: Transport) => Transport;
  /** Marks the start of a page. */
  readonly beginPage: (page: number) => void;
  readonly recording: () => KeptAnswers;
}

/** Maximum size of stored responses per run. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Creates an empty recorder. */
export function createAnswerRecorder(): AnswerRecorder {
  const exchanges: RecordedExchange[] = [];
  const pageStarts = new Map<number, number>();
  let bytes = 0;
  return {
    wrap: (transport) => async (request) => {
      const response = await transport(request);
      bytes += response.body.byteLength;
      if (bytes <= MAX_BYTES) exchanges.push({ key: writeKey(request), response });
      return response;
    },
    beginPage: (page) => {
      if (!pageStarts.has(page)) pageStarts.set(page, exchanges.length);
    },
    recording: () => ({ exchanges: [...exchanges], pageStarts, isWhole: bytes <= MAX_BYTES }),
  };
}

/** Responds with recorded responses. */
export interface Player {
  readonly wrap: (transport: Transport) => Transport;
  /** Whether a request had no recorded response. */
  readonly hasMissed: () => boolean;
}

/** @param fromPage page from which requests are sent; undefined for never */
export function createPlayer(recording: KeptAnswers, fromPage: number | undefined): Player {
  const end = fromPage === undefined ? recording.exchanges.length : (recording.pageStarts.get(fromPage) ?? 0);
  const left = recording.exchanges.slice(0, end);
  let missed = false;
  return {
    wrap: (transport) => async (request) => {
      const at = left.findIndex(({ key }) => key === writeKey(request));
      const [found] = at === -1 ? [] : left.splice(at, 1);
      if (found !== undefined) return found.response;
      if (fromPage !== undefined) return transport(request);
      missed = true;
      throw new TransportError(
        'NETWORK_FAILED',
        'The recorded run did not send this request, so it has no response.',
      );
    },
    hasMissed: () => missed,
  };
}

/** The identity of a request without its credentials, which may differ. */
export function writeKey({ method, url, body }: TransportRequest): string {
  return `${method} ${url}\n${body === undefined ? '' : Buffer.from(body).toString('latin1')}`;
}
