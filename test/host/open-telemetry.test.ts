import { trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createEngineReceiver,
  createHost,
  createScenarioFlows,
  type Host,
  openHostSqlite,
} from '../../src/host/index.js';
import { createEngine, createTracing, defineApp } from '../../src/index.js';
import { inSpan } from '../../src/shared/tracing.js';
import { forgetSpans, type RecordedSpan, recordSpans } from '../record-spans.js';
import { eventually } from './open-parts.js';
import { plan } from './test-flows.js';

let spans: readonly RecordedSpan[];

beforeEach(() => {
  spans = recordSpans();
});

afterEach(forgetSpans);

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
  const tracing = await createTracing();
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

const linked = ({ options }: RecordedSpan): unknown => options.links?.map((link) => link.context.spanId);

describe('a host with a tracer', () => {
  it('creates a span for a call, one for its run in a separate trace, and one for each module', async () => {
    const { host, path } = await open('refuse');
    expect((await call(host, path)).status).toBe(200);
    await eventually(() => spans.length === 3 && spans.every(({ isOver }) => isOver));
    const [received, run, module] = spans as [RecordedSpan, RecordedSpan, RecordedSpan];
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
    const [received, run, module] = spans as [RecordedSpan, RecordedSpan, RecordedSpan];
    expect([run.parentId, module.parentId, linked(received)]).toEqual([received.spanId, run.spanId, []]);
  });

  it('records a refusal, and a failure without its message', async () => {
    const { host } = await open('answer');
    expect((await call(host, '/hooks/nobody')).status).toBe(404);
    expect(spans[0]?.attributes).toMatchObject({ 'iml.refused': 'unknown-address' });
    const tracing = await createTracing();
    const failing = inSpan(tracing, { name: 'n', kind: 'internal', attributes: { a: undefined } }, () =>
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
