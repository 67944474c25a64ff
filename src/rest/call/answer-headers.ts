import type { Answer, PlainHeaders } from './answer.js';

/** Response headers that pages of other origins may read. */
const EXPOSED = 'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, x-request-id';

/** The headers of every response. */
export function commonHeaders(cors: string | undefined, requestId: string): PlainHeaders {
  return {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    ...(cors !== undefined && {
      'access-control-allow-origin': cors,
      'access-control-expose-headers': EXPOSED,
    }),
  };
}

/** The response to a CORS preflight request. */
export function preflight(methods: readonly string[]): Answer {
  return {
    status: 204,
    body: null,
    headers: {
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    },
  };
}
