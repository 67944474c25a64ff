import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPage, type PageSizes } from './records.js';

/** The API in a separate process: `/SIZE/contacts?page=N`. Creates pages at start, so that requests cost little. */
const SIZES: Readonly<Record<string, PageSizes>> = JSON.parse(process.argv[2] ?? '{}');

interface Page {
  readonly body: Buffer;
  readonly delayMs: number;
}

const pages: ReadonlyMap<string, Page> = new Map<string, Page>(
  Object.entries(SIZES).flatMap(([name, sizes]) =>
    Array.from({ length: sizes.pages }, (_, index) => {
      const body = Buffer.from(createPage(index + 1, sizes));
      return [`/${name}/contacts?page=${index + 1}`, { body, delayMs: sizes.delayMs ?? 0 }] as const;
    }),
  ),
);

const server = createServer((request, response) => {
  const page = pages.get(request.url ?? '');
  if (page === undefined) response.writeHead(404, { 'content-length': 0 }).end();
  else if (page.delayMs > 0) setTimeout(() => send(response, page.body), page.delayMs);
  else send(response, page.body);
});

function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
