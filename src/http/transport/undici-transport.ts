import {
  checkMembers,
  either,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  oneOfChoices,
  wholeNumber,
} from '../../errors/check-options.js';
import { EngineError } from '../../errors/engine-error.js';
import { LONGEST_TIMER_MS } from '../../util/clock.js';
import { createNetworkGuard, type NetworkGuard } from '../guard/network-guard.js';
import { parseHttpUrl, requestInvalid } from '../message/http-url.js';
import type { Transport, TransportRequest, TransportResponse } from '../message/transport.js';
import { MAX_RESPONSE_BYTES } from './response-bytes.js';
import { ResponseCollector } from './response-collector.js';
import { type AgentPool, createAgentPool, type TransportTimeouts } from './undici-agents.js';

/** Guard, ceilings and timeouts (milliseconds) of the transport on undici. Default: public addresses only, 64 MiB. */
export interface UndiciTransportOptions extends Partial<TransportTimeouts> {
  /** Default: only public addresses. */
  readonly guard?: NetworkGuard | undefined;
  /** Bytes of a body as they come over the wire. Default: 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Default: 64. */
  readonly maxConnectionsPerOrigin?: number | undefined;
}

/** A transport that holds connections until it is closed. */
export type ClosableTransport = Transport & {
  /** Ends once the running requests have; later ones are refused with USAGE. */
  readonly close: () => Promise<void>;
};

/**
 * The longest time limit an app can set is also how long headers and body may be silent: the limit of a run is kept by
 * its signal, and these only catch a caller without one.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests, timeout. [doc]
 */
const DEFAULT_TIMEOUTS: TransportTimeouts = Object.freeze({
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 300_000,
  bodyTimeoutMs: 300_000,
});

const TIMER_MS: OptionShape = wholeNumber(0, LONGEST_TIMER_MS);

/** What the settings of a transport may be. */
export const TRANSPORT_SHAPES: OptionShapes<Omit<UndiciTransportOptions, 'guard'>> = {
  maxResponseBytes: either(wholeNumber(0), oneOfChoices(Number.POSITIVE_INFINITY)),
  maxConnectionsPerOrigin: wholeNumber(1),
  connectTimeoutMs: TIMER_MS,
  headersTimeoutMs: TIMER_MS,
  bodyTimeoutMs: TIMER_MS,
};

const GUARD: OptionShape = objectWithFunctions(['checkHost', 'checkAddress', 'lookup']);

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Z-]{1,40}$/;

/**
 * One hop over undici: no redirect is followed and nothing is decoded; see `completeResponses`.
 * Connections stay open per instance. No proxy variable of the process is read.
 *
 * @throws EngineError (USAGE) for an option that is none, or of another type
 *
 * The transport rejects with the signal's reason once aborted, else with TransportError: REQUEST_INVALID,
 * NETWORK_REFUSED, NETWORK_FAILED, NETWORK_TIMEOUT, NETWORK_CERTIFICATE or NETWORK_RESPONSE_TOO_LARGE.
 */
export function createUndiciTransport(options: UndiciTransportOptions = {}): ClosableTransport {
  checkMembers(options, { ...TRANSPORT_SHAPES, guard: GUARD }, 'The options of createUndiciTransport');
  const maxBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES;
  const agentOptions = {
    connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_TIMEOUTS.connectTimeoutMs,
    headersTimeoutMs: options.headersTimeoutMs ?? DEFAULT_TIMEOUTS.headersTimeoutMs,
    bodyTimeoutMs: options.bodyTimeoutMs ?? DEFAULT_TIMEOUTS.bodyTimeoutMs,
    guard: options.guard ?? createNetworkGuard(),
    maxConnectionsPerOrigin: options.maxConnectionsPerOrigin ?? 64,
  };
  let loading: Promise<AgentPool> | undefined;
  let pool: AgentPool | undefined;
  let isClosed = false;

  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    request.signal.throwIfAborted();
    if (isClosed) throw new EngineError('USAGE', 'The transport is closed.');
    if (pool === undefined) {
      loading ??= createAgentPool(agentOptions);
      pool = await loading;
      request.signal.throwIfAborted();
    }
    return exchange(request, pool, maxBytes);
  };

  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await (await loading)?.close();
  };
  return Object.assign(send, { close });
}

function exchange(request: TransportRequest, pool: AgentPool, maxBytes: number): Promise<TransportResponse> {
  const { origin, path, query } = parseHttpUrl(request.url);
  if (!METHOD.test(request.method)) {
    throw requestInvalid('The method must be a token in upper case.');
  }
  if (request.method === 'CONNECT')
    throw requestInvalid('The method CONNECT opens a tunnel and cannot be sent.');
  const agent = request.ca === undefined ? pool.common : pool.agentFor(request.ca);
  return new Promise((resolve, reject) => {
    const collector = new ResponseCollector(request, origin, maxBytes, { resolve, reject });
    agent.dispatch(
      {
        origin,
        path: query === undefined ? path : `${path}?${query}`,
        method: request.method,
        headers: request.headers.flat(),
        body: request.body ?? null,
      },
      collector,
    );
  });
}
