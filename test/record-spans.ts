import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** A span recorded by the test tracer. */
export interface RecordedSpan {
  readonly name: string;
  readonly options: SpanOptions;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  attributes: Attributes;
  status: SpanStatus | undefined;
  isOver: boolean;
}

let spans: RecordedSpan[] = [];

const hex = (n: number, length: number): string => n.toString(16).padStart(length, '0');

function startSpan(name: string, options: SpanOptions = {}, parent: Context = context.active()): Span {
  const above = trace.getSpanContext(parent);
  const number = spans.length + 1;
  const recorded: RecordedSpan = {
    name,
    options,
    traceId: above?.traceId ?? hex(number, 32),
    spanId: hex(number, 16),
    parentId: above?.spanId,
    attributes: { ...options.attributes },
    status: undefined,
    isOver: false,
  };
  spans.push(recorded);
  const span = {
    spanContext: () => ({ traceId: recorded.traceId, spanId: recorded.spanId, traceFlags: 1 }),
    setAttributes: (attributes: Attributes) => {
      Object.assign(recorded.attributes, attributes);
      return span;
    },
    setStatus: (status: SpanStatus) => {
      recorded.status = status;
      return span;
    },
    end: () => {
      recorded.isOver = true;
    },
  };
  // Only the used part of a span.
  return span as unknown as Span;
}

/** Same as the package "@opentelemetry/context-async-hooks". */
function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (given, work, self, ...args) => storage.run(given, () => work.call(self as never, ...args)),
    bind: (_given, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

/** Registers a tracer that records spans in the returned list. */
export function recordSpans(): readonly RecordedSpan[] {
  spans = [];
  context.setGlobalContextManager(createContextManager());
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as Partial<Tracer> as Tracer });
  return spans;
}

/** Removes the tracer. */
export function forgetSpans(): void {
  context.disable();
  trace.disable();
}
