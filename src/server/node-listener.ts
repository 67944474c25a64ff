import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { watchFraming } from './chunk-framing.js';
import { joinHeaders, type PlainAnswer, type PlainRequest, toPlainAnswer } from './plain-request.js';
import { type Refusal, refusalResponse } from './refusal.js';
import { type BodyLimits, type ByteBudget, openBody, type RequestBody } from './request-body.js';

export type FetchHandler = (request: Request) => Promise<Response>;

/** A handler that is given plain data, which costs half of what the Fetch API does. */
export type PlainHandler = (request: PlainRequest) => Promise<PlainAnswer>;

/** How a request is answered. */
export type Handler = { readonly fetch: FetchHandler } | { readonly plain: PlainHandler };

export interface ListenerOptions {
  readonly limits: BodyLimits & {
    /** Requests in the works at a time; more are refused. */
    readonly maxRequests: number;
  };
  /** What a refused request is answered with. Default: a line of text. */
  readonly refuse?: ((refusal: Refusal, maxBodyBytes: number) => Response) | undefined;
  /**
   * Addresses that are answered however many other requests are in the works, such as `/health`: they have a share of
   * their own (50 at a time). Default: none.
   */
  readonly isVital?: ((pathname: string) => boolean) | undefined;
  /** Whether answers end their connection, because the server goes down. */
  readonly isClosing?: (() => boolean) | undefined;
}

/** A listener for `node:http` and `node:https`, and how many requests it has under way. */
export interface NodeListener {
  readonly listen: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  readonly requestsInFlight: () => number;
}

/** Requests to vital addresses at a time. */
const MAX_VITAL = 50;

/**
 * Requests of one connection that wait for their answers. Clients send one after the other, a few send some ahead; node takes as
 * many as were sent ahead at once, and each of some 40 bytes holds a thousand here. [choice]
 */
const MAX_AHEAD = 100;

/** How long the sender of a body that nobody reads may go on before the connection is closed. */
const MAX_DRAIN_MS = 5000;

/** Answers through a handler, which decides by address and headers before any of the body is read. */
export function createNodeListener(handler: Handler, options: ListenerOptions): NodeListener {
  const { limits, isClosing = () => false, isVital = () => false } = options;
  const refuse = (why: Refusal): Response => (options.refuse ?? refusalResponse)(why, limits.maxBodyBytes);
  const budget: ByteBudget = { bytes: 0 };
  let inFlight = 0;
  let vitalInFlight = 0;
  const isVitalRequest = ({ url = '/' }: IncomingMessage): boolean => isVital(url.split('?')[0] ?? '/');
  const isBusy = (incoming: IncomingMessage): boolean =>
    isVitalRequest(incoming) ? vitalInFlight > MAX_VITAL : inFlight - vitalInFlight > limits.maxRequests;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = hasBody(incoming) ? openBody(incoming, limits, budget) : undefined;
    try {
      const answered = await respond(incoming, body).finally(() => body?.release());
      if (answered instanceof Response && isEventStream(answered)) await sendStream(answered, outgoing);
      else await send(answered, outgoing, isClosing(), limits.bodyTimeoutMs);
    } catch {
      outgoing.destroy();
    }
  }

  async function respond(
    incoming: IncomingMessage,
    body: RequestBody | undefined,
  ): Promise<Response | PlainAnswer> {
    if (isBusy(incoming)) return refuse('busy');
    try {
      const call =
        'plain' in handler
          ? callPlain(handler.plain, incoming, body)
          : callFetch(handler.fetch, incoming, body);
      if (call === undefined) return refuse('unreadable');
      const answered = await call;
      // A handler that turns a body it could not read into an answer of its own does not know why.
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
      // What was read with the one that was too much still comes.
      if (incoming.socket.destroyed) return;
      if (connection.requests >= MAX_AHEAD) {
        incoming.socket.destroy();
        return;
      }
      connection.requests++;
      const vital = isVitalRequest(incoming) ? 1 : 0;
      inFlight++;
      vitalInFlight += vital;
      void answer(incoming, outgoing).finally(() => {
        inFlight--;
        vitalInFlight -= vital;
        connection.requests--;
      });
    },
    requestsInFlight: () => inFlight,
  };
}

/** A connection with its requests under way. */
interface Connection {
  requests: number;
  /** Called when it is closed. */
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

/** Undefined when the request line has a form that is not taken. The host decides nothing here: routes have paths only. */
function readAddress({ url = '/' }: IncomingMessage): URL | undefined {
  // The URL parser would take it for a slash, and so for another path than a proxy in front of us saw.
  if (url.includes('\\')) return undefined;
  if (!url.startsWith('/') && !/^https?:\/\//.test(url)) return undefined;
  const address = url.startsWith('/') ? `http://localhost${url}` : url;
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** Undefined when the request line or a header has a form the Fetch API does not know. */
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
): Promise<PlainAnswer> | undefined {
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
  answered: Response | PlainAnswer,
  outgoing: ServerResponse,
  isLast: boolean,
  timeoutMs: number,
): Promise<void> {
  const { req: incoming } = outgoing;
  await dropShort(incoming);
  if (incoming.socket.destroyed) return;
  const { status, headers, body } = answered instanceof Response ? await toPlainAnswer(answered) : answered;
  const isUnread = !incoming.complete;
  outgoing.statusCode = status;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  // A body that nobody reads to its end would be taken for the next request.
  if (isLast || isUnread) outgoing.setHeader('connection', 'close');
  // The answer to HEAD says how long that to GET would be, and its handler alone knows.
  const isHead = incoming.method === 'HEAD' && body.byteLength === 0;
  if (status !== 204 && status !== 304 && !(isHead && outgoing.hasHeader('content-length'))) {
    outgoing.setHeader('content-length', body.byteLength);
  }
  if (isUnread) {
    // The length is known, so the sender has the whole answer before the end.
    outgoing.write(body);
    await drain(incoming, Math.min(timeoutMs, MAX_DRAIN_MS));
  }
  await new Promise<void>((resolve) => {
    outgoing.end(isUnread ? undefined : body, () => resolve());
    // What the system has taken is no longer ours to wait for.
    if (outgoing.socket?.writableLength === 0) return resolve();
    // An answer behind others has no connection yet, and is told nothing of its end.
    const { ends } = findConnection(incoming.socket);
    const end = (): void => {
      ends.delete(end);
      resolve();
    };
    ends.add(end);
    outgoing.once('close', end);
    outgoing.once('finish', end);
    // A reader who takes nothing of it would hold a place for ever.
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy());
  });
}

function isEventStream({ headers, body }: Response): boolean {
  return body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** Server-sent events go out as they come, for as long as somebody reads. */
async function sendStream({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  outgoing.once('close', () => void reader.cancel().catch(() => {}));
  outgoing.writeHead(status, Object.fromEntries(headers));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    // A reader who does not keep up is the handler's matter: the stream tells it how much waits.
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

/** A body up to this size that nobody has read came with its head, most often. */
const SHORT_BYTES = 64 * 1024;

/** Drops an unread body that is there already, so that its connection can be used again. */
async function dropShort(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.destroyed) return;
  const announced = Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (!(announced <= SHORT_BYTES)) return;
  incoming.on('error', () => {});
  incoming.resume();
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Reads what is left of a request, and drops it. To close a connection on which bytes still come in would take the
 * answer from a sender who has not read it yet.
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
