/** A name and a value, as in `http/message/transport.ts`. */
type Header = readonly [name: string, value: string];

/** A request as plain data, its body read when it is asked for. */
export interface PlainRequest {
  /** Upper case. */
  readonly method: string;
  /** Its host says nothing. */
  readonly url: URL;
  /** Lower case, by their names; what came more than once is one: as the Fetch API has them. */
  readonly headers: readonly Header[];
  /** Bytes as far as they are announced; undefined where no body comes. */
  readonly announcedBytes: number | undefined;
  /** Rejects where it does not come, or is too large. */
  readonly readBody: () => Promise<Uint8Array>;
}

/** An answer that is all there. */
export interface PlainAnswer {
  readonly status: number;
  /** A name may stand more than once. */
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

export async function toPlainAnswer(response: Response): Promise<PlainAnswer> {
  const { status, headers } = response;
  return { status, headers: [...headers], body: Buffer.from(await response.arrayBuffer()) };
}

/** A body no answer of that status has: the Fetch API refuses even an empty one. */
const BODILESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

export function toFetchResponse({ status, headers, body }: PlainAnswer): Response {
  const given = headers.map(([name, value]): [string, string] => [name, value]);
  return new Response(BODILESS.has(status) ? null : body, { status, headers: given });
}

/** Headers as they came, name and value in turn, a repeated one joined as its rules say; Node's own view drops some. */
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
