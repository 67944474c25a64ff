import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPage, type PageSizes } from './records.js';

/** The service, run in a process of its own: `/SIZE/contacts?page=N`. Pages are made beforehand, so that it costs little. */
const SIZES: Readonly<Record<string, PageSizes>> = JSON.parse(process.argv[2] ?? '{}');

const pages: ReadonlyMap<string, Buffer> = new Map<string, Buffer>(
  Object.entries(SIZES).flatMap(([name, sizes]) =>
    Array.from({ length: sizes.pages }, (_, index) => {
      const body = Buffer.from(createPage(index + 1, sizes));
      return [`/${name}/contacts?page=${index + 1}`, body] as const;
    }),
  ),
);

const server = createServer((request, response) => {
  const body = pages.get(request.url ?? '');
  if (body === undefined) response.writeHead(404, { 'content-length': 0 }).end();
  else {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  }
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
