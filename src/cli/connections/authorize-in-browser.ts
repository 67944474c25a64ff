import type { Succeeded } from '../../component/report.js';
import type { Connection } from '../../connection/connection.js';
import type { AuthorizeInput, ConnectionReport } from '../../connection/connection-input.js';
import { type CallbackQuery, isOwnCallback } from '../../connection/receive-callback.js';
import { EngineError } from '../../errors/engine-error.js';
import { type HostMapping, readHostMap } from '../../http/transport/map-hosts.js';
import type { Io } from '../io.js';
import { printable } from '../output/terminal-text.js';
import { type Callback, type CallbackServer, startCallbackServer } from './callback-server.js';

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
        `Open this address in a browser:\n\n  ${printable(page)}\n\nWaiting for it to come back to ${printable(redirectUri)} (Ctrl-C stops).\n`,
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
