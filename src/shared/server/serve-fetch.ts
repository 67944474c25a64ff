import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import {
  createNodeListener,
  type FetchHandler,
  type Handler,
  type ListenerOptions,
} from './node-listener.js';

/** Address and certificate of the server. */
export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`. */
  readonly hostname?: string | undefined;
}

export interface ServeFetchOptions extends ListenOptions, Pick<ListenerOptions, 'refuse' | 'isVital'> {
  /** Certificate and key as PEM. If set, the server uses HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly limits: ListenerOptions['limits'] & {
    /** Maximum time until the request head is complete. `bodyTimeoutMs` limits the time for the body. */
    readonly headerTimeoutMs: number;
    /**
     * Maximum number of open connections; the server closes further ones. One peer may hold half of them. Default:
     * unlimited.
     */
    readonly maxConnections?: number | undefined;
  };
}

/** A listening server. */
export interface FetchServer {
  /** Origin with the assigned port: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /**
   * Stops accepting requests and waits for open ones, at most `graceMs`. Closes connections without a complete
   * request or TLS handshake at once.
   */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Serves a Fetch handler. See `serveOn`. */
export function serveFetch(fetch: FetchHandler, options: ServeFetchOptions): Promise<FetchServer> {
  return serveOn({ fetch }, options);
}

/**
 * Serves a handler on a port within limits for body size, header and body time, concurrent requests and bytes in
 * flight. Rejects with the socket error if it cannot listen.
 */
export async function serveOn(handler: Handler, options: ServeFetchOptions): Promise<FetchServer> {
  const { port = 0, hostname = '127.0.0.1', tls, limits, refuse, isVital } = options;
  let isClosing = false;
  const listener = createNodeListener(handler, { limits, refuse, isVital, isClosing: () => isClosing });
  const settings = {
    headersTimeout: limits.headerTimeoutMs,
    requestTimeout: limits.bodyTimeoutMs,
    connectionsCheckingInterval: 500,
  };
  const server =
    tls === undefined
      ? createServer(settings, listener.listen)
      : createSecureServer(
          { ...settings, ...tls, handshakeTimeout: limits.headerTimeoutMs },
          listener.listen,
        );
  const stalls = createStallMeter(limits.headerTimeoutMs + limits.bodyTimeoutMs);
  forgiveStalls(server, settings, stalls);
  const sockets = keepSockets(server);
  if (limits.maxConnections !== undefined) limitConnections(server, limits.maxConnections);
  await listen(server, port, hostname).catch((error: unknown) => {
    stalls.stop();
    throw error;
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    origin: `${tls ? 'https' : 'http'}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${actual}`,
    close: (graceMs) => {
      isClosing = true;
      stalls.stop();
      return close(server, sockets, graceMs, listener.requestsInFlight);
    },
  };
}

/**
 * Extends the timeouts of the Node.js server by the time in which the process could not read its sockets. A blocked
 * event loop is not the client's delay.
 */
function forgiveStalls(
  server: Server,
  { headersTimeout, requestTimeout }: Pick<Server, 'headersTimeout' | 'requestTimeout'>,
  { stalledMs }: StallMeter,
): void {
  Object.defineProperties(server, {
    headersTimeout: { get: () => headersTimeout + stalledMs() },
    requestTimeout: { get: () => requestTimeout + stalledMs() },
  });
}

/** All open sockets, including those that the HTTP server does not count because they have sent no request. */
function keepSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Limits connections. A peer may hold at most half of them, so it cannot exclude others. */
function limitConnections(server: Server, maxConnections: number): void {
  server.maxConnections = maxConnections;
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    const count = (counts.get(peer) ?? 0) + 1;
    if (count > Math.max(1, maxConnections / 2)) {
      socket.destroy();
      return;
    }
    counts.set(peer, count);
    socket.once('close', () => {
      const left = (counts.get(peer) ?? 1) - 1;
      if (left === 0) counts.delete(peer);
      else counts.set(peer, left);
    });
  });
}

function listen(server: Server, port: number, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Interval of the check for open requests. */
const LOOK_EVERY_MS = 20;

/** Time to flush the last response. */
const FLUSH_MS = 100;

async function close(
  server: Server,
  sockets: ReadonlySet<Socket>,
  graceMs: number,
  requestsInFlight: () => number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const endMs = performance.now() + graceMs;
  while (requestsInFlight() > 0 && performance.now() < endMs) await wait(LOOK_EVERY_MS);
  server.closeIdleConnections();
  await Promise.race([closed, wait(Math.min(FLUSH_MS, graceMs))]);
  for (const socket of sockets) socket.destroy();
  await closed;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
/** Measures how long the process could not read its sockets recently. */
interface StallMeter {
  /** An integer, as the Node.js timeouts require. */
  readonly stalledMs: () => number;
  readonly stop: () => void;
}

/** Interval of the measurement. */
const BEAT_MS = 100;
/** Shorter delays are normal event-loop latency. */
const LEAST_MS = 100;

/**
 * Sums the time in which the process was suspended or its event loop was blocked.
 *
 * @param withinMs stalls that ended longer ago do not count
 */
function createStallMeter(withinMs: number, nowMs: () => number = () => performance.now()): StallMeter {
  let seenMs = nowMs();
  let stalls: { readonly endMs: number; readonly ms: number }[] = [];
  const measure = (): void => {
    const endMs = nowMs();
    const ms = endMs - seenMs - BEAT_MS;
    seenMs = endMs;
    if (ms >= LEAST_MS) stalls.push({ endMs, ms: ms + BEAT_MS });
    else if (stalls.length === 0) return;
    stalls = stalls.filter((stall) => endMs - stall.endMs <= withinMs);
  };
  const timer = setInterval(measure, BEAT_MS);
  timer.unref();
  return {
    stalledMs: () => {
      // The caller may run before the timer after a stall.
      measure();
      return Math.ceil(stalls.reduce((sum, { ms }) => sum + ms, 0));
    },
    stop: () => clearInterval(timer),
  };
}
