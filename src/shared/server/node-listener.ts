import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  joinHeaders,
  type PlainRequest,
  type PlainResponse,
  type Refusal,
  refusalResponse,
  toPlainResponse,
} from './plain-request.js';
import {
  type BodyLimits,
  type ByteBudget,
  openBody,
  type RequestBody,
  watchFraming,
} from './request-body.js';

export type FetchHandler = (request: Request) => Promise<Response>;

/** A handler of plain data. Avoids the cost of Fetch API objects. */
export type PlainHandler = (request: PlainRequest) => Promise<PlainResponse>;

/** The function that produces responses. */
export type Handler = { readonly fetch: FetchHandler } | { readonly plain: PlainHandler };

export interface ListenerOptions {
  readonly limits: BodyLimits & {
    /** Maximum number of concurrent requests. The server refuses more with 503. */
    readonly maxRequests: number;
  };
  /** Creates the response to a refused request. Default: one line of text. */
  readonly refuse?: ((refusal: Refusal, maxBodyBytes: number) => Response) | undefined;
  /**
   * Paths such as `/health` that the server serves even if all request slots are in use. They have 50 slots of their
   * own. Default: none.
   */
  readonly isVital?: ((pathname: string) => boolean) | undefined;
  /** Whether responses close their connection because the server shuts down. */
  readonly isClosing?: (() => boolean) | undefined;
}

/** A listener for `node:http` and `node:https` with its number of open requests. */
export interface NodeListener {
  readonly listen: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  readonly requestsInFlight: () => number;
}

/** Maximum number of concurrent requests to vital paths. */
const MAX_VITAL = 50;

/**
 * Maximum number of pipelined requests per connection. Node.js accepts any number, and one packet of small requests
 * could hold a thousand. [choice]
 */
const MAX_AHEAD = 100;

/** How long the server drains an unread body before it closes the connection. */
const MAX_DRAIN_MS = 5000;

/** Creates a listener that calls the handler after the request head, before it reads any of the body. */
export function createNodeListener(handler: Handler, options: ListenerOptions): NodeListener {
  const { limits, isClosing = () => false, isVital = () => false } = options;
  const refuse = (why: Refusal): Response => (options.refuse ?? refusalResponse)(why, limits.maxBodyBytes);
  const budget: ByteBudget = { bytes: 0 };
  let inFlight = 0;
  let vitalInFlight = 0;
  const isVitalRequest = ({ url = '/' }: IncomingMessage): boolean => isVital(url.split('?')[0] ?? '/');
  const bodies = createShares(limits.maxRequests);
  const isBusy = (incoming: IncomingMessage): boolean => {
    if (isVitalRequest(incoming)) return vitalInFlight > MAX_VITAL;
    return inFlight - vitalInFlight > limits.maxRequests;
  };

  async function answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    isRefused: boolean,
  ): Promise<void> {
    const body = hasBody(incoming) ? openBody(incoming, limits, budget) : undefined;
    try {
      const answered = await (isRefused ? Promise.resolve(refuse('busy')) : respond(incoming, body)).finally(
        () => body?.release(),
      );
      if (answered instanceof Response && isEventStream(answered)) await sendStream(answered, outgoing);
      else await send(answered, outgoing, isClosing(), limits.bodyTimeoutMs);
    } catch {
      outgoing.destroy();
    }
  }

  async function respond(
    incoming: IncomingMessage,
    body: RequestBody | undefined,
  ): Promise<Response | PlainResponse> {
    if (isBusy(incoming)) return refuse('busy');
    try {
      const call =
        'plain' in handler
          ? callPlain(handler.plain, incoming, body)
          : callFetch(handler.fetch, incoming, body);
      if (call === undefined) return refuse('unreadable');
      const answered = await call;
      // A handler may turn a failed body read into its own response. The cause of the failure takes precedence.
      const refusal = body?.refusal();
      return refusal === undefined ? answered : refuse(refusal);
    } catch (error) {
      if (incoming.destroyed && !incoming.complete) throw error;
      return refuse(body?.refusal() ?? 'failed');
    }
  }

  return {
    listen: (incoming, outgoing) => {
      const connection = findConnection(incoming.socket);
      // Node.js still delivers requests of the packet that exceeded the limit.
      if (incoming.socket.destroyed) return;
      if (connection.requests >= MAX_AHEAD) {
        incoming.socket.destroy();
        return;
      }
      connection.requests++;
      const vital = isVitalRequest(incoming) ? 1 : 0;
      const endBody = hasBody(incoming) ? bodies.add(incoming) : () => {};
      // A refused request takes no place while its body is drained.
      const place = endBody === undefined ? 0 : 1;
      inFlight += place;
      vitalInFlight += vital * place;
      void answer(incoming, outgoing, endBody === undefined).finally(() => {
        endBody?.();
        inFlight -= place;
        vitalInFlight -= vital * place;
        connection.requests--;
      });
    },
    requestsInFlight: () => inFlight,
  };
}

