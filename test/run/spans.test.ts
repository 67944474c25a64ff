import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  type AppDefinition,
  createEngine,
  createEnginePool,
  createTracing,
  defineApp,
  type Engine,
  type EngineOptions,
} from '../../src/index.js';
import { compileFlow, engineModule, runFlow } from '../../src/scenario/index.js';
import { buildWorkers } from '../pool/build-workers.js';
import { forgetSpans, type RecordedSpan, recordSpans } from '../record-spans.js';

const worker = (await buildWorkers())('pool-worker');

let spans: readonly RecordedSpan[];
let server: Server;
let requests: IncomingMessage[];
let base: string;

beforeEach(async () => {
  spans = recordSpans();
  requests = [];
  server = createServer((request, response) => {
    requests.push(request);
    const url = new URL(request.url ?? '', base);
    const page = Number(url.searchParams.get('page') ?? 1);
    if (url.pathname === '/moved') return response.writeHead(302, { location: '/items?page=2' }).end();
    const body = { state: requests.length > 1 ? 'ready' : 'running', items: page < 3 ? [{ id: page }] : [] };
    response.writeHead(url.pathname === '/lost' ? 404 : 200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => void server.close());
});

afterEach(forgetSpans);

function appAt(): AppDefinition {
  return {
    name: 'shop',
    base: { baseUrl: base },
    modules: {
      list: {
        type: 'search',
        communication: {
          url: '/items',
          qs: { token: 'secret' },
          pagination: { qs: { page: '{{pagination.page}}' } },
          response: { iterate: '{{body.items}}', output: '{{item}}' },
        },
      },
      wait: {
        communication: {
          url: '/state',
          repeat: { condition: "{{body.state != 'ready'}}", delay: 1, limit: 3 },
          response: { output: '{{body}}' },
        },
      },
      lost: { communication: { url: '/lost' } },
      moved: { communication: { url: '/moved', response: { output: '{{body}}' } } },
    },
  };
}

async function open(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const http = { allow: ['loopback'], ...options.http };
  const tracing = await createTracing();
  const engine = createEngine({ app: defineApp(appAt()), tracing, ...options, http });
  onTestFinished(() => engine.close());
  return engine;
}

/** Spans as `parent > name`. */
const tree = (): readonly string[] =>
  spans.map(({ name, parentId }) => {
    const parent = spans.find(({ spanId }) => spanId === parentId);
    return parent === undefined ? name : `${parent.name} > ${name}`;
  });
const attributesOf = (name: string): readonly RecordedSpan['attributes'][] =>
  spans.filter((span) => span.name === name).map((span) => span.attributes);

const PAGE = ['iml run > iml page', 'iml page > iml request'];

it('creates a span for a run, each of its pages, and each request, without queries', async () => {
  const engine = await open();
  const { bundles } = await engine.module('list').run().orThrow();
  expect(bundles).toHaveLength(2);
  expect(tree()).toEqual(['iml run', ...PAGE, ...PAGE, ...PAGE]);
  expect(spans.every(({ isOver, status }) => isOver && status === undefined)).toBe(true);
  expect(attributesOf('iml run')[0]).toMatchObject({
    'iml.app': 'shop',
    'iml.component': 'module:list',
    'iml.requests': 3,
    'iml.records': 2,
  });
  expect(
    attributesOf('iml page').map((page) => [page['iml.page'], page['iml.records'], page['iml.retries']]),
  ).toEqual([
    [1, 1, 0],
    [2, 1, 0],
    [3, 0, 0],
  ]);
  expect(attributesOf('iml request')[1]).toEqual({
    'http.request.method': 'GET',
    'url.full': `${base}/items`,
    'http.response.status_code': 200,
  });
});

it('keeps the spans of an iterated run below its own, and ends them when the loop is left', async () => {
  const engine = await open();
  const outer = trace.getTracer('t').startSpan('outer');
  await context.with(trace.setSpan(context.active(), outer), async () => {
    for await (const bundle of engine.module('list').run()) {
      expect(bundle).toEqual({ id: 1 });
      break;
    }
  });
  expect(tree().slice(0, 4)).toEqual(['outer', 'outer > iml run', ...PAGE]);
  // The page that was requested in advance is aborted.
  await expect.poll(() => spans.slice(1).every(({ isOver }) => isOver)).toBe(true);
});

it('counts repeats, and marks what failed by the type of the error', async () => {
  const engine = await open();
  await engine.module('wait').run().orThrow();
  expect(attributesOf('iml page')[0]).toMatchObject({ 'iml.retries': 1 });
  const { error } = await engine.module('lost').run();
  expect(spans.slice(-3).map(({ name, status }) => [name, status?.message])).toEqual([
    ['iml run', error?.type],
    ['iml page', error?.type],
    ['iml request', 'status 404'],
  ]);
});

it('sends traceparent only where that is switched on, and only to hosts of the app', async () => {
  const sent = (): readonly unknown[] => requests.splice(0).map(({ headers }) => headers['traceparent']);
  await (await open()).module('list').run();
  expect(sent()).toEqual([undefined, undefined, undefined]);
  await (await open({ http: { sendTraceparent: true } })).module('moved').run();
  const moved = spans.find(({ options }) => options.attributes?.['url.full'] === `${base}/moved`);
  const traceparent = `00-${moved?.traceId}-${moved?.spanId}-01`;
  expect(sent()).toEqual([traceparent, traceparent]);
  const app = defineApp({ name: 'a', modules: { m: { communication: { url: '{{parameters.url}}' } } } });
  const other = await open({ app, http: { sendTraceparent: true } });
  await other.module('m').run({ parameters: { url: `${base}/items` } });
  expect(sent()).toEqual([undefined]);
});

it('names the run of each trace event', async () => {
  const ids = new Set<string>();
  const components = new Set<string | undefined>();
  const onTrace: EngineOptions['onTrace'] = (_event, { id, component }) => {
    ids.add(id);
    components.add(component);
  };
  const engine = await open({ onTrace });
  await Promise.all([engine.module('lost').run(), engine.module('lost').run()]);
  expect([ids.size, [...components]]).toEqual([2, ['module:lost']]);
});

it('creates the spans of a pool in the main thread, below the span of the caller', async () => {
  const options = { http: { allow: ['loopback'], sendTraceparent: true } };
  const setup = new URL(`data:text/javascript,export default ${JSON.stringify(options)}`);
  const pool = createEnginePool({ worker, setup, tracing: await createTracing() });
  onTestFinished(() => pool.close());
  const outer = trace.getTracer('t').startSpan('outer');
  const app = pool.app(appAt());
  await context.with(trace.setSpan(context.active(), outer), () => app.module('list').run().orThrow());
  expect(tree()).toEqual(['outer', 'outer > iml run', ...PAGE, ...PAGE, ...PAGE]);
  expect(spans.slice(1).every(({ isOver }) => isOver)).toBe(true);
  const first = spans.find(({ name }) => name === 'iml request');
  expect(requests[0]?.headers['traceparent']).toBe(`00-${first?.traceId}-${first?.spanId}-01`);
});

it('creates a span for a flow, with the runs of its modules below', async () => {
  const engine = await open();
  const flow = compileFlow({ name: 'f', steps: [{ id: 1, module: engineModule(engine, 'lost') }] });
  const { error } = await runFlow(flow, {}, { tracing: await createTracing() });
  expect(tree().slice(0, 2)).toEqual(['iml flow', 'iml flow > iml run']);
  expect(spans[0]).toMatchObject({
    isOver: true,
    status: { message: error?.type },
    attributes: { 'iml.flow': 'f' },
  });
});
