import type { Dispatcher } from 'undici';
import type { ErrorCode } from '../../errors/codes.js';
import { TransportError } from '../../errors/engine-error.js';
import { type AbortListener, addAbortListener, removeAbortListener } from '../../util/abort-listeners.js';
import { CASELESS, setMember } from '../../util/plain-object.js';
import { trimTrailing } from '../../util/text.js';
import type { TransportRequest, TransportResponse } from '../message/transport.js';
import { findHoldBytes, type HoldBytes, UNCOUNTED_BYTES } from './response-bytes.js';

/** Interim answers (103 Early Hints and the like) one response may have; more are a flood. */
const MAX_INTERIM = 16;

interface Settle {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Gathers one response from the events of a dispatcher. State with a life, so an object: it ends once, by the
 * response, by a failure or by the signal, and ignores what comes after.
 */
export class ResponseCollector implements Dispatcher.DispatchHandler, AbortListener {
  readonly #request: TransportRequest;
  readonly #origin: string;
  readonly #maxBytes: number;
  readonly #settle: Settle;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #interim = 0;
  #status = 0;
  #headers: TransportResponse['headers'] = {};
  /** Filled up to `#length`; of the announced size, or growing. */
  #body: Buffer<ArrayBufferLike> = EMPTY;
  #length = 0;
  #announced: number | undefined;
  readonly #hold: HoldBytes | undefined = findHoldBytes();
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
    // A 304 may name the length of what it does not send, which undici would take for a body cut off.
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
      // Whole in one piece, which is ours: nothing reads into the memory of a socket twice.
      this.#body = chunk;
    } else {
      if (length > this.#body.length) this.#grow(length);
      chunk.copy(this.#body, this.#length);
    }
    this.#length = length;
    // Without an announced length as much again, up to the bound of a response.
    if (length > this.#counted) this.#count(Math.min(2 * length, this.#maxBytes));
  }

  onResponseEnd(): void {
    // The connection is free again one turn of the event loop later. Told sooner, a caller that goes on at once, as
    // paging does, opens a second one beside it: cheap without TLS, a whole handshake with it.
    if (this.#origin.startsWith('https:')) process.nextTick(() => setImmediate(() => this.#succeed()));
    else this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#finish()) this.#settle.reject(transportFailure(error, this.#origin));
  }

  onAbort(): void {
    this.#fail(this.#request.signal.reason);
  }

  /** Stops reading until the bytes may be held. */
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

  /** Ends the exchange from our side. */
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

  /** The announced size at once, as the memory of a large buffer is not touched before it is filled; otherwise by doubling. */
  #grow(needed: number): void {
    const announced = this.#announced ?? 0;
    const size =
      announced >= needed ? announced : Math.min(Math.max(needed, this.#body.length * 2), this.#maxBytes);
    const grown = Buffer.allocUnsafeSlow(size);
    this.#body.copy(grown, 0, 0, this.#length);
    this.#body = grown;
  }

  /** A body that ends far below the memory it has grown into gets memory of its own size. */
  #bytes(): Uint8Array {
    if (this.#length === this.#body.length) return this.#body;
    const used = this.#body.subarray(0, this.#length);
    return this.#length * 2 < this.#body.length ? Buffer.from(used) : used;
  }
}

const EMPTY: Buffer<ArrayBufferLike> = Buffer.alloc(0);

/** As expressions see them, so that nobody has to copy them for that. */
function readHeaders(headers: Record<string, string | string[] | undefined>): TransportResponse['headers'] {
  const read: Record<string, string | readonly string[]> = Object.create(CASELESS);
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    if (name === 'set-cookie') read[name] = typeof value === 'string' ? [value] : value;
    else setMember(read, name, withoutSpaceBehind(typeof value === 'string' ? value : value.join(', ')));
  }
  return read;
}

/** The parser takes away the space in front of a value only. */
function withoutSpaceBehind(text: string): string {
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
  return new TransportError(
    'NETWORK_FAILED',
    `${origin}: more than ${MAX_INTERIM} interim responses came before the response.`,
    { retryable: false },
  );
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
  EAI_AGAIN: failed('the host name could not be resolved for now'),
  EHOSTUNREACH: failed('the host cannot be reached'),
  ENETUNREACH: failed('the network cannot be reached'),
  UND_ERR_SOCKET: failed('the connection was closed before the response was complete'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: failed(
    'the response is shorter or longer than its Content-Length says',
  ),
  EPROTO: { ...failed('no TLS connection could be agreed on'), retryable: false },
  ETIMEDOUT: timedOut('the connection timed out'),
  UND_ERR_CONNECT_TIMEOUT: timedOut('no connection in time'),
  UND_ERR_HEADERS_TIMEOUT: timedOut('no response in time'),
  UND_ERR_BODY_TIMEOUT: timedOut('the response stopped in the middle'),
  UND_ERR_HEADERS_OVERFLOW: {
    code: 'NETWORK_RESPONSE_TOO_LARGE',
    retryable: false,
    text: 'the headers of the response are too large',
  },
  UND_ERR_INVALID_ARG: {
    code: 'REQUEST_INVALID',
    retryable: false,
    text: 'the method, the address or a header holds a character it cannot hold',
  },
};

/** Codes of OpenSSL for a chain that does not verify, as Node names them. */
const CERTIFICATE_CODE =
  /CERT|CRL|UNABLE_TO_|ERR_TLS_CERT|SELF_SIGNED|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH/;

/**
 * What the network reported as our error. The message names the origin only: paths and queries may hold tokens.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error.
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
  if (errno.startsWith('ERR_SSL_'))
    return { ...failed('no TLS connection could be agreed on'), retryable: false };
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
