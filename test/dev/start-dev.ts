import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bookshop, startBookshop } from '../../spec-fixtures/bookshop/service.mjs';
import { type ConnectionStore, EngineError, type StoredConnection } from '../../src/index.js';
import type {
  AppState,
  CaseDraft,
  PackedEvent,
  RunDetail,
  RunDiff,
  RunSummary,
  ShownForm,
  ShownValue,
  StepOutcome,
  TestDetail,
  TestsState,
} from '../../src/tools/dev/protocol.js';
import { type DevServer, serveDev } from '../../src/tools/dev/serve-dev.js';

const BOOKSHOP = path.resolve(import.meta.dirname, '../../spec-fixtures/bookshop');

/** The key of the connection, which the page must never show. */
export const API_KEY = 'demo-key-0001-never-shown';

/** A server for a copy of the bookshop app, its API, and a client with the token. */
export interface TestDev {
  readonly server: DevServer;
  readonly shop: Bookshop;
  /** The folder of the app. */
  readonly root: string;
  readonly problems: unknown[];
  /** Connections that were created on the page, by name. */
  readonly saved: ReadonlyMap<string, StoredConnection>;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly get: <T>(path: string) => Promise<T>;
  readonly post: <T>(path: string, body?: unknown) => Promise<T>;
  readonly app: () => Promise<AppState>;
  readonly form: (input: unknown) => Promise<ShownForm>;
  readonly step: (input: unknown) => Promise<StepOutcome>;
  /** The listed runs. `query` starts with a question mark. */
  readonly runs: (query?: string) => Promise<readonly RunSummary[]>;
  readonly detail: (runId: string | undefined) => Promise<RunDetail>;
  readonly events: (runId: string) => Promise<readonly PackedEvent[]>;
  /** Evaluates an expression at a moment of a run. */
  readonly evaluate: (runId: string, input: unknown) => Promise<ShownValue>;
  readonly draft: (runId: string) => Promise<CaseDraft>;
  readonly diff: (runId: string | undefined, otherId: string | undefined) => Promise<RunDiff>;
  readonly tests: () => Promise<TestsState>;
  readonly test: (id: string) => Promise<TestDetail>;
  /** Runs a module and waits until it is over. */
  readonly run: (wish: Record<string, unknown>) => Promise<RunDetail>;
  readonly read: (file: string) => string;
  readonly write: (file: string, text: string) => void;
  /** Restores a file of the bookshop and waits until the server has detected it. */
  readonly restore: (file: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface StartOptions {
  readonly pageFolder?: string;
  readonly historyFile?: string;
  /** Origins that requests may go to, beside that of the bookshop. */
  readonly origins?: readonly string[];
  /** Changes the copy of the app before it is loaded. */
  readonly prepare?: (root: string) => void;
}

export async function startDev({
  pageFolder,
  historyFile,
  prepare,
  origins = [],
}: StartOptions = {}): Promise<TestDev> {
  const home = mkdtempSync(path.join(tmpdir(), 'iml-dev-'));
  const root = path.join(home, 'bookshop');
  cpSync(BOOKSHOP, root, { recursive: true });
  prepare?.(root);
  const page = path.join(home, 'page');
  mkdirSync(page);
  writeFileSync(path.join(page, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(path.join(page, 'main-ABCD2345.js'), '// page');
  const shop = await startBookshop({ apiKey: API_KEY });
  const problems: unknown[] = [];
  const saved = new Map<string, StoredConnection>();
  const server = await serveDev({
    root,
    port: 0,
    hookPort: 0,
    historyFile: historyFile ?? path.join(home, 'dev.db'),
    pageFolder: pageFolder ?? page,
    engine: {
      http: {
        baseUrl: shop.baseUrl,
        rewrite: {
          'https://api.bookshop.example': shop.origin,
          ...Object.fromEntries(origins.map((origin) => [origin, origin])),
        },
        allow: ['loopback'],
      },
    },
    connections: connections(),
    listConnections: async () => [{ name: 'shop', component: 'bookshopKey', label: 'Test shop' }],
    connectionWriter: {
      check: async (name) => {
        if (name === 'taken') throw new EngineError('USAGE', 'The name "taken" is taken.');
      },
      save: async (name, stored) => void saved.set(name, stored),
    },
    hookKey: (webhook) => `key-of-${webhook}`,
    version: '0.0.0-test',
    onProblem: (error) => problems.push(error),
  });
  const request = (target: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server.origin}${target}`, {
      ...init,
      headers: { authorization: `Bearer ${server.token}`, ...Object.fromEntries(new Headers(init.headers)) },
    });
  const get = async <T>(target: string): Promise<T> => (await request(target)).json() as Promise<T>;
  const post = async <T>(target: string, body: unknown = {}): Promise<T> => {
    const headers = { 'content-type': 'application/json' };
    return (
      await request(target, { method: 'POST', headers, body: JSON.stringify(body) })
    ).json() as Promise<T>;
  };
  const settled = async (id: string): Promise<RunDetail> => {
    for (;;) {
      const run = await get<RunDetail>(`/api/runs/${id}`);
      if (run.state !== 'running') return run;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const write = (file: string, text: string): void => writeFileSync(path.join(root, file), text);
  return {
    server,
    shop,
    root,
    problems,
    saved,
    fetch: request,
    get,
    post,
    app: () => get('/api/app'),
    form: (input) => post('/api/form', input),
    step: (input) => post('/api/steps', input),
    runs: async (query = '') => (await get<{ runs: RunSummary[] }>(`/api/runs${query}`)).runs,
    detail: (id) => get(`/api/runs/${id}`),
    events: async (id) => (await get<{ events: PackedEvent[] }>(`/api/runs/${id}/events`)).events,
    evaluate: (id, input) => post(`/api/runs/${id}/evaluate`, input),
    draft: (id) => post(`/api/runs/${id}/case`),
    diff: (a, b) => get(`/api/diff?a=${a}&b=${b}`),
    tests: () => get('/api/tests'),
    test: (id) => get(`/api/tests/one?id=${encodeURIComponent(id)}`),
    run: async (wish) =>
      settled((await post<{ id: string }>('/api/runs', { kind: 'module', connection: 'shop', ...wish })).id),
    read: (file) => readFileSync(path.join(root, file), 'utf8'),
    write,
    restore: async (file) => {
      write(file, readFileSync(path.join(BOOKSHOP, file), 'utf8'));
      await server.backend.look();
    },
    close: async () => {
      await server.close();
      await shop.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function connections(): ConnectionStore {
  const stored = {
    component: 'bookshopKey',
    connection: { apiKey: API_KEY },
    parameters: { apiKey: API_KEY },
    metadata: undefined,
    uid: undefined,
    expires: undefined,
    oauth: undefined,
    common: undefined,
  };
  return { get: async (name) => (name === 'shop' ? stored : undefined), save: async () => {} };
}
