import type { Place } from '../../errors/place.js';
import type { HeaderEntry, ResponseHeaders } from '../../http/message/transport.js';

/** Why a request asked for no further page. */
export type StopReason =
  | 'no-pagination'
  | 'response-limit'
  | 'empty-page'
  | 'trigger'
  | 'condition'
  | 'no-next-url'
  | 'page-loop'
  | 'max-pages'
  | 'max-requests'
  | 'max-records';

interface EventPosition {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** 0-based index of the request in its chain. */
  readonly requestIndex: number;
  /** 1 for the first request, 2 for the first follow-up page. */
  readonly page: number;
}

/** What happened in a run, in order. Values in it are sanitized: no secret that is known or named as one. */
export type TraceEvent = EventPosition &
  (
    | { readonly kind: 'skipped'; readonly place: Place }
    | {
        readonly kind: 'request';
        readonly method: string;
        readonly url: string;
        readonly headers: readonly HeaderEntry[];
        /** Only with `trace: 'full'`. */
        readonly body?: unknown;
        /** Bytes of the body. */
        readonly size: number;
        readonly place: Place;
      }
    | {
        readonly kind: 'response';
        readonly status: number;
        readonly headers: ResponseHeaders;
        /** Only with `trace: 'full'`. */
        readonly body?: unknown;
        /** Bytes of the body as decoded. */
        readonly size: number;
        readonly durationMs: number;
      }
    | { readonly kind: 'wait'; readonly delayMs: number }
    | {
        readonly kind: 'missing';
        readonly expression: string;
        readonly reason: 'text' | 'path';
        readonly place: Place;
      }
    | { readonly kind: 'stop'; readonly reason: StopReason }
    /** A custom function called `debug(...)`. */
    | {
        readonly kind: 'debug';
        readonly function: string;
        readonly values: readonly unknown[];
        readonly place: Place;
      }
    | { readonly kind: 'warning'; readonly warning: RunWarning }
    /** A call of a webhook could not be processed: at what step, and where in the app if it is the app's doing. */
    | {
        readonly kind: 'failed';
        readonly phase: string;
        readonly message: string;
        readonly place: Place | undefined;
      }
  );

/** Something the author should know about a run that did not fail. */
export interface RunWarning {
  readonly code:
    | 'limit-reached'
    | 'page-loop'
    | 'header-ignored'
    | 'repeat-limit'
    | 'function'
    | 'directive-ignored'
    | 'open-host'
    | 'other-host'
    | 'qs-collection'
    | 'error-directive'
    | 'endpoint-connection'
    | 'trigger-state'
    | 'trigger-key'
    | 'trigger-incomplete'
    | 'epoch-label';
  readonly message: string;
  readonly place: Place | undefined;
}

/** Gets each event of a run as it happens, secrets removed. It is called synchronously, in order. */
export type TraceListener = (event: TraceEvent) => void;

/** An event without its position, which the run adds. */
export type TraceDetail = TraceEvent extends infer E
  ? E extends EventPosition
    ? Omit<E, keyof EventPosition>
    : never
  : never;
