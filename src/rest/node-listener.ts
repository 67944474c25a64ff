import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorResponse } from './call/answer.js';
import { badRequest, invalidParameter } from './problems.js';

/** A listener for `node:http` and `node:https` that answers through a Fetch handler. */
export function createNodeListener(
  handle: (request: Request) => Promise<Response>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    void answer(handle, incoming, outgoing);
  };
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const request = toRequest(incoming);
    await send(request ? await handle(request) : unreadable(), outgoing);
    // What is left of a body nobody read would be taken for the next request.
    if (!incoming.complete) incoming.resume();
  } catch {
    outgoing.destroy();
  }
}

/** Undefined when the request line or a header has a form the Fetch API does not know. */
function toRequest(incoming: IncomingMessage): Request | undefined {
  const { method = 'GET', url = '/', headers } = incoming;
  if (!url.startsWith('/') && !/^https?:\/\//.test(url)) return undefined;
  // The URL parser would take it for a slash, and so for another path than a proxy in front of us saw.
  if (url.includes('\\')) return undefined;
  // The host decides nothing here: routes have paths only.
  const address = url.startsWith('/') ? `http://localhost${url}` : url;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    return new Request(address, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((it): [string, string] => [name, it]),
      ),
      ...(hasBody && { body: toStream(incoming), duplex: 'half' }),
    });
  } catch {
    return undefined;
  }
}

/**
 * The body as it is asked for, and not before. A reader that stops early leaves the connection open, so that the answer
 * still arrives; `answer` lets the rest run off.
 */
function toStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function unreadable(): Response {
  return errorResponse(badRequest([invalidParameter('request', 'must be readable')]));
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.setHeader(name, value);
  // Answers are small and complete: one write, with a length.
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 204) outgoing.setHeader('content-length', body.length);
  outgoing.end(body);
}
