import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { HostLimits } from './work/limits.js';
import { textResponse } from './receive.js';

export interface ListenOptions {
  /** 0, the default, for any free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`. */
  readonly hostname?: string | undefined;
}

export interface HostServer {
  /** Origin with the port that was given out: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Takes no more requests, and waits for those under way; after `graceMs` they are cut off. */
  readonly close: (graceMs: number) => Promise<void>;
}

/**
 * Turns what comes in on a port into web requests, within limits: size, time until head and body are there, and how
 * many at a time.
 */
export async function serveHttp(
  handle: (request: Request) => Promise<Response>,
  limits: HostLimits,
  { port = 0, hostname = '127.0.0.1' }: ListenOptions = {},
): Promise<HostServer> {
  let inFlight = 0;
  let isClosing = false;
  const server = createServer(
    {
      headersTimeout: limits.headerTimeoutMs,
      requestTimeout: limits.bodyTimeoutMs,
      connectionsCheckingInterval: 500,
    },
    (incoming, outgoing) => {
      inFlight++;
      answer(incoming)
        .then((response) => send(response, outgoing, { isLast: isClosing, timeoutMs: limits.bodyTimeoutMs }))
        .catch(() => outgoing.destroy())
        .finally(() => inFlight--);
    },
  );

  async function answer(incoming: IncomingMessage): Promise<Response> {
    if (inFlight > limits.maxRequests) return busy();
    const body = await readBody(incoming, limits.maxBodyBytes);
    if (body === undefined) {
      return textResponse(413, `The payload is larger than ${limits.maxBodyBytes} bytes.`);
    }
    const request = toRequest(incoming, body);
    return request === undefined ? textResponse(400, 'The request cannot be read.') : handle(request);
  }

  await listen(server, port, hostname);
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    origin: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${actual}`,
    close: (graceMs) => {
      isClosing = true;
      return close(server, graceMs);
    },
  };
}

function busy(): Response {
  return textResponse(503, 'Too many requests at a time. Try again later.', { 'retry-after': '1' });
}

/** Undefined for a body that is too large; it is not read to its end. @throws when the sender goes away */
function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  // What the sender announces is enough to refuse, never enough to trust.
  if (Number(incoming.headers['content-length']) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.byteLength;
      if (length <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      incoming.removeAllListeners('data');
      resolve(undefined);
    });
    incoming.once('end', () => resolve(Buffer.concat(chunks, Math.min(length, maxBytes))));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('The sender went away.')));
  });
}

/** Undefined when the request line or a header has a form the Fetch API does not know. */
function toRequest(
  { method = 'GET', url = '/', rawHeaders }: IncomingMessage,
  body: Uint8Array,
): Request | undefined {
  const hasBody = method !== 'GET' && method !== 'HEAD' && body.byteLength > 0;
  try {
    const headers = new Headers();
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
    }
    // The host decides nothing here: routes have paths only.
    const address = url.startsWith('/') ? `http://localhost${url}` : url;
    return new Request(address, { method, headers, ...(hasBody && { body: new Uint8Array(body) }) });
  } catch {
    return undefined;
  }
}

interface SendOptions {
  /** Whether the connection ends with this answer. */
  readonly isLast: boolean;
  /** How long the sender of a request that is not read to its end may go on. */
  readonly timeoutMs: number;
}

async function send(
  response: Response,
  outgoing: ServerResponse,
  { isLast, timeoutMs }: SendOptions,
): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const isUnread = !outgoing.req.complete;
  outgoing.statusCode = response.status;
  const cookies = response.headers.getSetCookie();
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value);
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  // A body that nobody reads to its end would be taken for the next request.
  if (isLast || isUnread) outgoing.setHeader('connection', 'close');
  if (response.status !== 204 && response.status !== 304) outgoing.setHeader('content-length', body.length);
  if (isUnread) {
    // The length is known, so the sender has the whole answer before the end.
    outgoing.write(body);
    await drain(outgoing.req, timeoutMs);
  }
  await new Promise<void>((resolve) => {
    outgoing.once('close', resolve);
    outgoing.end(isUnread ? undefined : body, () => resolve());
  });
}

/**
 * Reads what is left of a request, and drops it. To close a connection on which bytes still come in would take the
 * answer from a sender who has not read it yet.
 */
function drain(incoming: IncomingMessage, timeoutMs: number): Promise<void> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    incoming.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    incoming.once('end', () => {
      clearTimeout(timer);
      resolve();
    });
    incoming.on('error', () => {});
    incoming.resume();
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

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
