import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkOptions, type OptionShapes, wholeNumber } from '../../shared/errors/check-options.js';
import { EngineError, WebhookError } from '../../shared/errors/engine-error.js';
import type { HeaderEntry } from '../http/transport.js';
import type { IncomingCall } from './incoming-call.js';
import type { WebhookReport } from './webhook-report.js';

/** Options of `fromNodeRequest`. */
export interface NodeRequestOptions {
  /** The bytes of the body, where the framework has read them: as received, not parsed. Default: they are read. */
  readonly body?: Uint8Array | undefined;
  /** Bytes of a body that is read. Default: 16 MB. `webhookLimits` of the engine are tighter, and answered with 413. */
  readonly maxBytes?: number | undefined;
}

const SHAPES: OptionShapes<NodeRequestOptions> = {
  body: { expected: 'a Uint8Array', fits: (value) => value instanceof Uint8Array },
  maxBytes: wholeNumber(0),
};

/** Headers that Node writes by itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
]);

/**
 * Converts a request of `node:http`, Express or Fastify into what `webhook.handle` takes.
 *
 * @throws EngineError (USAGE) for a request whose body was read and parsed before; WebhookError (WEBHOOK_TOO_LARGE) for more than
 *   `maxBytes`; WebhookError (WEBHOOK_PAYLOAD) where the sender hangs up
 * @example
 * import { createServer } from 'node:http';
 *
 * createServer(async (request, response) => {
 *   const report = await engine.webhook('orders').handle(await fromNodeRequest(request));
 *   sendNodeResponse(response, report);
 * });
 */
export async function fromNodeRequest(
  request: IncomingMessage,
  options: NodeRequestOptions = {},
): Promise<IncomingCall> {
  checkOptions(options, SHAPES, 'The options of fromNodeRequest');
  const { maxBytes = 16 * 1024 * 1024 } = options;
  const { method = 'GET', headers, rawHeaders } = request;
  const scheme = 'encrypted' in request.socket ? 'https' : 'http';
  // Express takes the path that a router is mounted at off `url`.
  const original: unknown = Reflect.get(request, 'originalUrl');
  const path = typeof original === 'string' ? original : (request.url ?? '/');
  const url = path.startsWith('/') ? `${scheme}://${headers.host ?? 'localhost'}${path}` : path;
  return {
    method: method.toUpperCase(),
    url,
    headers: pairHeaders(rawHeaders),
    body: options.body ?? findBody(request) ?? (await readBody(request, maxBytes)),
  };
}

/** `express.raw()` leaves the bytes in `body`. */
function findBody(request: IncomingMessage): Uint8Array | undefined {
  const body: unknown = Reflect.get(request, 'body');
  if (body instanceof Uint8Array) return body;
  if (!request.readableDidRead) return undefined;
  const message =
    'The body of the request was read before. Give its bytes as they were sent: fromNodeRequest(request, { body }).';
  throw new EngineError('USAGE', message);
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Reading continues beyond the limit, so that the sender gets its response.
    for await (const chunk of request) {
      length += (chunk as Buffer).length;
      if (length <= maxBytes) chunks.push(chunk as Buffer);
      else chunks.length = 0;
    }
  } catch (cause) {
    throw new WebhookError('WEBHOOK_PAYLOAD', 'The payload did not arrive whole.', { cause });
  }
  if (length <= maxBytes) return Buffer.concat(chunks, length);
  throw new WebhookError('WEBHOOK_TOO_LARGE', `The payload is larger than ${maxBytes} bytes.`);
}

function pairHeaders(raw: readonly string[]): readonly HeaderEntry[] {
  const headers: HeaderEntry[] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}

/**
 * Sends the response of a webhook call through `node:http`, Express or Fastify (`reply.raw`). The app controls its
 * content, so do not serve it from an origin with your own pages.
 */
export function sendNodeResponse(response: ServerResponse, { answer }: Pick<WebhookReport, 'answer'>): void {
  const { status, body } = answer;
  const headers = new Map<string, string | string[]>();
  for (const [name, value] of answer.headers) {
    const key = name.toLowerCase();
    if (OF_CONNECTION.has(key)) continue;
    const known = headers.get(key);
    headers.set(key, known === undefined ? value : [known, value].flat());
  }
  response.statusCode = status;
  for (const [name, value] of headers) response.setHeader(name, value);
  const hasBody = status !== 204 && status !== 304 && response.req.method !== 'HEAD';
  response.end(hasBody ? body : undefined);
}
