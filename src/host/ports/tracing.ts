/** What is known of a span; what is undefined is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** A span that is begun. */
export interface SpanWanted {
  /** Low in cardinality: `iml run`, never a name or an id. */
  readonly name: string;
  /** `server`: answers somebody; `consumer`: works on what was stored; `internal`: a part of another. */
  readonly kind: 'server' | 'consumer' | 'internal';
  readonly attributes: SpanAttributes;
  /** Whether it begins a trace, whatever is under way. Default: no. */
  readonly isRoot?: boolean | undefined;
  /** A `traceparent` of what led to it, which is linked: it may come from anybody, and be long over. */
  readonly linkedTo?: string | undefined;
}

/** A span that is under way. */
export interface HostSpan {
  /** As W3C Trace Context writes it; undefined where nobody traces. Source: https://www.w3.org/TR/trace-context/ */
  readonly traceparent: string | undefined;
  readonly set: (attributes: SpanAttributes) => void;
  /** Says that it failed. The text is free of secrets. */
  readonly fail: (message: string) => void;
}

/** Spans around calls, runs and modules: `createHostTracing()` is the one of OpenTelemetry. */
export interface HostTracing {
  /** Does work in a span, which ends with it, and in which what the work begins stands. */
  readonly inSpan: <R>(wanted: SpanWanted, work: (span: HostSpan) => Promise<R>) => Promise<R>;
}

const NO_SPAN: HostSpan = Object.freeze({ traceparent: undefined, set: () => {}, fail: () => {} });

/** Traces nothing. */
export const NO_TRACING: HostTracing = Object.freeze({
  inSpan: <R>(_wanted: SpanWanted, work: (span: HostSpan) => Promise<R>) => work(NO_SPAN),
});
