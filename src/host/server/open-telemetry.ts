import type { Attributes, Link, Span, SpanContext } from '@opentelemetry/api';
import { type HostSpan, type HostTracing, NO_TRACING, type SpanAttributes } from '../observer.js';

type Api = typeof import('@opentelemetry/api');

/**
 * Creates spans with the registered OpenTelemetry tracer: `iml call` per webhook call, `iml run` per run, `iml
 * module` per module. Spans of HTTP and database instrumentations are children of `iml module`. A run links to the
 * call of its event, a call to the trace of its sender. Spans contain no hook URL, payload or parameter.  Traces
 * nothing if "@opentelemetry/api" is not installed or has no tracer.
 *
 * @example const tracing = await createHostTracing(); const host = createHost({ store, receiver, flows:
 * createScenarioFlows({ engines, tracing }), tracing });
 */
export async function createHostTracing(): Promise<HostTracing> {
  const api = await import('@opentelemetry/api').catch(() => undefined);
  return api === undefined ? NO_TRACING : traceThrough(api);
}

function traceThrough({
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
}: Api): HostTracing {
  const kinds = {
    server: SpanKind.SERVER,
    consumer: SpanKind.CONSUMER,
    internal: SpanKind.INTERNAL,
  } as const;
  const linksOf = (traceparent: string | undefined): Link[] => {
    const parsed = parseTraceparent(traceparent);
    return parsed !== undefined && isSpanContextValid(parsed) ? [{ context: parsed }] : [];
  };
  const show = (span: Span): HostSpan => ({
    traceparent: isSpanContextValid(span.spanContext()) ? printTraceparent(span.spanContext()) : undefined,
    set: (attributes) => void span.setAttributes(definedOf(attributes)),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
  });
  return {
    inSpan: async ({ name, kind, attributes, isRoot = false, linkedTo }, work) => {
      const parent = isRoot ? ROOT_CONTEXT : context.active();
      // Looked up on each use, because the tracer may be registered after the host is created.
      const span = trace
        .getTracer('iml-runtime')
        .startSpan(
          name,
          { kind: kinds[kind], attributes: definedOf(attributes), links: linksOf(linkedTo) },
          parent,
        );
      try {
        return await context.with(trace.setSpan(parent, span), () => work(show(span)));
      } catch (error) {
        // The message may contain any data; the error name does not.
        span.setStatus({
          code: SpanStatusCode.ERROR,
          message: error instanceof Error ? error.name : 'Error',
        });
        throw error;
      } finally {
        span.end();
      }
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
