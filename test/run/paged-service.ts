import type { IncomingMessage, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { httpServer, type Loopback } from '../http/loopback.js';

/** What a service answers for one page. */
export interface ServedPage {
  readonly items: number;
  /** What it says there is in all; it may say another number on each page. */
  readonly pages: number;
  readonly fault?: 'reset' | 'redirect' | 'garbage' | 429 | 404 | 400 | 500 | 503 | undefined;
  readonly retryAfter?: string | undefined;
  readonly delayMs?: number | undefined;
  /** Rate limit headers: calls left, seconds until there are more. */
  readonly left?: readonly [remaining: number, resetS: number] | undefined;
}

/** A service whose answers depend on the page that is asked for, and on how many are asked for at a time. */
export interface PagedService {
  readonly script: readonly ServedPage[];
  /** Requests it serves at a time; it answers 429 to more. */
  readonly atATime: number;
}

export interface Served extends Loopback {
  serve(service: PagedService): void;
  /** Pages in the order they were asked for. */
  readonly asked: number[];
  /** The most requests that were on their way at a time. */
  readonly most: () => number;
}

/** A server for any number of scripts, one after the other. A page behind the script is an empty one. */
export async function servePages(): Promise<Served> {
  let { script, atATime }: PagedService = { script: [], atATime: 1 };
  const asked: number[] = [];
  let open = 0;
  let most = 0;
  const loopback = await httpServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service');
    const page = Number(url.searchParams.get('page') ?? 1);
    if (url.pathname !== '/moved') asked.push(page);
    open++;
    most = Math.max(most, open);
    response.once('close', () => open--);
    const served = script[page - 1] ?? { items: 0, pages: script.length };
    const fault = open > atATime ? 429 : url.pathname === '/moved' ? undefined : served.fault;
    setTimeout(() => answer(page, { ...served, fault }, request, response), served.delayMs ?? 0);
  });
  return Object.assign(loopback, {
    asked,
    most: () => most,
    serve: (service: PagedService) => {
      ({ script, atATime } = service);
      asked.length = 0;
      most = 0;
    },
  });
}

function answer(
  page: number,
  { items, pages, fault, retryAfter, left }: ServedPage,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (fault === 'reset') {
    request.socket.destroy();
    return;
  }
  response.setHeader('content-type', 'application/json');
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  if (left !== undefined) {
    response.setHeader('ratelimit-remaining', left[0]);
    response.setHeader('ratelimit-reset', left[1]);
  }
  if (typeof fault === 'number') response.statusCode = fault;
  if (fault === 'redirect') response.writeHead(302, { location: `/moved?page=${page}` });
  if (fault === 'garbage') response.end('<html>');
  else
    response.end(
      JSON.stringify({
        items: Array.from({ length: items }, (_, index) => ({ id: page * 100 + index })),
        pages,
        message: `page ${page} has failed`,
      }),
    );
}

const FAULTS = ['reset', 'redirect', 'garbage', 429, 404, 400, 500, 503] as const;

const servedPage: fc.Arbitrary<ServedPage> = fc.record({
  items: fc.oneof({ weight: 6, arbitrary: fc.constant(3) }, { weight: 1, arbitrary: fc.nat(4) }),
  pages: fc.oneof({ weight: 4, arbitrary: fc.constant(8) }, { weight: 1, arbitrary: fc.nat(12) }),
  fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 12 }),
  retryAfter: fc.option(fc.constantFrom('0', '2', '999999999', 'soon'), { nil: undefined, freq: 8 }),
  delayMs: fc.option(fc.nat(3), { nil: undefined, freq: 3 }),
  left: fc.option(fc.tuple(fc.nat(3), fc.nat(90)), { nil: undefined, freq: 6 }),
});

/** Services with faults of all kinds, and those that do not like to be asked for several pages at a time. */
export const pagedService: fc.Arbitrary<PagedService> = fc.record({
  script: fc.array(servedPage, { maxLength: 12 }),
  atATime: fc.oneof(
    { weight: 3, arbitrary: fc.constant(9) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
  ),
});
