import { AsyncLocalStorage } from 'node:async_hooks';
import type { Dispatcher } from 'undici';
import { type AbortListener, addAbortListener, removeAbortListener } from '../../shared/abort-listeners.js';
import type { ErrorCode } from '../../shared/errors/codes.js';
import { TransportError } from '../../shared/errors/engine-error.js';
import { CASELESS, setMember } from '../../shared/plain-object.js';
import { trimTrailing } from '../../shared/text.js';
import type { TransportRequest, TransportResponse } from './transport.js';

/** Largest number of interim responses (103 Early Hints and similar) per response. */
const MAX_INTERIM = 16;

interface Settle {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects one response from dispatcher events. Settles once, by response, failure or abort, and ignores later events.
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
