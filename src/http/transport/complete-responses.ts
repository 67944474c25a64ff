import type { Transport, TransportResponse } from '../message/transport.js';
import { type ContentDecodingOptions, decodeContent } from './content-decoding.js';
import { followRedirects } from './redirects.js';

/**
 * A transport over one that makes single exchanges: redirects are followed, and what comes in the end is decoded. Most responses
 * need neither and are handed on as they came.
 *
 * Rejects as `followRedirects` and `decodeContent`.
 */
export function completeResponses(transport: Transport, options: ContentDecodingOptions = {}): Transport {
  return async (request) => {
    const first = await transport(request);
    if (isComplete(first)) return first;
    return decodeContent(await followRedirects(first, request, transport), request.signal, options);
  };
}

function isComplete({ status, headers }: TransportResponse): boolean {
  return (status < 300 || status > 399) && !Object.hasOwn(headers, 'content-encoding');
}
