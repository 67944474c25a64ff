import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, refusalResponse } from './refusal.js';
import { type BodyLimits, type ByteBudget, type RequestBody, streamBody } from './request-body.js';

export type FetchHandler = (request: Request) => Promise<Response>;

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

/** How long the sender of a body that nobody reads may go on before the connection is closed. */
const MAX_DRAIN_MS = 5000;

/**
 * Answers through a Fetch handler. The handler decides by address and headers before any of the body is read.
 */
export function createNodeListener(handle: FetchHandler, options: ListenerOptions): NodeListener {
  const { limits, isClosing = () => false, isVital = () => false } = options;
  const refuse = (why: Refusal): Response => (options.refuse ?? refusalResponse)(why, limits.maxBodyBytes);
  const budget: ByteBudget = { bytes: 0 };
  let inFlight = 0;
  let vitalInFlight = 0;
  const isVitalRequest = ({ url = '/' }: IncomingMessage): boolean => isVital(url.split('?')[0] ?? '/');
  const isBusy = (incoming: IncomingMessage): boolean =>
    isVitalRequest(incoming) ? vitalInFlight > MAX_VITAL : inFlight - vitalInFlight > limits.maxRequests;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = hasBody(incoming) ? streamBody(incoming, limits, budget) : undefined;
    try {
      const response = await respond(incoming, body).finally(() => body?.release());
      await send(response, outgoing, isClosing(), Math.min(limits.bodyTimeoutMs, MAX_DRAIN_MS));
    } catch {
      outgoing.destroy();
    }
  }

  async function respond(incoming: IncomingMessage, body: RequestBody | undefined): Promise<Response> {
    if (isBusy(incoming)) return refuse('busy');
    const request = toRequest(incoming, body?.stream);
    if (request === undefined) return refuse('unreadable');
    try {
      const response = await handle(request);
      // A handler that turns a body it could not read into an answer of its own does not know why.
      const refusal = body?.refusal();
      return refusal === undefined ? response : refuse(refusal);
    } catch (error) {
      if (incoming.destroyed && !incoming.complete) throw error;
      return refuse(body?.refusal() ?? 'failed');
    }
  }

  return {
    listen: (incoming, outgoing) => {
      const vital = isVitalRequest(incoming) ? 1 : 0;
      inFlight++;
      vitalInFlight += vital;
      void answer(incoming, outgoing).finally(() => {
        inFlight--;
        vitalInFlight -= vital;
      });
    },
    requestsInFlight: () => inFlight,
  };
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Undefined when the request line or a header has a form the Fetch API does not know. */
function toRequest(
  { method = 'GET', url = '/', rawHeaders }: IncomingMessage,
  body: ReadableStream<Uint8Array> | undefined,
): Request | undefined {
  if (!url.startsWith('/') && !/^https?:\/\//.test(url)) return undefined;
  // The URL parser would take it for a slash, and so for another path than a proxy in front of us saw.
  if (url.includes('\\')) return undefined;
  try {
    // The host decides nothing here: routes have paths only.
    const address = url.startsWith('/') ? `http://localhost${url}` : url;
    return new Request(address, {
      method,
      headers: readHeaders(rawHeaders),
      ...(body && { body, duplex: 'half' as const }),
    });
  } catch {
    return undefined;
  }
}

/** As they came, a repeated one joined as its rules say; Node's own view drops some of them. */
function readHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  const cookies: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (name.toLowerCase() === 'cookie') cookies.push(value);
    else headers.append(name, value);
  }
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
  return headers;
}

async function send(
  response: Response,
  outgoing: ServerResponse,
  isLast: boolean,
  drainMs: number,
): Promise<void> {
  const { req: incoming } = outgoing;
  if (isEventStream(response)) return sendStream(response, outgoing);
  await dropShort(incoming);
  const body = Buffer.from(await response.arrayBuffer());
  const isUnread = !incoming.complete;
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  // A body that nobody reads to its end would be taken for the next request.
  if (isLast || isUnread) outgoing.setHeader('connection', 'close');
  // The answer to HEAD says how long that to GET would be, and its handler alone knows.
  const isHead = incoming.method === 'HEAD' && body.length === 0;
  if (
    response.status !== 204 &&
    response.status !== 304 &&
    !(isHead && outgoing.hasHeader('content-length'))
  ) {
    outgoing.setHeader('content-length', body.length);
  }
  if (isUnread) {
    // The length is known, so the sender has the whole answer before the end.
    outgoing.write(body);
    await drain(incoming, drainMs);
  }
  await new Promise<void>((resolve) => {
    outgoing.once('close', resolve);
    outgoing.end(isUnread ? undefined : body, () => resolve());
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
    incoming.once('close', end);
    incoming.once('end', end);
    incoming.on('error', () => {});
    incoming.resume();
  });
}
