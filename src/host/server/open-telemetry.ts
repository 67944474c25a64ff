import type { Attributes, Link, Span, SpanContext } from '@opentelemetry/api';
import { type HostSpan, type HostTracing, NO_TRACING, type SpanAttributes } from '../ports/tracing.js';

type Api = typeof import('@opentelemetry/api');

/**
 * Spans of a host through the tracer that OpenTelemetry was given: `iml call` for each call of a webhook, `iml run` for
 * each run of a scenario, `iml module` for each module of it, in which instrumentations of HTTP and databases put theirs.
 * A run is linked to the call its event came with, a call to the trace its sender says it is part of. No address of a
 * hook, no payload and no parameter is in them.
 *
 * Where the package "@opentelemetry/api" is not installed, or no tracer was given to it, nothing is traced.
 *
 * @example
 * const tracing = await createHostTracing();
 * const host = createHost({ store, receiver, flows: createScenarioFlows({ engines, tracing }), tracing });
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
      // Asked for each time: a tracer may be given later than a host is made.
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
        // What it says may hold anything; what kind of error it is does not.
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

/** Source: https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function printTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
