import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpServer, type Loopback } from '../http/loopback.js';

/** Reaction of a server to the request for a page, instead of a response. */
export type Disturbance = (page: number, request: IncomingMessage, response: ServerResponse) => boolean;

const PER_PAGE = 100;

/** A server of `total` fonts in pages of 100, as spec-fixtures/corpus/fonts lists them. */
export function fontServer(total: number, disturb: Disturbance = () => false): Promise<Loopback> {
  return httpServer((request, response) => {
    const page = Number(new URL(request.url ?? '/', 'http://fonts').searchParams.get('page'));
    if (disturb(page, request, response)) return;
    const first = (page - 1) * PER_PAGE;
    const count = Math.max(0, Math.min(PER_PAGE, total - first));
    const data = Array.from({ length: count }, (_, index) => ({ uuid: `f${first + index + 1}` }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data, pagination: { page, per_page: PER_PAGE, total } }));
  });
}
