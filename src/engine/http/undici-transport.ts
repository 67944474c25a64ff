import { AsyncLocalStorage } from 'node:async_hooks';
import { X509Certificate } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { LONGEST_TIMER_MS } from '../../shared/clock.js';
import { type AbortListener, addAbortListener, removeAbortListener } from '../../shared/concurrency.js';
import {
  checkMembers,
  either,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  oneOfChoices,
  wholeNumber,
} from '../../shared/errors/check-options.js';
import type { ErrorCode } from '../../shared/errors/codes.js';
import { EngineError, requestInvalid, TransportError } from '../../shared/errors/engine-error.js';
import { CASELESS, setMember } from '../../shared/plain-object.js';
import { trimTrailing } from '../../shared/text.js';
import { parseHttpUrl } from './http-url.js';
import { createNetworkGuard, type NetworkGuard } from './network-guard.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';

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

/** Largest number of interim responses (103 Early Hints and similar) per response. */
const MAX_INTERIM = 16;

interface Settle {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects one response from dispatcher events. Settles once, by response, failure or abort, and ignores later events.
 */
class ResponseCollector implements Dispatcher.DispatchHandler, AbortListener {
  readonly #request: TransportRequest;
  readonly #origin: string;
  readonly #maxBytes: number;
  readonly #settle: Settle;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #interim = 0;
  #status = 0;
  #headers: TransportResponse['headers'] = {};
  /** Filled up to `#length`; has the announced size or grows. */
  #body: Buffer<ArrayBufferLike> = EMPTY;
  #length = 0;
  #announced: number | undefined;
  readonly #hold: ReserveBytes | undefined = findByteReservation();
  /** Bytes that may be read without waiting. */
  #counted = UNCOUNTED_BYTES;

