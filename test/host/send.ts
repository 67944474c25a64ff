import { request } from 'node:http';

export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Sends a request on a new connection. The server may close a kept-alive connection just before its reuse, which
 * would fail the test.
 */
export function send(url: string, { method = 'POST', headers = {}, body }: Sending = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () => {
        const { statusCode: status = 0, rawHeaders } = incoming;
        const pairs = rawHeaders.flatMap((name, index): [string, string][] =>
          index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
        );
        const isEmpty = status === 204 || status === 304;
        resolve(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: pairs }));
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
