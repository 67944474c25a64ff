/** Name and value, as in `engine/http/transport.ts`. */
type Header = readonly [name: string, value: string];

/** A request as plain data whose body is read on demand. */
export interface PlainRequest {
  /** Upper case. */
  readonly method: string;
  /** The host is a placeholder. */
  readonly url: URL;
  /** Lower-case names, sorted, repeated headers joined, as in the Fetch API. */
  readonly headers: readonly Header[];
  /** Value of Content-Length in bytes, if any; undefined if the request has no body. */
  readonly announcedBytes: number | undefined;
  /** Rejects if the body is incomplete or too large. */
  readonly readBody: () => Promise<Uint8Array>;
}

/** A response as plain data with its whole body. */
export interface PlainResponse {
  readonly status: number;
  /** Names may repeat. */
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

export async function toPlainResponse(response: Response): Promise<PlainResponse> {
  const { status, headers } = response;
  return { status, headers: [...headers], body: Buffer.from(await response.arrayBuffer()) };
}

/** Statuses without a body. The Fetch API rejects even an empty one. */
const BODILESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

export function toFetchResponse({ status, headers, body }: PlainResponse): Response {
  const pairs = headers.map(([name, value]): [string, string] => [name, value]);
  return new Response(BODILESS.has(status) ? null : body, { status, headers: pairs });
}

/**
 * Joins raw headers (name, value, name, value, ...) by the rule of each header. `IncomingMessage.headers` drops some
 * repeated headers.
 */
export function joinHeaders(rawHeaders: readonly string[]): Header[] {
  const joined = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const before = joined.get(name);
    if (before === undefined) joined.set(name, value);
    else joined.set(name, `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  return [...joined].sort(([a], [b]) => (a < b ? -1 : 1));
}
/** Why the server refused a request. */
export type Refusal = 'unreadable' | 'too-large' | 'too-slow' | 'busy' | 'full' | 'failed';

const RESPONSES: Readonly<Record<Refusal, readonly [status: number, text: string]>> = {
  unreadable: [400, 'Malformed request.'],
  'too-slow': [408, 'Request timeout: the client sent too slowly.'],
  'too-large': [413, 'The payload is too large.'],
  failed: [500, 'Internal server error.'],
  busy: [503, 'Too many concurrent requests. Try again later.'],
  full: [503, 'Too many request bytes in flight. Try again later.'],
};

/** Creates a plain text response to a refused request. */
export function refusalResponse(refusal: Refusal, maxBodyBytes: number): Response {
  const [status, reason] = RESPONSES[refusal];
  const text = refusal === 'too-large' ? `The payload is larger than ${maxBodyBytes} bytes.` : reason;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 503 && { 'retry-after': '1' }),
  };
  return new Response(text, { status, headers });
}

/**
 * Whether a browser requests the script of a service worker: one that is served from an address of a webhook would control all other
 * pages of that origin.
 * Source: https://www.w3.org/TR/service-workers/#update-algorithm (`Service-Worker: script`). [doc]
 */
export function isServiceWorkerRequest(headers: Headers): boolean {
  return headers.get('service-worker') !== null;
}

/**
 * Restricts what a browser does with a response that an app or a sender controls: no scripts, forms or access to its origin
 * (`sandbox`), no guessed content type, no service worker for other paths.
 */
function sandboxHeaders(headers: Headers): void {
  headers.delete('service-worker-allowed');
  headers.set('x-content-type-options', 'nosniff');
  headers.append('content-security-policy', 'sandbox');
}

/** The response with `sandboxHeaders` applied. */
export function sandboxPlainResponse({ status, headers, body }: PlainResponse): PlainResponse {
  const remaining = headers.filter(([name]) => !REPLACED.has(name.toLowerCase()));
  return {
    status,
    headers: [...remaining, ['x-content-type-options', 'nosniff'], ['content-security-policy', 'sandbox']],
    body,
  };
}

const REPLACED: ReadonlySet<string> = new Set(['service-worker-allowed', 'x-content-type-options']);

/** The response with `sandboxHeaders` applied. */
export function sandboxResponse({ body, status, statusText, headers }: Response): Response {
  const sandboxed = new Headers(headers);
  sandboxHeaders(sandboxed);
  return new Response(body, { status, statusText, headers: sandboxed });
}
