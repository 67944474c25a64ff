import {
  checkMembers,
  either,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  oneOfChoices,
  wholeNumber,
} from '../../shared/errors/check-options.js';
import { EngineError, requestInvalid } from '../../shared/errors/engine-error.js';
import { LONGEST_TIMER_MS } from '../../shared/time.js';
import { parseHttpUrl } from './http-url.js';
import { createNetworkGuard, type NetworkGuard } from './network-guard.js';
import { MAX_RESPONSE_BYTES, ResponseCollector } from './response-collector.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';
import { type AgentPool, createAgentPool, type TransportTimeouts } from './undici-agents.js';

/** Guard, limits and timeouts (milliseconds) of the undici transport. Default: public addresses only, 64 MiB. */
export interface UndiciTransportOptions extends Partial<TransportTimeouts> {
  /** Default: public addresses only. */
  readonly guard?: NetworkGuard | undefined;
  /** Largest encoded body in bytes. Default: 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Default: 64. */
  readonly maxConnectionsPerOrigin?: number | undefined;
}

/** A transport that keeps connections open until it is closed. */
export type ClosableTransport = Transport & {
  /** Resolves when running requests have ended. Later requests reject with USAGE. */
  readonly close: () => Promise<void>;
};

/**
 * The longest time limit of an app also limits silence of headers and body. The run's signal enforces the actual
 * limit; these apply to callers without one. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests, timeout. [doc]
 */
const DEFAULT_TIMEOUTS: TransportTimeouts = Object.freeze({
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 300_000,
  bodyTimeoutMs: 300_000,
});

const TIMER_MS: OptionShape = wholeNumber(0, LONGEST_TIMER_MS);

/** Allowed settings of a transport. */
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
 * Creates a transport for single exchanges on undici: follows no redirects and decodes nothing; see
 * `completeResponses`. Keeps connections open per instance. Ignores proxy environment variables.
 *
 * @throws EngineError (USAGE) for an unknown or invalid option
 *
 * The transport rejects with the signal's reason after an abort, else with TransportError: REQUEST_INVALID,
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
    throw requestInvalid('Invalid HTTP method: expected a token in upper case.');
  }
  if (request.method === 'CONNECT') throw requestInvalid('The HTTP method CONNECT is not supported.');
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
