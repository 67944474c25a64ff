/** Attributes of a span. Undefined ones are omitted. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** Input of `startSpan`. */
export interface SpanInput {
  /** Low cardinality: `iml run`, never a name or an id. */
  readonly name: string;
  /**
   * `server`: responds to a request; `consumer`: processes stored work; `client`: sends a request; `internal`: part of
   * another span.
   */
  readonly kind: 'server' | 'consumer' | 'client' | 'internal';
  readonly attributes: SpanAttributes;
  /** Whether the span starts a new trace. Default: false. */
  readonly isRoot?: boolean | undefined;
  /** A `traceparent` to link. It may come from an untrusted sender or a finished trace. */
  readonly linkedTo?: string | undefined;
}

/** An open span. */
export interface TraceSpan {
  /** In the format of W3C Trace Context; undefined without tracing. Source: https://www.w3.org/TR/trace-context/. */
  readonly traceparent: () => Promise<string | undefined>;
  readonly set: (attributes: SpanAttributes) => void;
  /** Marks the span as failed. The text must be redacted. */
  readonly fail: (message: string) => void;
  /** Runs work with this span as the active one: spans that the work starts are its children. */
  readonly within: <R>(work: () => R) => R;
  readonly end: () => void;
}

/** Starts spans below the active one. `createTracing()` uses OpenTelemetry. */
export interface Tracing {
  readonly startSpan: (input: SpanInput) => TraceSpan;
}

/** A span that records nothing. */
export const NO_SPAN: TraceSpan = Object.freeze({
  traceparent: async () => undefined,
  set: () => {},
  fail: () => {},
  within: <R>(work: () => R) => work(),
  end: () => {},
});

/** Tracing that does nothing. */
export const NO_TRACING: Tracing = Object.freeze({ startSpan: () => NO_SPAN });

/** Marks a span as failed with the name of an error: its message may hold any data. */
export function failSpan(span: TraceSpan, thrown: unknown): void {
  span.fail(thrown instanceof Error ? thrown.name : 'Error');
}

/** Runs work in a span that ends with it. A rejection marks the span as failed. */
export async function inSpan<R>(
  tracing: Tracing,
  input: SpanInput,
  work: (span: TraceSpan) => Promise<R>,
): Promise<R> {
  const span = tracing.startSpan(input);
  try {
    return await span.within(() => work(span));
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}