interface Shares {
  /** @returns a function that ends the request; undefined if its path or peer has its share */
  readonly add: (incoming: IncomingMessage) => (() => void) | undefined;
}

/** Share of the open requests that one path may have, and one peer. A proxy is one peer. [choice] */
const PATH_SHARE = 0.5;
const PEER_SHARE = 0.75;

/** Counts open requests with a body per path and per peer, so that slow bodies do not stop the others. */
function createShares(maxRequests: number): Shares {
  const counts = new Map<string, number>();
  const count = (name: string, by: number): void => {
    const next = (counts.get(name) ?? 0) + by;
    if (next === 0) counts.delete(name);
    else counts.set(name, next);
  };
  return {
    add: ({ url = '/', socket }) => {
      const shares = [
        [`path ${url.split('?', 1)[0]}`, PATH_SHARE],
        [`peer ${socket.remoteAddress}`, PEER_SHARE],
      ] as const;
      const isFull = shares.some(
        ([name, share]) => (counts.get(name) ?? 0) >= Math.max(1, maxRequests * share),
      );
      if (isFull) return undefined;
      for (const [name] of shares) count(name, 1);
      return () => {
        for (const [name] of shares) count(name, -1);
      };
    },
  };
}

/** A connection and its open requests. */
interface Connection {
  requests: number;
  /** Called when the connection closes. */
  readonly ends: Set<() => void>;
}

const CONNECTIONS = new WeakMap<Socket, Connection>();

