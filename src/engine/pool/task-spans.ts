/** Spans of a task: its worker starts and ends them, the main thread, which has the tracer, records them. */

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import {
  NO_SPAN,
  type SpanAttributes,
  type SpanInput,
  type TraceSpan,
  type Tracing,
} from '../../shared/tracing.js';
import type { PoolCalls, WorkerContext } from './messages.js';

/** The functions of the main thread for the spans of one task, called in its worker. */
export function createTaskSpans(tracing: Tracing): { readonly calls: PoolCalls; readonly end: () => void } {
  const open = new Map<number, TraceSpan>();
  // Calls of a worker arrive outside the async context of the caller.
  const startOuter = AsyncResource.bind((input: SpanInput) => tracing.startSpan(input));
  const end = (id: number, attributes: SpanAttributes, failure: string | undefined): void => {
    const span = open.get(id);
    open.delete(id);
    span?.set(attributes);
    if (failure !== undefined) span?.fail(failure);
    span?.end();
  };
  return {
    calls: {
      'span.start': (id: number, parent: number | undefined, input: SpanInput) => {
        const above = parent === undefined ? undefined : open.get(parent);
        const span = above?.within(() => tracing.startSpan(input)) ?? startOuter(input);
        open.set(id, span);
        return span.traceparent();
      },
      'span.end': end,
    },
    end: () => {
      for (const id of [...open.keys()].reverse()) end(id, {}, 'WORKER_TERMINATED');
    },
  };
}

interface TracedTask {
  readonly call: WorkerContext['call'];
  /** The active span. */
  readonly span: number | undefined;
  /** Messages about ends of spans. */
  readonly ends: Promise<unknown>[];
}

const running = new AsyncLocalStorage<TracedTask>();

/** Runs a task of a worker. Its spans have ended when it resolves. */
export async function withTaskSpans<T>({ call }: WorkerContext, work: () => T | Promise<T>): Promise<T> {
  const ends: Promise<unknown>[] = [];
  try {
    return await running.run({ call, span: undefined, ends }, work);
  } finally {
    await Promise.all(ends);
  }
}

let lastSpan = 0;

/** Tracing for engines and flows in a worker. */
export const TASK_TRACING: Tracing = {
  startSpan: (input) => {
    const task = running.getStore();
    if (task === undefined) return NO_SPAN;
    const id = ++lastSpan;
    const started = task.call('span.start', id, task.span, input).catch(() => undefined);
    let attributes: SpanAttributes = {};
    let failure: string | undefined;
    return {
      traceparent: () => started as Promise<string | undefined>,
      set: (more) => {
        attributes = { ...attributes, ...more };
      },
      fail: (message) => {
        failure = message;
      },
      within: (work) => running.run({ ...task, span: id }, work),
      end: () => void task.ends.push(task.call('span.end', id, attributes, failure).catch(() => {})),
    };
  },
};