  constructor(request: TransportRequest, origin: string, maxBytes: number, settle: Settle) {
    this.#request = request;
    this.#origin = origin;
    this.#maxBytes = maxBytes;
    this.#settle = settle;
    addAbortListener(request.signal, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(new Error('aborted before it was sent'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM) this.#fail(flood(this.#origin));
      return;
    }
    this.#status = status;
    this.#headers = readHeaders(headers);
    const announced = this.#headers['content-length'];
    this.#announced =
      typeof announced === 'string' && /^\d+$/.test(announced) ? Number(announced) : undefined;
    // A 304 may announce the length of a body it omits, which undici reports as a truncated body.
    if (status === 204 || status === 304) {
      this.#succeed();
    } else if (this.#request.method !== 'HEAD' && (this.#announced ?? 0) > this.#maxBytes) {
      this.#fail(tooLarge(this.#origin, this.#maxBytes));
    } else {
      this.#count(this.#announced ?? 0);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) {
      this.#fail(tooLarge(this.#origin, this.#maxBytes));
      return;
    }
    if (length === this.#announced && this.#length === 0) {
      // The whole body in one chunk, which undici hands over: no copy needed.
      this.#body = chunk;
    } else {
      if (length > this.#body.length) this.#grow(length);
      chunk.copy(this.#body, this.#length);
    }
    this.#length = length;
    // Without an announced length, reserves twice the length, up to the limit.
    if (length > this.#counted) this.#count(Math.min(2 * length, this.#maxBytes));
  }

  onResponseEnd(): void {
    // undici frees the connection one event loop iteration later. Resolving earlier would make the next page open a
    // second connection, with a TLS handshake.
    if (this.#origin.startsWith('https:')) process.nextTick(() => setImmediate(() => this.#succeed()));
    else this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#finish()) this.#settle.reject(transportFailure(error, this.#origin));
  }

  onAbort(): void {
    this.#fail(this.#request.signal.reason);
  }

  /** Pauses reading until the bytes are reserved. */
  #count(bytes: number): void {
    const controller = this.#controller;
    if (this.#hold === undefined || bytes <= this.#counted || this.#request.method === 'HEAD') return;
    this.#counted = bytes;
    controller?.pause();
    this.#hold(bytes).then(
      () => controller?.resume(),
      (error: unknown) => this.#fail(error),
    );
  }

  #succeed(): void {
    if (!this.#finish()) return;
    this.#settle.resolve({
      status: this.#status,
      headers: this.#headers,
      body: this.#bytes(),
      url: this.#request.url,
    });
  }

  /** Aborts the exchange. */
  #fail(reason: unknown): void {
    if (!this.#finish()) return;
    this.#settle.reject(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'));
  }

  #finish(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    removeAbortListener(this.#request.signal, this);
    return true;
  }

  /** Allocates the announced size at once, as untouched memory is not committed; otherwise doubles. */
  #grow(needed: number): void {
    const announced = this.#announced ?? 0;
    const size =
      announced >= needed ? announced : Math.min(Math.max(needed, this.#body.length * 2), this.#maxBytes);
    const grown = Buffer.allocUnsafeSlow(size);
    this.#body.copy(grown, 0, 0, this.#length);
    this.#body = grown;
  }

  /** Copies a body that uses less than half of its buffer. */
  #bytes(): Uint8Array {
    if (this.#length === this.#body.length) return this.#body;
    const used = this.#body.subarray(0, this.#length);
    return this.#length * 2 < this.#body.length ? Buffer.from(used) : used;
  }
}

const EMPTY: Buffer<ArrayBufferLike> = Buffer.alloc(0);

/** In the form expressions read, to avoid a later copy. */
function readHeaders(headers: Record<string, string | string[] | undefined>): TransportResponse['headers'] {
  const read: Record<string, string | readonly string[]> = Object.create(CASELESS);
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    if (name === 'set-cookie') read[name] = typeof value === 'string' ? [value] : value;
    else setMember(read, name, trimTrailingSpace(typeof value === 'string' ? value : value.join(', ')));
  }
  return read;
}

/** The parser removes leading whitespace only. */
function trimTrailingSpace(text: string): string {
  return /[ \t]$/.test(text) ? trimTrailing(text, ' \t') : text;
}

function tooLarge(origin: string, maxBytes: number): TransportError {
  return new TransportError(
    'NETWORK_RESPONSE_TOO_LARGE',
    `${origin}: the response is larger than ${maxBytes} bytes.`,
    { retryable: false },
  );
}

function flood(origin: string): TransportError {
  return new TransportError('NETWORK_FAILED', `${origin}: more than ${MAX_INTERIM} interim responses.`, {
    retryable: false,
  });
}

interface Failure {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly text: string;
}

const FAILURES: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: failed('the connection was refused'),
  ECONNRESET: failed('the connection was reset'),
  ECONNABORTED: failed('the connection was reset'),
  EPIPE: failed('the connection was closed while the request was sent'),
  ENOTFOUND: failed('the host name does not resolve'),
  EAI_AGAIN: failed('the host name cannot be resolved at the moment'),
  EHOSTUNREACH: failed('the host cannot be reached'),
  ENETUNREACH: failed('the network cannot be reached'),
  UND_ERR_SOCKET: failed('the connection was closed before the response was complete'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: failed(
    'the response is shorter or longer than its Content-Length says',
  ),
  EPROTO: { ...failed('the TLS handshake failed'), retryable: false },
  ETIMEDOUT: timedOut('the connection timed out'),
  UND_ERR_CONNECT_TIMEOUT: timedOut('no connection before the timeout'),
  UND_ERR_HEADERS_TIMEOUT: timedOut('no response before the timeout'),
  UND_ERR_BODY_TIMEOUT: timedOut('the response stopped in the middle'),
  UND_ERR_HEADERS_OVERFLOW: {
    code: 'NETWORK_RESPONSE_TOO_LARGE',
    retryable: false,
    text: 'the headers of the response are too large',
  },
  UND_ERR_INVALID_ARG: {
    code: 'REQUEST_INVALID',
    retryable: false,
    text: 'the method, the URL or a header contains an invalid character',
  },
};

/** OpenSSL codes for a certificate chain that does not verify. */
const CERTIFICATE_CODE =
  /CERT|CRL|UNABLE_TO_|ERR_TLS_CERT|SELF_SIGNED|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH/;

/**
 * Converts a network failure to a TransportError. The message names the origin only, as path and query may contain
 * tokens. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error.
 */
export function transportFailure(error: unknown, origin: string): TransportError {
  if (error instanceof TransportError) return error;
  const errno = findErrno(error);
  const { code, retryable, text } = findFailure(errno);
  const shownErrno = errno === undefined ? '' : ` (${errno})`;
  return new TransportError(code, `${origin}: ${text}${shownErrno}.`, { retryable, errno, cause: error });
}

function findFailure(errno: string | undefined): Failure {
  if (errno === undefined) return failed('the exchange failed');
  const known = Object.hasOwn(FAILURES, errno) ? FAILURES[errno] : undefined;
  if (known !== undefined) return known;
  if (errno.startsWith('HPE_')) return { ...failed('the response is not HTTP'), retryable: false };
  if (CERTIFICATE_CODE.test(errno)) {
    return {
      code: 'NETWORK_CERTIFICATE',
      retryable: false,
      text: 'the certificate of the server was not accepted',
    };
  }
  if (errno.startsWith('ERR_SSL_')) return { ...failed('the TLS handshake failed'), retryable: false };
  return failed('the exchange failed');
}

function failed(text: string): Failure {
  return { code: 'NETWORK_FAILED', retryable: true, text };
}

function timedOut(text: string): Failure {
  return { code: 'NETWORK_TIMEOUT', retryable: true, text };
}

function findErrno(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Largest size of a response in bytes, encoded and decoded: 64 MiB. */
export const MAX_RESPONSE_BYTES: number = 64 * 1024 * 1024;

/** Waits until the run may hold a response of this size. */
export type ReserveBytes = (bytes: number) => Promise<void>;

/** Smaller responses are not counted; the number of concurrent runs bounds them. [choice] */
export const UNCOUNTED_BYTES: number = 256 * 1024;

const CURRENT = new AsyncLocalStorage<ReserveBytes>();

/** Runs `work` and counts the bytes of its responses. */
export function withByteReservation<T>(hold: ReserveBytes, work: () => T): T {
  return CURRENT.run(hold, work);
}

/** Returns the byte counter of the current work, if any. */
export function findByteReservation(): ReserveBytes | undefined {
  return CURRENT.getStore();
}

/** All values are milliseconds. */
interface TransportTimeouts {
  /** Time to connect: DNS, TCP and TLS. */
  readonly connectTimeoutMs: number;
  /** Time from sending the request until all headers arrived. */
  readonly headersTimeoutMs: number;
  /** Time between two chunks of a body. */
  readonly bodyTimeoutMs: number;
}

interface AgentOptions extends TransportTimeouts {
  readonly guard: NetworkGuard;
  /** Largest number of open connections per origin; further requests wait. */
  readonly maxConnectionsPerOrigin: number;
}

/** Largest number of agents for additional certificate authorities; the least recently used one is closed first. */
const MAX_CA_AGENTS = 16;

/** Largest total size of response headers. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Dispatchers of one transport: one for the system's certificate authorities, and one per additional authority. */
interface AgentPool {
  readonly common: Agent;
  /** @throws REQUEST_INVALID for an invalid `ca` */
  readonly agentFor: (ca: string) => Agent;
  readonly close: () => Promise<void>;
}

/** Loads undici with the first request, as its import takes longer than a short run. */
export async function createAgentPool(options: AgentOptions): Promise<AgentPool> {
  const undici = await loadUndici();
  const byCa = new Map<string, Agent>();
  const retired = new Set<Promise<void>>();

  const makeAgent = (secureContext: SecureContext | undefined): Agent =>
    new undici.Agent({
      connect: guardedConnector(undici.buildConnector, secureContext, options),
      connections: options.maxConnectionsPerOrigin,
      headersTimeout: options.headersTimeoutMs,
      bodyTimeout: options.bodyTimeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  const common = makeAgent(undefined);

  const retireOldest = (): void => {
    const [oldest] = byCa;
    if (oldest === undefined || byCa.size < MAX_CA_AGENTS) return;
    byCa.delete(oldest[0]);
    const closing = oldest[1].close().finally(() => retired.delete(closing));
    retired.add(closing);
  };

  const agentFor = (ca: string): Agent => {
    if (ca.trim() === '') return common;
    const known = byCa.get(ca);
    const agent = known ?? makeAgent(makeSecureContext(ca));
    if (known === undefined) retireOldest();
    byCa.delete(ca);
    byCa.set(ca, agent);
    return agent;
  };

  const close = async (): Promise<void> => {
    await Promise.all([common.close(), ...[...byCa.values()].map((agent) => agent.close()), ...retired]);
  };
  return { common, agentFor, close };
}

/** OpenSSL blocks the event loop while it reads certificates. Real chains are far smaller. [choice] */
const MAX_CERTIFICATES = 100;
const MAX_CA_LENGTH: number = 256 * 1024;

/** Adds an authority to those of the system. */
function makeSecureContext(ca: string): SecureContext {
  // Counts blocks of any kind, as OpenSSL accepts several labels for a certificate.
  if (
    ca.length > MAX_CA_LENGTH ||
    ca.split('-----BEGIN ', MAX_CERTIFICATES + 2).length > MAX_CERTIFICATES + 1
  ) {
    throw requestInvalid(
      `ca is too large: expected at most ${MAX_CERTIFICATES} certificates and ${MAX_CA_LENGTH} characters.`,
    );
  }
  const certificates = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  if (certificates === null) throw requestInvalid('ca must be a certificate in PEM form.');
  try {
    // `createSecureContext` silently ignores invalid certificates; every connection would then fail.
    for (const certificate of certificates) new X509Certificate(certificate);
    return createSecureContext({ ca: [...rootCertificates, ca] });
  } catch (cause) {
    throw requestInvalid('ca is not a valid certificate.', cause);
  }
}

/** Checks literal addresses here, as they need no lookup. `guard.lookup` checks the addresses a name resolves to. */
function guardedConnector(
  build: typeof buildConnector,
  secureContext: SecureContext | undefined,
  { guard, connectTimeoutMs }: AgentOptions,
): buildConnector.connector {
  const connect = build({
    timeout: connectTimeoutMs,
    lookup: guard.lookup,
    ...(secureContext && { secureContext }),
  });
  return (target, callback) => {
    try {
      guard.checkHost(target.hostname);
    } catch (refusal) {
      callback(refusal instanceof Error ? refusal : new Error('refused'), null);
      return;
    }
    connect(target, callback);
  };
}

/** The used part of undici. */
interface Undici {
  readonly Agent: typeof Agent;
  readonly buildConnector: typeof buildConnector;
}

/**
 * Loads the dispatcher only: fetch, WebSocket, caches and mocks are half of the package and slow to load. File paths
 * of undici are not stable, so a failed import falls back to the whole package.
 */
export async function loadUndici(): Promise<Undici> {
  try {
    const [agent, connect] = await Promise.all([
      import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/core/connect.js'),
    ]);
    return { Agent: agent.default, buildConnector: connect.default };
  } catch {
    return import('undici');
  }
}