function findConnection(socket: Socket): Connection {
  const known = CONNECTIONS.get(socket);
  if (known !== undefined) return known;
  const connection: Connection = { requests: 0, ends: new Set() };
  CONNECTIONS.set(socket, connection);
  socket.once('close', () => {
    for (const end of [...connection.ends]) end();
  });
  return connection;
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A segment `.` or `..`, also percent-encoded. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Returns undefined for an unsupported request target. The host is ignored because routes match paths only. */
function readAddress({ url = '/' }: IncomingMessage): URL | undefined {
  // The URL parser turns a backslash into a slash. The path would differ from the one a proxy checked.
  if (url.includes('\\')) return undefined;
  // It would also remove dot segments.
  if (DOT_SEGMENT.test(url.split('?', 1)[0] ?? '')) return undefined;
  if (!url.startsWith('/') && !/^https?:\/\//.test(url)) return undefined;
  const address = url.startsWith('/') ? `http://localhost${url}` : url;
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** Returns undefined if the Fetch API rejects the request line or a header. */
function callFetch(
  handle: FetchHandler,
  incoming: IncomingMessage,
  body: RequestBody | undefined,
): Promise<Response> | undefined {
  const address = readAddress(incoming);
  if (address === undefined) return undefined;
  const { method = 'GET', rawHeaders } = incoming;
  let request: Request;
  try {
    const headers = joinHeaders(rawHeaders).map(([name, value]): [string, string] => [name, value]);
    request = new Request(address, {
      method,
      headers,
      ...(body && { body: body.stream(), duplex: 'half' as const }),
    });
  } catch {
    return undefined;
  }
  return handle(request);
}

function callPlain(
  handle: PlainHandler,
  incoming: IncomingMessage,
  body: RequestBody | undefined,
): Promise<PlainResponse> | undefined {
  const url = readAddress(incoming);
  if (url === undefined) return undefined;
  const { method = 'GET', rawHeaders, headers } = incoming;
  return handle({
    method,
    url,
    headers: joinHeaders(rawHeaders),
    announcedBytes: body && Number(headers['content-length'] ?? 0),
    readBody: body?.readAll ?? (async () => new Uint8Array()),
  });
}

async function send(
  answered: Response | PlainResponse,
  outgoing: ServerResponse,
  isLast: boolean,
  timeoutMs: number,
): Promise<void> {
  const { req: incoming } = outgoing;
  await dropShort(incoming);
  if (incoming.socket.destroyed) return;
  const { status, headers, body } = answered instanceof Response ? await toPlainResponse(answered) : answered;
  const isUnread = !incoming.complete;
  outgoing.statusCode = status;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  // The parser would take an unread body for the next request.
  if (isLast || isUnread) outgoing.setHeader('connection', 'close');
  // Only the handler knows the Content-Length of a response to HEAD.
  const isHead = incoming.method === 'HEAD' && body.byteLength === 0;
  if (status !== 204 && status !== 304 && !(isHead && outgoing.hasHeader('content-length'))) {
    outgoing.setHeader('content-length', body.byteLength);
  }
  if (isUnread) {
    // With a known length, the client has the whole response before `end`.
    outgoing.write(body);
    await drain(incoming, Math.min(timeoutMs, MAX_DRAIN_MS));
  }
  await new Promise<void>((resolve) => {
    outgoing.end(isUnread ? undefined : body, () => resolve());
    // The operating system has accepted all bytes.
    if (outgoing.socket?.writableLength === 0) return resolve();
    // A pipelined response has no socket yet, so it emits no `close`.
    const { ends } = findConnection(incoming.socket);
    const end = (): void => {
      ends.delete(end);
      resolve();
    };
    ends.add(end);
    outgoing.once('close', end);
    outgoing.once('finish', end);
    // A client that stops reading would hold a request slot forever.
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy());
  });
}

function isEventStream({ headers, body }: Response): boolean {
  return body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** Sends server-sent events as they arrive until the client disconnects. */
async function sendStream({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  outgoing.once('close', () => void reader.cancel().catch(() => {}));
  outgoing.writeHead(status, Object.fromEntries(headers));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    // The stream's desiredSize reports backpressure to the handler.
    if (!outgoing.write(value)) await untilDrained(outgoing);
  }
  outgoing.end();
}

function untilDrained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      outgoing.off('drain', end).off('close', end);
      resolve();
    };
    outgoing.on('drain', end).on('close', end);
  });
}

/** Unread bodies up to this size usually arrived with the request head. */
const SHORT_BYTES = 64 * 1024;

/** Discards a short unread body, so that the connection stays reusable. */
async function dropShort(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.destroyed) return;
  const announced = Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (!(announced <= SHORT_BYTES)) return;
  incoming.on('error', () => {});
  incoming.resume();
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Discards the rest of a request. Closing a connection that still receives bytes would reset it before the client
 * reads the response.
 */
function drain(incoming: IncomingMessage, timeoutMs: number): Promise<void> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    const endsForFraming = watchFraming(incoming);
    incoming.once('close', end);
    incoming.once('end', end);
    incoming.on('error', () => {});
    incoming.on('data', (chunk: Buffer) => void endsForFraming(chunk.byteLength));
  });
}
