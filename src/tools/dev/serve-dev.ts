import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import type { Context } from 'hono';
import type { ConnectionStore } from '../../engine/connection/connection-store.js';
import type { EngineOptions } from '../../engine/engine-options.js';
import { parseForm } from '../../engine/http/body/decode-body.js';
import { createEnginePool } from '../../engine/pool/engine-pool.js';
import { EngineError, SpecError } from '../../shared/errors/engine-error.js';
import { isServiceWorkerRequest, sandboxResponse } from '../../shared/server/plain-request.js';
import { type FetchServer, serveFetch } from '../../shared/server/serve-fetch.js';
import { sameText } from '../../shared/text.js';
import { DEV_WORKER } from '../../shared/worker-urls.js';
import { findTests, TEST_FOLDER } from '../testing/suite/find-tests.js';
import { openSession } from './app-session.js';
import { type Backend, createBackend, type KeptConnection } from './backend.js';
import { addApi, answerError, MAX_TRACE_BYTES } from './create-api.js';
import { createEventHub } from './event-hub.js';
import { createLanguages } from './expressions/scope-at.js';
import { openHistory } from './history/history.js';
import type { AppState } from './protocol.js';
import { type ConnectionWriter, createComponentSteps } from './runs/component-steps.js';
import type { RunSetting } from './runs/run-component.js';
import { createRunner } from './runs/runner.js';
import { createTestRunner } from './runs/test-runner.js';
import { checkCall, checkOrigin, SAFE_HEADERS, type SafetyRefusal } from './safety.js';

/** A file of the page. */
interface PageFile {
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Cache-Control: names with a hash are immutable. */
  readonly cache: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const HASHED = /-[A-Z0-9]{8}\.(?:js|css)$/;
const FOR_EVER = 'private, max-age=31536000, immutable';

/**
 * Reads all files of the built page. Only these are served, by their names.
 *
 * @throws EngineError (USAGE) if the page was not built
 */
async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new EngineError(
      'USAGE',
      `The page of iml dev is not built: ${folder} is missing. Run npm run build.`,
      {
        cause,
      },
    );
  });
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const content = new Uint8Array(await readFile(path.join(folder, name)));
    files.set(`/${name}`, { type, content, cache: HASHED.test(name) ? FOR_EVER : 'no-store' });
  }
  const index = files.get('/index.html');
  if (index !== undefined) files.set('/', index);
  return files;
}

/** Options of `iml dev`. */
export interface DevOptions {
  /** Folder of the app. */
  readonly root: string;
  /** Port of the page; 0 chooses a free one. */
  readonly port: number;
  /** Port of the webhooks, a separate origin; 0 chooses a free one. */
  readonly hookPort: number;
  /** SQLite file of the history in an existing folder. */
  readonly historyFile: string;
  /** Folder of the built page. */
  readonly pageFolder: string;
  readonly engine: RunSetting['engine'] & Pick<EngineOptions, 'timezone' | 'trustFunctions'>;
  readonly connections: ConnectionStore;
  readonly listConnections: () => Promise<readonly KeptConnection[]>;
  /** Stores connections that are created on the page. Omitted if they cannot be stored. */
  readonly connectionWriter?: ConnectionWriter | undefined;
  /** Unguessable part of the address of a webhook. */
  readonly hookKey: (webhook: string) => string;
  readonly version: string;
  /** Called for errors in the background, such as a history that cannot be written. */
  readonly onProblem: (error: unknown) => void;
}

/** A running server. */
export interface DevServer {
  readonly origin: string;
  /** Origin of the webhooks, separate because apps and senders control its responses. */
  readonly hookOrigin: string;
  /** Address of the page with its token. */
  readonly address: string;
  readonly token: string;
  readonly backend: Backend;
  readonly close: () => Promise<void>;
}

const LIMITS = {
  maxBodyBytes: MAX_TRACE_BYTES,
  maxBytesInFlight: 2 * MAX_TRACE_BYTES,
  maxRequests: 200,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 60_000,
};

const HOOK_LIMITS = { ...LIMITS, maxBodyBytes: 16 * 1024 * 1024, maxBytesInFlight: 64 * 1024 * 1024 };

const GRACE_MS = 2000;

/** Path of the redirect URI, as in `iml connect`. */
const CALLBACK_PATH = '/callback';

