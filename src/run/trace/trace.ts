import type { SourceLocation } from '../../errors/source-location.js';
import type { HeaderEntry, ResponseHeaders } from '../../http/message/transport.js';
import type { BudgetReason } from '../limits/call-budget.js';

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

/** When and where in a run something happened. */
export interface EventPosition {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** 0-based index of the request in its chain. */
  readonly requestIndex: number;
  /** 1 for the first request, 2 for the first follow-up page. */
  readonly page: number;
  /** Name of the endpoint of the app at work; absent while the component itself is. */
  readonly endpoint?: string;
}

/** What a run has used of its limits, endpoints included. */
export interface UsedLimits {
  readonly requests: number;
  /** Follow-up pages. */
  readonly pages: number;
  /** Records of the request under way. */
  readonly records: number;
  readonly elapsedMs: number;
}

/** What happened in a run, in order. Values in it are sanitized: no secret that is known or named as one. */
export type TraceEvent = EventPosition &
  (
    | { readonly kind: 'skipped'; readonly place: SourceLocation }
    | {
        readonly kind: 'request';
        readonly method: string;
        readonly url: string;
        readonly headers: readonly HeaderEntry[];
        /** Not with `trace: 'summary'`. */
        readonly body?: unknown;
        /** Bytes of the body. */
        readonly size: number;
        readonly place: SourceLocation;
      }
    | {
        readonly kind: 'response';
        readonly status: number;
        readonly headers: ResponseHeaders;
        /** Not with `trace: 'summary'`. */
        readonly body?: unknown;
        /** Bytes of the body as decoded. */
        readonly size: number;
        readonly durationMs: number;
      }
    /** Nothing is sent for a while: `repeat` asks for the same again. */
    | {
        readonly kind: 'wait';
        readonly delayMs: number;
        readonly reason: 'repeat';
        /** How often the request was repeated before. */
        readonly repeats: number;
        readonly place: SourceLocation | undefined;
      }
    /** Nothing is sent for a while: the budget of a service is used up. See docs/limits.md (Budget). */
    | {
        readonly kind: 'wait';
        readonly reason: 'budget';
        /** Undefined where another call has to end first. */
        readonly delayMs: number | undefined;
        readonly because: BudgetReason;
        /** The service: `https://api.example.com`. */
        readonly origin: string;
        /** Calls at a time, or of a window; undefined where that is not known. */
        readonly limit: number | undefined;
      }
    /**
     * Only with `trace: 'deep'`: what expressions see from here on, before a request is evaluated (`request`), one that is
     * skipped or repeated too, and after its answer came (`response`).
     */
    | {
        readonly kind: 'scope';
        readonly phase: 'request' | 'response';
        /** Tells apart the names of the component and those of endpoints it calls; 0 is the component's. */
        readonly scope: number;
        /** Names whose value is another than at the event of this scope before. */
        readonly names: Readonly<Record<string, unknown>>;
        /** Names that have no value any more. */
        readonly unset: readonly string[];
      }
    /** Only with `trace: 'deep'`: what one response gave. */
    | {
        readonly kind: 'page';
        /** Whether `iterate` took the response apart. */
        readonly isIterated: boolean;
        /** Items that were looked at. */
        readonly looked: number;
        /** Whether items were left behind, as a limit was reached. */
        readonly isCut: boolean;
        /** What `output` made of them. */
        readonly outputs: readonly unknown[];
      }
    | {
        readonly kind: 'missing';
        readonly expression: string;
        readonly reason: 'text' | 'path';
        readonly place: SourceLocation;
      }
    | { readonly kind: 'stop'; readonly reason: StopReason; readonly used: UsedLimits }
    /** A custom function called `debug(...)`. */
    | {
        readonly kind: 'debug';
        readonly function: string;
        readonly values: readonly unknown[];
        readonly place: SourceLocation;
      }
    | { readonly kind: 'warning'; readonly warning: RunWarning }
    /** A call of a webhook could not be processed: at what step, and where in the app if it is the app's doing. */
    | {
        readonly kind: 'failed';
        readonly phase: string;
        readonly message: string;
        readonly place: SourceLocation | undefined;
      }
  );

/** What a trace holds: sizes only, bodies too, or what expressions saw and what pages gave as well. */
export type TraceDepth = 'summary' | 'full' | 'deep';

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
    | 'connection-uid'
    | 'trigger-state'
    | 'trigger-key'
    | 'trigger-incomplete'
    | 'epoch-label'
    | 'many-secrets';
  readonly message: string;
  readonly place: SourceLocation | undefined;
}

/** Gets each event of a run as it happens, secrets removed. It is called synchronously, in order. */
export type TraceListener = (event: TraceEvent) => void;

/** An event without its position, which the run adds. */
export type TraceDetail = TraceEvent extends infer E
  ? E extends EventPosition
    ? Omit<E, keyof EventPosition>
    : never
  : never;

/**
 * The events of a run, in order. Most traces are never read, and redacting an event takes as long as reading a small page:
 * an event is rendered for a listener, or when the events are read.
 */
export class TraceLog {
  readonly #listener: TraceListener | undefined;
  // Hard private: events that are not rendered yet hold secrets.
  readonly #events: (TraceEvent | (() => TraceEvent))[] = [];
  #rendered = 0;

  constructor(listener: TraceListener | undefined) {
    this.#listener = listener;
  }

  add(render: () => TraceEvent): void {
    if (this.#listener === undefined) {
      this.#events.push(render);
      return;
    }
    const event = render();
    this.#events.push(event);
    this.#listener(event);
  }

  get events(): readonly TraceEvent[] {
    for (; this.#rendered < this.#events.length; this.#rendered++) {
      const event = this.#events[this.#rendered];
      if (typeof event === 'function') this.#events[this.#rendered] = event();
    }
    return this.#events as TraceEvent[];
  }
}
