import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ANY_OBJECT,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  wholeNumber,
} from '../shared/errors/check-options.js';
import { createNodeListener as createListener } from '../shared/server/node-listener.js';
import { type FetchServer, type ServeFetchOptions, serveFetch } from '../shared/server/serve-fetch.js';
import { answerRefusal } from './answer-refusal.js';
import type { Rest } from './create-rest.js';

/** Limits of the server. Those of a JSON body are lower and apply first. */
const SERVER_LIMITS: ServeFetchOptions['limits'] = Object.freeze({
  maxBodyBytes: 2 * 1024 * 1024,
  maxBytesInFlight: 64 * 1024 * 1024,
  maxRequests: 1000,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
});

/** A listener for `node:http` and `node:https` that responds through a Fetch handler. */
export function createRestListener(
  handle: (request: Request) => Promise<Response>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return createListener({ fetch: handle }, { limits: SERVER_LIMITS, refuse: answerRefusal }).listen;
}

/** Where the API listens. */
export interface ServeOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Certificate and key, PEM; with them the server speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

const SHAPES: OptionShapes<ServeOptions> = {
  port: wholeNumber(0, 65535),
  host: ANY_TEXT,
  tls: ANY_OBJECT,
};

/** The API on a port. */
export interface RestServer {
  /** Origin with the port of the socket: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /**
   * Accepts no more requests and waits for pending ones; after `graceMs` (default 10 s) it closes their connections.
   */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

/** Serves the API on a port. Rejects with the error of the socket if it cannot listen. */
export async function serveRest(rest: Pick<Rest, 'fetch'>, options: ServeOptions): Promise<RestServer> {
  checkOptions(options, SHAPES, 'The options of serveRest', ['port']);
  const { port, host, tls } = options;
  let listeningAt: string | undefined;
  const server: FetchServer = await serveFetch((request) => rest.fetch(request, { listeningAt }), {
    port,
    hostname: host,
    tls,
    limits: SERVER_LIMITS,
    refuse: answerRefusal,
  });
  listeningAt = server.origin;
  return { origin: server.origin, close: (graceMs = DEFAULT_GRACE_MS) => server.close(graceMs) };
}
