import { gzipSync } from 'node:zlib';
import type { Transport, TransportRequest, TransportResponse } from '../http/transport.js';
import { transportFailure } from '../http/transport-failure.js';
import type { Exchange, PageServer, ScriptedResponse } from './fixture.js';
import { describeMismatches } from './match-request.js';
import { readTagged } from './tagged-values.js';
import type { VirtualClock } from './virtual-clock.js';

/** A transport that answers from a script, and tells what did not go by it. */
export interface ScriptedTransport {
  readonly transport: Transport;
  /** Calls that were not as scripted, with what was asked; and, once the run is over, calls that were not made. */
  readonly problems: () => readonly string[];
}

/** Plays exchanges strictly in order. A call beyond them fails as a broken connection would. */
export function createScriptedTransport(exchanges: readonly Exchange[]): ScriptedTransport {
  const problems: string[] = [];
  let next = 0;
  const transport: Transport = async (request) => {
    request.signal.throwIfAborted();
    const exchange = exchanges[next];
    next++;
    if (exchange === undefined) {
      problems.push(`Call ${next} is not in the script: ${request.method} ${request.url}`);
      throw transportFailure({ code: 'ECONNRESET' }, new URL(request.url).origin);
    }
    for (const mismatch of describeMismatches(exchange.request ?? {}, request))
      problems.push(`Call ${next}: ${mismatch}`);
    return answer(exchange.response ?? {}, request);
  };
  return {
    transport,
    problems: () =>
      next < exchanges.length
        ? [...problems, `${next} of ${exchanges.length} scripted calls were made.`]
        : problems,
  };
}

/** Plays a service whose pages never end. */
export function createPageServer(server: PageServer, clock: VirtualClock): ScriptedTransport {
  const problems: string[] = [];
  const transport: Transport = async (request) => {
    request.signal.throwIfAborted();
    const url = new URL(request.url);
    if (request.method !== 'GET' || url.pathname !== server.path) {
      problems.push(`Only GET ${server.path} is served, not ${request.method} ${url.pathname}.`);
    }
    clock.advance(server.delayMs ?? 0);
    request.signal.throwIfAborted();
    const page = Number(url.searchParams.get(server.pageParam) ?? 1);
    const first = (page - 1) * server.pageSize + 1;
    const items = Array.from({ length: server.pageSize }, (_, index) => ({ id: first + index }));
    return answer({ status: 200, body: { [server.itemsKey]: items } }, request);
  };
  return { transport, problems: () => problems };
}

function answer(response: ScriptedResponse, request: TransportRequest): TransportResponse {
  if (response.networkError !== undefined) {
    throw transportFailure({ code: response.networkError }, new URL(request.url).origin);
  }
  const headers: Record<string, string | readonly string[]> = {};
  const plain = bodyOf(response);
  if (response.body !== undefined) headers['content-type'] = 'application/json';
  for (const [name, value] of Object.entries(response.headers ?? {})) headers[name.toLowerCase()] = value;
  if (response.encoding === 'gzip') headers['content-encoding'] = 'gzip';
  return {
    status: response.status ?? 200,
    headers: Object.freeze(Object.assign(Object.create(null), headers)),
    body: response.encoding === 'gzip' ? gzipSync(plain) : plain,
    url: request.url,
  };
}

function bodyOf(response: ScriptedResponse): Uint8Array {
  if (response.bodyBase64 !== undefined) return Buffer.from(response.bodyBase64, 'base64');
  if (response.bodyText !== undefined) return Buffer.from(response.bodyText, 'utf8');
  return response.body === undefined
    ? Buffer.alloc(0)
    : Buffer.from(JSON.stringify(readTagged(response.body)), 'utf8');
}
