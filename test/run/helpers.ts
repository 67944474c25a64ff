import {
  createEngine,
  defineApp,
  type Engine,
  type EngineOptions,
  type Module,
  type RunReport,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';

export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly text?: string;
}

/** A response with JSON by default. */
export function respond(answer: Answer, url = 'https://api.example.test/'): TransportResponse {
  const body = answer.text ?? (answer.json === undefined ? '' : JSON.stringify(answer.json));
  const headers = {
    ...(answer.json !== undefined && { 'content-type': 'application/json' }),
    ...answer.headers,
  };
  return { status: answer.status ?? 200, headers, body: Buffer.from(body), url };
}

/** A transport that passes each request to a function and stores it. */
export function service(handle: (request: TransportRequest, call: number) => Answer | Promise<Answer>): {
  readonly transport: Transport;
  readonly requests: TransportRequest[];
} {
  const requests: TransportRequest[] = [];
  const transport: Transport = async (request) => {
    requests.push(request);
    return respond(await handle(request, requests.length), request.url);
  };
  return { transport, requests };
}

export interface Setup extends Partial<Omit<EngineOptions, 'app'>> {
  readonly base?: unknown;
  readonly type?: 'action' | 'search';
}

export interface TestRun {
  readonly engine: Engine;
  readonly clock: ReturnType<typeof createVirtualClock>;
  readonly run: (input?: Parameters<Module['run']>[0]) => Promise<RunReport>;
}

/** An engine over an app of one module, `m`. */
export function engineOf(communication: unknown, setup: Setup = {}): TestRun {
  const { base = { baseUrl: 'https://api.example.test' }, type = 'search', ...options } = setup;
  const clock = createVirtualClock();
  const app = defineApp({ name: 'test', base, modules: { m: { type, communication } } });
  const engine = createEngine({ app, clock, ...options });
  return { engine, clock, run: async (input) => engine.module('m').run(input) };
}

/** A search with pages `{items: [...]}` and the query `page`. */
export const PAGED = {
  url: '/items',
  response: { iterate: '{{body.items}}' },
  pagination: { qs: { page: '{{pagination.page}}' } },
};

/** An API with `size` items on each page, without end or with `pages` pages before an empty one. */
export function endless(size: number, pages: number = Number.POSITIVE_INFINITY): ReturnType<typeof service> {
  return service((request) => {
    const page = Number(new URL(request.url).searchParams.get('page') ?? 1);
    const items =
      page > pages ? [] : Array.from({ length: size }, (_, index) => ({ id: (page - 1) * size + index + 1 }));
    return { json: { items } };
  });
}