/**
 * Serves the page of an app and reloads the app when its files change.
 *
 * @throws SpecError for an app that does not load; StoreError (STORE_FAILED) for an unusable history; EngineError
 * (USAGE) if the page was not built; the socket error if the port is taken
 */
export async function serveDev(options: DevOptions): Promise<DevServer> {
  const { root, onProblem } = options;
  const files = await readPageFiles(options.pageFolder);
  const hub = createEventHub();
  let live: AppState['live'];
  const session = await openSession(root, {
    testFolders: await listTestFolders(root),
    onChange: ({ revision, problem }) => {
      live = undefined;
      pool.reload(root);
      hub.publish({ type: 'app', revision });
      if (problem === undefined) void refresh().catch(onRefreshFailed);
    },
    onTests: (changed) => void tests.touch(changed).catch(onProblem),
  });
  const history = await openHistory(options.historyFile).catch((error: unknown) => {
    session.close();
    throw error;
  });
  const setting = (): RunSetting => ({
    app: session.current().app,
    root,
    engine: options.engine,
    connections: options.connections,
  });
  const pool = createEnginePool({
    setup: DEV_WORKER,
    setupData: options.engine,
    threads: 1,
    connections: options.connections,
  });
  const redirectUri = (): string => `${server?.origin ?? ''}${CALLBACK_PATH}`;
  const revision = (): number => session.current().revision;
  const steps = createComponentSteps({
    setting,
    revision,
    pool,
    history,
    hub,
    onProblem,
    writeHookAddress: (webhook) => writeHookAddress(webhook),
    redirectUri,
    connectionWriter: options.connectionWriter,
  });
  const runner = createRunner({
    findHook: steps.hook,
    setting,
    revision,
    pool,
    history,
    hub,
    onProblem,
    onLast: () => {
      // A result of an earlier run must not appear as one of this run.
      if (live === undefined) return;
      live = undefined;
      hub.publish({ type: 'app', revision: session.current().revision });
    },
  });
  const tests = createTestRunner({ setting, history, hub, onProblem });
  /** Files can change again before the worker reads them. The session reports files that do not load. */
  const onRefreshFailed = (error: unknown): void => {
    if (!(error instanceof SpecError)) onProblem(error);
  };
  const refresh = async (): Promise<void> => {
    const { revision } = session.current();
    const outcome = await runner.refresh();
    if (session.current().revision !== revision || outcome?.of !== runner.last()) return;
    live = outcome;
    hub.publish({ type: 'app', revision });
  };
  const languages = createLanguages(options.engine.timezone, options.engine.trustFunctions === true);
  const token = randomBytes(24).toString('base64url');
  let server: FetchServer | undefined;
  let hooks: FetchServer | undefined;
  const writeHookAddress = (webhook: string): string =>
    `${hooks?.origin ?? ''}/hooks/${encodeURIComponent(webhook)}/${options.hookKey(webhook)}`;
  const backend = createBackend({
    session,
    history,
    hub,
    runner,
    steps,
    tests,
    languages,
    setting,
    writeHookAddress,
    redirectUri,
    onProblem,
    live: () => live,
    listConnections: options.listConnections,
    version: options.version,
    start: randomUUID(),
  });
  const close = async (): Promise<void> => {
    session.close();
    hub.close();
    await steps.close();
    await runner.close();
    await tests.close();
    await pool.close();
    await Promise.all([server?.close(GRACE_MS), hooks?.close(GRACE_MS)]);
    languages.close();
    await history.close();
  };
  try {
    const handle = await createHandler({
      backend,
      files,
      token,
      port: () => readListenedPort(server),
      onProblem,
    });
    const receive = createHookHandler(backend, options.hookKey);
    hooks = await serveFetch(receive, {
      port: options.hookPort,
      hostname: '127.0.0.1',
      limits: HOOK_LIMITS,
    });
    server = await serveFetch(handle, { port: options.port, hostname: '127.0.0.1', limits: LIMITS });
    warmUp(server.origin);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    origin: server.origin,
    hookOrigin: hooks.origin,
    address: `${server.origin}/#token=${token}`,
    token,
    backend,
    close,
  };
}

