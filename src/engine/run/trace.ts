import type { SourceLocation } from '../../shared/errors/source-location.js';
import type { HeaderEntry, ResponseHeaders } from '../http/transport.js';

/** Why a request waits: an option of the embedder, or a header of the API. */
export type BudgetReason = 'in-flight' | 'calls' | 'retry-after' | 'rate-limit';

/** Why pagination ended. `pagination-condition`: `pagination.condition` was false for the next page. */
export type StopReason =
  | 'no-pagination'
  | 'response-limit'
  | 'empty-page'
  | 'trigger'
  | 'pagination-condition'
  | 'no-next-url'
  | 'page-loop'
  | 'max-pages'
  | 'max-requests'
  | 'max-records';

/** Time and position of an event. */
export interface EventPosition {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Index of the request in its chain: 0 for the first request. */
  readonly requestIndex: number;
  /** Number of the page, counted like `pagination.page`: 1 for the first page, 2 for the first follow-up page. */
  readonly page: number;
  /** Name of the running endpoint; absent for the component itself. */
  readonly endpoint?: string;
}

/** Used limits of a run, including its endpoints. */
export interface UsedLimits {
  readonly requests: number;
  /** Pages after the first page of each request. */
  readonly followUpPages: number;
  /** Records of the request under way. */
  readonly records: number;
  readonly elapsedMs: number;
}

/** An event of a run. Values are redacted. */
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
    /** A wait of `repeat` before the same request. */
    | {
        readonly kind: 'wait';
        readonly delayMs: number;
        readonly reason: 'repeat';
        /** How often the request was repeated before. */
        readonly repeats: number;
        readonly place: SourceLocation | undefined;
      }
    /** A wait because the budget of an API is exhausted. See docs/limits.md (Rate limits). */
    | {
        readonly kind: 'wait';
        readonly reason: 'budget';
        /** Undefined if another request must end first. */
        readonly delayMs: number | undefined;
        readonly because: BudgetReason;
        /** Origin of the API: `https://api.example.com`. */
        readonly origin: string;
        /** Calls at a time, or of a window; undefined where that is not known. */
        readonly limit: number | undefined;
      }
    /**
     * Only with `trace: 'deep'`: the variables of expressions, before a request is evaluated (`request`), also if it
     * is skipped or repeated, and after its response (`response`).
     */
    | {
        readonly kind: 'scope';
        readonly phase: 'request' | 'response';
        /** Identifies the variables of the component (0) or of an endpoint call. */
        readonly scope: number;
        /** Variables that changed since the previous event of this scope. */
        readonly names: Readonly<Record<string, unknown>>;
        /** Variables that were removed. */
        readonly unset: readonly string[];
      }
    /** Only with `trace: 'deep'`: the results of one response. */
    | {
        readonly kind: 'page';
        /** Whether `iterate` was applied. */
        readonly isIterated: boolean;
        /** Number of evaluated items. */
        readonly looked: number;
        /** Whether items were dropped because of a limit. */
        readonly isCut: boolean;
        /** Results of `output`. */
        readonly outputs: readonly unknown[];
      }
    | {
        readonly kind: 'missing';
        readonly expression: string;
        readonly reason: 'text' | 'path';
        readonly place: SourceLocation;
      }
    | { readonly kind: 'stop'; readonly reason: StopReason; readonly used: UsedLimits }
    /** A custom function called `debug(...)` or a method of `console`. */
    | {
        readonly kind: 'debug';
        readonly function: string;
        readonly values: readonly unknown[];
        readonly place: SourceLocation;
      }
    | { readonly kind: 'warning'; readonly warning: RunWarning }
    /** A webhook call failed: the step, and the location in the app if the app caused it. */
    | {
        readonly kind: 'failed';
        readonly phase: string;
        readonly message: string;
        readonly place: SourceLocation | undefined;
      }
  );

/** Content of a trace: sizes, bodies, or also variables and page results. */
export type TraceDepth = 'summary' | 'full' | 'deep';

/** A warning of a run. */
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
    | 'timeout'
    | 'trigger-state'
    | 'unread-response'
    | 'trigger-key'
    | 'trigger-incomplete'
    | 'epoch-label'
    | 'many-secrets';
  readonly message: string;
  readonly place: SourceLocation | undefined;
}

/** The run of an event. */
export interface TracedRun {
  /** A UUID. */
  readonly id: string;
  /** Kind and name, such as `module:listContacts`; undefined for a run that prepares another. */
  readonly component: string | undefined;
}

/** Receives each redacted event of a run, synchronously and in order. */
export type TraceListener = (event: TraceEvent, run: TracedRun) => void;

/** A `TraceEvent` as its source emits it. The run adds the members of `EventPosition`. */
export type TraceDetail = TraceEvent extends infer E
  ? E extends EventPosition
    ? Omit<E, keyof EventPosition>
    : never
  : never;
