import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Rest } from './create-rest.js';
import { createNodeListener } from './node-listener.js';

export interface ServeOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Certificate and key, PEM; with them the server speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

export interface RestServer {
  /** Origin with the port that was given out: `http://127.0.0.1:8080`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** How long a client may take to send headers and a whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** Serves the API on a port. Rejects with the error of the socket when the port cannot be had. */
export async function serveRest(rest: Pick<Rest, 'fetch'>, options: ServeOptions): Promise<RestServer> {
  const { port, host = '127.0.0.1', tls } = options;
  const listener = createNodeListener((request) => rest.fetch(request));
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await listen(server, port, host);
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return {
    origin: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: () => close(server),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
