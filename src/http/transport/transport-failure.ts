import type { ErrorCode } from '../../errors/codes.js';
import { TransportError } from '../../errors/engine-error.js';

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
