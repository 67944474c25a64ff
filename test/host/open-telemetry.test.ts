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
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createEngineReceiver,
  createHost,
  createHostTracing,
  createScenarioFlows,
  type Host,
  openHostSqlite,
} from '../../src/host/index.js';
import { createEngine, defineApp } from '../../src/index.js';
import { eventually } from './open-parts.js';
import { plan } from './test-flows.js';

/** A span recorded by the test tracer. */
interface Recorded {
  readonly name: string;
  readonly options: SpanOptions;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  attributes: Attributes;
  status: SpanStatus | undefined;
  isOver: boolean;
}

let spans: Recorded[];

const hex = (n: number, length: number): string => n.toString(16).padStart(length, '0');

function startSpan(name: string, options: SpanOptions = {}, parent: Context = context.active()): Span {
  const above = trace.getSpanContext(parent);
  const number = spans.length + 1;
  const recorded: Recorded = {
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

beforeEach(() => {
  spans = [];
  context.setGlobalContextManager(createContextManager());
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as Partial<Tracer> as Tracer });
});

afterEach(() => {
  context.disable();
  trace.disable();
});

const APP = defineApp({
  name: 'crm',
  webhooks: { contacts: { communication: { output: '{{body}}' } } },
  modules: {
    refuse: {
      type: 'action',
      communication: {
        response: { valid: false, error: { message: 'no {{parameters.n}}', type: 'DataError' } },
      },
      mappableParams: [{ name: 'n', type: 'number' }],
    },
    answer: { type: 'responder', communication: { response: { status: 201, body: 'yes' } } },
  },
});

async function open(module: 'refuse' | 'answer'): Promise<{ host: Host; path: string }> {
  const tracing = await createHostTracing();
  const engines = { crm: createEngine({ app: APP }) };
  const host = createHost({
    store: await openHostSqlite({ file: ':memory:' }),
    receiver: createEngineReceiver({ engines }),
    tracing,
    flows: createScenarioFlows({ engines, tracing }),
  });
  onTestFinished(() => host.stop(100));
  const hook = await host.putHook({ name: 'h', app: 'crm', webhook: 'contacts', kind: 'dedicated' });
  const step = { id: 2, app: 'crm', module, parameters: module === 'refuse' ? { n: '{{1.n}}' } : {} };
  const flow = { startsWithWebhook: true, steps: [step] };
  const answers = module === 'answer';
  await host.scenarios.put({ name: 's', plan: { ...plan({ answers }), flow }, hookId: hook.id });
  await host.start();
  return { host, path: hook.path };
}

const SENDER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function call(host: Host, path: string, traceparent = SENDER): Promise<Response> {
  const headers = { 'content-type': 'application/json', traceparent };
  return host.fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body: '{"n":7}' }));
}

const linked = ({ options }: Recorded): unknown => options.links?.map((link) => link.context.spanId);

describe('a host with a tracer', () => {
  it('creates a span for a call, one for its run in a separate trace, and one for each module', async () => {
    const { host, path } = await open('refuse');
    expect((await call(host, path)).status).toBe(200);
    await eventually(() => spans.length === 3 && spans.every(({ isOver }) => isOver));
    const [received, run, module] = spans as [Recorded, Recorded, Recorded];
    expect(spans.map(({ name }) => name)).toEqual(['iml call', 'iml run', 'iml module']);
    expect(received).toMatchObject({ parentId: undefined, status: undefined });
    expect(received.attributes).toMatchObject({
      'iml.hook': 'h',
      'iml.event_ids': '1',
      'http.response.status_code': 200,
    });
    expect([linked(received), linked(run)]).toEqual([['b7ad6b7169203331'], [received.spanId]]);
    expect(run).toMatchObject({ parentId: undefined, status: { code: 2, message: 'no 7' } });
    expect(run.traceId).not.toBe(received.traceId);
    expect(run.attributes).toMatchObject({
      'iml.scenario': 's',
      'iml.event_id': 1,
      'iml.outcome': 'error',
      'iml.call_id': received.attributes['iml.call_id'],
    });
    expect(module).toMatchObject({ parentId: run.spanId, traceId: run.traceId, status: { code: 2 } });
    expect(module.attributes).toEqual({ 'iml.app': 'crm', 'iml.module': 'refuse', 'iml.step_id': 2 });
    // The path is the secret of the hook.
    expect(JSON.stringify(spans)).not.toContain(path.split('/').at(-1));
  });

  it('creates the span of a run within the call that waits for its response', async () => {
    const { host, path } = await open('answer');
    expect((await call(host, path, 'none of these')).status).toBe(201);
    await eventually(() => spans.length === 3 && spans.every(({ isOver }) => isOver));
    const [received, run, module] = spans as [Recorded, Recorded, Recorded];
    expect([run.parentId, module.parentId, linked(received)]).toEqual([received.spanId, run.spanId, []]);
  });

  it('records a refusal, and a failure without its message', async () => {
    const { host } = await open('answer');
    expect((await call(host, '/hooks/nobody')).status).toBe(404);
    expect(spans[0]?.attributes).toMatchObject({ 'iml.refused': 'unknown-address' });
    const tracing = await createHostTracing();
    const failing = tracing.inSpan({ name: 'n', kind: 'internal', attributes: { a: undefined } }, () =>
      Promise.reject(new TypeError('secret')),
    );
    await expect(failing).rejects.toThrow('secret');
    expect(spans[1]).toMatchObject({
      attributes: {},
      isOver: true,
      status: { code: 2, message: 'TypeError' },
    });
  });

  it('records nothing after the tracer is removed', async () => {
    const { host, path } = await open('refuse');
    trace.disable();
    expect((await call(host, path)).status).toBe(200);
    await eventually(async () => (await host.health()).events.dead === 1);
    expect(spans).toEqual([]);
    expect(Reflect.get(Object((await host.events.get(1)).request), 'traceparent')).toBeUndefined();
  });
});
