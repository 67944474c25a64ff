import type { Attributes, Link, SpanContext } from '@opentelemetry/api';
import { NO_TRACING, type SpanAttributes, type Tracing } from './tracing.js';

type Api = typeof import('@opentelemetry/api');

/**
 * Creates spans with the registered OpenTelemetry tracer.
 *
 * - An engine and a pool: `iml run` per run, `iml page` per page, `iml request` per request.
 * - `runFlow`: `iml flow` per run.
 * - A host: `iml call` per webhook call, `iml run` per run, `iml module` per module. A run links to the call of its event,
 *   a call to the trace of its sender.
 *
 * Spans of HTTP and database instrumentations are children of these. Spans contain no query, payload or parameter.
 * Traces nothing if "@opentelemetry/api" is not installed or has no tracer.
 *
 * @example const engine = createEngine({ app, tracing: await createTracing() });
 */
export async function createTracing(): Promise<Tracing> {
  try {
    // webpack takes a package for optional only if its import is in a `try`.
    return traceThrough(await import('@opentelemetry/api'));
  } catch {
    return NO_TRACING;
  }
}

function traceThrough({
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
}: Api): Tracing {
  const kinds = {
    server: SpanKind.SERVER,
    consumer: SpanKind.CONSUMER,
    client: SpanKind.CLIENT,
    internal: SpanKind.INTERNAL,
  } as const;
  const linksOf = (traceparent: string | undefined): Link[] => {
    const parsed = parseTraceparent(traceparent);
    return parsed !== undefined && isSpanContextValid(parsed) ? [{ context: parsed }] : [];
  };
  return {
    startSpan: ({ name, kind, attributes, isRoot = false, linkedTo }) => {
      const parent = isRoot ? ROOT_CONTEXT : context.active();
      const options = { kind: kinds[kind], attributes: definedOf(attributes), links: linksOf(linkedTo) };
      // Looked up on each use, because the tracer may be registered later.
      const span = trace.getTracer('iml-runtime').startSpan(name, options, parent);
      const own = span.spanContext();
      return {
        traceparent: async () => (isSpanContextValid(own) ? printTraceparent(own) : undefined),
        set: (more) => void span.setAttributes(definedOf(more)),
        fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
        within: (work) => context.with(trace.setSpan(parent, span), work),
        end: () => span.end(),
      };
    },
  };
}

function definedOf(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** Source: https://www.w3.org/TR/trace-context/#traceparent-header. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function printTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
