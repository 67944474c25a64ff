import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Succeeded } from '../../../engine/component/report.js';
import { type CallbackQuery, isOwnCallback } from '../../../engine/connection/authorize-connection.js';
import type { Connection } from '../../../engine/connection/connection.js';
import type { AuthorizeInput, ConnectionReport } from '../../../engine/connection/connection-input.js';
import { parseForm } from '../../../engine/http/body/decode-body.js';
import { type HostMapping, readHostMap } from '../../../engine/http/host-policy.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import type { Io } from '../io.js';
import { cannotListen } from '../listening.js';
import { printable } from '../output/terminal-text.js';

export interface BrowserSettings {
  /** 0 chooses a free port. */
  readonly port: number;
  /** Redirect URI, if it differs from the address of the port. */
  readonly redirectUri: URL | undefined;
  /** Milliseconds to wait for the redirect. */
  readonly waitMs: number;
  /** Host mapping (`--map`), also applied to the authorization page. */
  readonly hosts: HostMapping | undefined;
  /** Called with the accepted callback. */
  readonly onCallback?: (callback: { readonly redirectUri: string; readonly query: CallbackQuery }) => void;
}

/**
 * Authorizes a connection in a browser: prints the address of the page and waits for the callback.
 *
 * @throws AppError if the API or the app refuses; EngineError (ABORTED) after `waitMs`
 */
export async function authorizeInBrowser(
  connection: Connection,
  input: Omit<AuthorizeInput, 'redirectUri' | 'signal'>,
  settings: BrowserSettings,
  io: Io,
): Promise<Succeeded<ConnectionReport>> {
  const path = settings.redirectUri?.pathname ?? '/callback';
  const server = await startCallbackServer(settings.port, path);
  try {
    return await io.interruptible(async (signal) => {
      const redirectUri = settings.redirectUri?.href ?? server.url;
      const { url, pending } = await connection.authorize({ ...input, redirectUri, signal }).orThrow();
      const page = readHostMap(settings.hosts ?? {}).resolve(url) ?? url;
      await io.stderr.write(
        `Open this address in a browser:\n\n  ${printable(page)}\n\nWaiting for the redirect to ${printable(redirectUri)}. Press Ctrl-C to stop.\n`,
      );
      const isOwn = (query: Callback['query']): boolean => isOwnCallback(pending, query);
      const callback = await nextInTime(server, isOwn, settings.waitMs, signal);
      settings.onCallback?.({ redirectUri, query: callback.query });
      try {
        const report = await connection.complete(pending, callback.query, { signal }).orThrow();
        callback.answer(true);
        return report;
      } catch (error) {
        callback.answer(false);
        throw error;
      }
    });
  } finally {
    await server.close();
  }
}

async function nextInTime(
  server: CallbackServer,
  isOwn: (query: Callback['query']) => boolean,
  waitMs: number,
  signal: AbortSignal,
): Promise<Callback> {
  const time = AbortSignal.timeout(waitMs);
  try {
    return await server.next(isOwn, AbortSignal.any([signal, time]));
  } catch (error) {
    if (signal.aborted || !time.aborted) throw error;
    throw new EngineError('ABORTED', `No redirect arrived within ${Math.round(waitMs / 1000)} seconds.`);
  }
}

/** An accepted callback. The browser waits for `answer`. */
interface Callback {
  readonly query: CallbackQuery;
  /** Shows the result in the browser. */
  readonly answer: (isDone: boolean) => void;
}

/** Listens on a local port for the redirect of the browser. */
interface CallbackServer {
  /** The redirect URI. */
  readonly url: string;
  /** Resolves with the first callback that `isOwn` accepts; responds to others with 400. */
  readonly next: (isOwn: (query: CallbackQuery) => boolean, signal: AbortSignal) => Promise<Callback>;
  readonly close: () => Promise<void>;
}

const LINGER_MS = 500;

/** The pages contain nothing of the request, so they cannot be injected into. */
const PAGES = {
  done: 'Connected. You can close this page.',
  failed: 'Not connected. The terminal shows the reason. You can close this page.',
  strange: 'This callback does not belong to a pending connection.',
  absent: 'Page not found.',
} as const;

/**
 * Listens on the loopback address only.
 *
 * @param port 0 chooses a free port
 * @param path path of the callback
 * @throws EngineError (USAGE) if the port cannot be opened
 */
async function startCallbackServer(port: number, path: string): Promise<CallbackServer> {
  let take: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    if (request.method !== 'GET' || readPath(request) !== path) return respond(response, 404, PAGES.absent);
    if (take?.(request, response) !== true) respond(response, 400, PAGES.strange);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(port, error)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}${path}`,
    next: (isOwn, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason);
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        take = (request, response) => {
          const query = readQuery(request);
          if (!isOwn(query)) return false;
          take = undefined;
          signal.removeEventListener('abort', stop);
          const answer = (isDone: boolean): void =>
            respond(response, 200, isDone ? PAGES.done : PAGES.failed);
          resolve({ query, answer });
          return true;
        };
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // Browsers open connections that they may never use.
        setTimeout(() => server.closeAllConnections(), LINGER_MS).unref();
      }),
  };
}

function readPath({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function readQuery({ url = '' }: IncomingMessage): CallbackQuery {
  const mark = url.indexOf('?');
  return mark === -1 ? {} : parseForm(url.slice(mark + 1));
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html><html lang="en"><title>iml connect</title><p>${text}</p></html>\n`);
}
