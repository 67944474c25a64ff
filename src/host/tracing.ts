/** Attributes of a span. Undefined ones are omitted. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** Input of `inSpan`. */
export interface SpanInput {
  /** Low cardinality: `iml run`, never a name or an id. */
  readonly name: string;
  /** `server`: responds to a request; `consumer`: processes stored work; `internal`: part of another span. */
  readonly kind: 'server' | 'consumer' | 'internal';
  readonly attributes: SpanAttributes;
  /** Whether the span starts a new trace. Default: false. */
  readonly isRoot?: boolean | undefined;
  /** A `traceparent` to link. It may come from an untrusted sender or a finished trace. */
  readonly linkedTo?: string | undefined;
}

/** An open span. */
export interface HostSpan {
  /** In the format of W3C Trace Context; undefined without tracing. Source: https://www.w3.org/TR/trace-context/ */
  readonly traceparent: string | undefined;
  readonly set: (attributes: SpanAttributes) => void;
  /** Marks the span as failed. The text must be redacted. */
  readonly fail: (message: string) => void;
}

/** Creates spans for calls, runs and modules. `createHostTracing()` uses OpenTelemetry. */
export interface HostTracing {
  /** Runs work in a span that ends with it. Spans started by the work are its children. */
  readonly inSpan: <R>(wanted: SpanInput, work: (span: HostSpan) => Promise<R>) => Promise<R>;
}

const NO_SPAN: HostSpan = Object.freeze({ traceparent: undefined, set: () => {}, fail: () => {} });

/** Tracing that does nothing. */
export const NO_TRACING: HostTracing = Object.freeze({
  inSpan: <R>(_wanted: SpanInput, work: (span: HostSpan) => Promise<R>) => work(NO_SPAN),
});
