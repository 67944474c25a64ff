/** Name and value, as in `http/message/transport.ts`. */
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