/** The existing folders of cases, or the default one. */
async function listTestFolders(root: string): Promise<readonly string[]> {
  const places = await findTests([root]);
  return [path.join(root, TEST_FOLDER), ...places.flatMap(({ testFolders }) => testFolders)];
}

function readListenedPort(server: FetchServer | undefined): number | undefined {
  return server === undefined ? undefined : Number(new URL(server.origin).port);
}

interface HandlerParts {
  readonly backend: Backend;
  readonly files: Awaited<ReturnType<typeof readPageFiles>>;
  readonly token: string;
  readonly port: () => number | undefined;
  readonly onProblem: (error: unknown) => void;
}

async function createHandler({
  backend,
  files,
  token,
  port,
  onProblem,
}: HandlerParts): Promise<(request: Request) => Promise<Response>> {
  const hono = await import('hono');
  const app = new hono.Hono();
  const rules = { port, token };
  const refuse = ({ status, code, message }: SafetyRefusal): Response =>
    Response.json({ code, message }, { status, headers: SAFE_HEADERS });

  app.use(async (c, next) => {
    const refusal =
      checkOrigin(c.req.raw, rules) ?? (isGuarded(c.req.path) ? checkCall(c.req.raw, rules) : undefined);
    if (refusal !== undefined) return refuse(refusal);
    await next();
    const cache = files.get(c.req.path)?.cache;
    for (const [name, value] of Object.entries(SAFE_HEADERS)) c.res.headers.set(name, value);
    if (cache !== undefined) c.res.headers.set('cache-control', cache);
    return undefined;
  });
  app.onError((error, c) => {
    const response = answerError(error, c);
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.headers.set(name, value);
    return response;
  });
  app.get('/api/live', (c) => {
    const stream = backend.hub.listen();
    return stream === undefined
      ? c.json({ code: 'BUSY', message: 'Too many pages are connected.' }, 503)
      : c.body(stream, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
  });
  addApi(app, backend, onProblem);
  app.get(CALLBACK_PATH, (c) => answerCallback(c, backend));
  app.get('*', (c) => {
    const file = files.get(c.req.path);
    if (file === undefined) return c.text('Page not found.', 404);
    return c.body(file.content, 200, { 'content-type': file.type });
  });
  return async (request) => app.fetch(request);
}

/**
 * Receives the redirect of an authorization and shows its run. Needs no token: the `state` of the authorization, which
 * only the API and this process know, authorizes the callback.
 */
async function answerCallback(c: Context, backend: Backend): Promise<Response> {
  const id = await backend.receiveCallback(parseForm(new URL(c.req.url).search.slice(1)));
  if (id === undefined) return c.text('This callback does not belong to a pending connection.', 400);
  return c.redirect(`/#/run/${id}`);
}

/**
 * Receives calls of webhooks. Senders may come through a tunnel by any host name: the key in the address authorizes them. Responses
 * are sandboxed, as apps and senders control them.
 */
function createHookHandler(
  backend: Backend,
  hookKey: (webhook: string) => string,
): (request: Request) => Promise<Response> {
  const refuse = (status: number, text: string): Response => sandboxResponse(new Response(text, { status }));
  return async (request) => {
    const match = /^\/hooks\/([^/]+)\/([^/]+)$/.exec(new URL(request.url).pathname);
    const webhook = decodeSegment(match?.[1]);
    const { webhooks } = await backend.state();
    const isKnown = webhooks.some(({ name }) => name === webhook);
    if (webhook === undefined || !isKnown || !sameText(match?.[2] ?? '', hookKey(webhook)))
      return refuse(404, 'There is no such webhook.');
    if (isServiceWorkerRequest(request.headers)) return refuse(403, 'Webhooks do not serve service workers.');
    const report = await backend.runner.receive(webhook, {
      method: request.method.toUpperCase(),
      url: request.url,
      headers: [...request.headers],
      body: new Uint8Array(await request.arrayBuffer()),
    });
    return sandboxResponse(report.response);
  };
}

function decodeSegment(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Paths that require the token. */
function isGuarded(path: string): boolean {
  return path.startsWith('/api/');
}

/**
 * Requests the page once. The first response of a process loads Node's Fetch API and compiles the routes, which would
 * delay the browser.
 */
export function warmUp(origin: string): void {
  // The browser will show the error.
  get(origin, { agent: false }, (answer) => void answer.resume()).on('error', () => {});
}
