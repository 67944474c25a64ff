import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import {
  createNodeListener,
  type FetchHandler,
  type Handler,
  type ListenerOptions,
} from './node-listener.js';
import { createStallMeter, type StallMeter } from './stall-meter.js';

/** Where a server listens. */
export interface ListenOptions {
  /** 0, the default, for any free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`. */
  readonly hostname?: string | undefined;
}

export interface ServeFetchOptions extends ListenOptions, Pick<ListenerOptions, 'refuse' | 'isVital'> {
  /** Certificate and key, PEM; with them the server speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly limits: ListenerOptions['limits'] & {
    /** Until the head of a request is there; `bodyTimeoutMs` is until it is there whole. */
    readonly headerTimeoutMs: number;
    /** Open connections; further ones are closed. One peer may have half of them. Default: any number. */
    readonly maxConnections?: number | undefined;
  };
}

/** A server on a port: where it is reached, and how it is closed. */
export interface FetchServer {
  /** Origin with the port that was given out: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /**
   * Takes no more requests, and waits for those under way; after `graceMs` they are cut off. Connections that carry no
   * request, half of one, or half of a TLS handshake keep nobody waiting.
   */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Answers through a Fetch handler: see `serveOn`. */
export function serveFetch(fetch: FetchHandler, options: ServeFetchOptions): Promise<FetchServer> {
  return serveOn({ fetch }, options);
}

/**
 * Answers what comes in on a port through a handler, within limits: size, time until head and body are there, how
 * many requests and how many bytes at a time. Rejects with the error of the socket when the port cannot be had.
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
 * The server looks at these times as it checks its connections, and counts from when it has seen them, whoever kept it
 * from reading what they have sent. Time in which this process was held up is nobody's delay.
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

/** Every open connection, those too that the HTTP server does not count as it has read no request of theirs yet. */
function keepSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** No peer can keep others from connecting: it has half of the connections at most. */
function limitConnections(server: Server, most: number): void {
  server.maxConnections = most;
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    const count = (counts.get(peer) ?? 0) + 1;
    if (count > Math.max(1, most / 2)) {
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

/** How often is looked whether the last request has been answered. */
const LOOK_EVERY_MS = 20;

/** What was written last has left for the other side by then. */
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
