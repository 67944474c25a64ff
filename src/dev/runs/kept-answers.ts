import { TransportError } from '../../errors/engine-error.js';
import type { Transport, TransportRequest, TransportResponse } from '../../http/message/transport.js';

interface RecordedExchange {
  readonly key: string;
  readonly response: TransportResponse;
}

/** The answers of a run, kept in memory while the command runs: they hold what the service said, secrets too. */
export interface KeptAnswers {
  readonly exchanges: readonly RecordedExchange[];
  /** How many exchanges were over when a page was first asked for, by its number. */
  readonly pageStarts: ReadonlyMap<number, number>;
  /** Whether all answers are there: those of a very large run are not. */
  readonly isWhole: boolean;
}

/** Records what goes through a transport. */
export interface AnswerRecorder {
  readonly wrap: (transport: Transport) => Transport;
  /** A page is about to be asked for. */
  readonly beginPage: (page: number) => void;
  readonly recording: () => KeptAnswers;
}

/** Bytes of answers kept of one run. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A recorder that has heard nothing yet. */
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

/** Answers what was asked before as it was answered then. */
export interface Player {
  readonly wrap: (transport: Transport) => Transport;
  /** Whether something was asked that has no answer. */
  readonly hasMissed: () => boolean;
}

/** @param fromPage from this page on the service itself is asked; undefined for never */
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
        'This request was not made before, so there is no answer to it.',
      );
    },
    hasMissed: () => missed,
  };
}

/** What is asked; how it is authorized may differ from time to time. */
export function writeKey({ method, url, body }: TransportRequest): string {
  return `${method} ${url}\n${body === undefined ? '' : Buffer.from(body).toString('latin1')}`;
}
