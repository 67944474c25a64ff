/**
 * Error codes of this package and their meaning. Callers match on `code`: it is stable, and works across copies of the
 * package.
 */
export const ERROR_CODES = {
  IML_SYNTAX: 'An expression does not parse.',
  IML_UNTERMINATED_EXPRESSION: 'A template opens {{ and never closes it.',
  IML_UNTERMINATED_STRING: 'A string literal or quoted name has no end.',
  IML_UNKNOWN_FUNCTION: 'An expression calls a function that does not exist.',
  IML_FUNCTION: 'A function received an invalid argument.',
  IML_TYPE: 'A value has a type that is not allowed at its location, such as a spread of text.',
  IML_LIMIT: 'An expression needs more time, memory or depth than it may have.',
  IML_HOST_VALUE: 'A value handed in by the embedder threw while it was read.',

  SPEC_READ: 'A file of an app cannot be read.',
  SPEC_JSON: 'A file of an app is not JSON with comments.',
  SPEC_INVALID: 'A part of an app has a shape that cannot be run.',
  SPEC_MISSING: 'A manifest names a file, or a caller a component, that does not exist.',

  NETWORK_REFUSED: 'The network guard refused an address.',
  NETWORK_FAILED: 'No connection, or one that broke.',
  NETWORK_CERTIFICATE: 'The certificate of a server was not accepted.',
  NETWORK_RESPONSE_TOO_LARGE: 'A response is larger than it may be.',
  NETWORK_TIMEOUT: 'A phase of an HTTP exchange exceeded its time limit.',
  NETWORK_REDIRECTS: 'A redirect cannot be followed: too many, or without a usable address.',
  NETWORK_DECODE: 'A body cannot be decoded as its headers say.',
  REQUEST_INVALID: 'A request cannot be built: address, method, header or body.',

  APP_ERROR:
    'A run failed in the app: `response.valid`, an expression, or a value that a directive cannot use.',
  HTTP_STATUS:
    'A response has an error status, 400 or higher. Type and message may come from `response.error`.',
  OAUTH_CALLBACK: 'The callback of an authorization reports an error, or belongs to another authorization.',
  OAUTH_TOKEN_REFUSED: 'The provider refused to issue or refresh a token. Authorize the connection again.',
  CONNECTION_EXPIRED: 'The connection has expired. Authorize it again.',
  CONNECTION_MISSING: 'No connection is stored under this name.',
  CONNECTION_OTHER_APP: 'A connection belongs to another app, or to another connection of the app.',

  ABORTED: 'The caller stopped the run.',
  WORKER_TERMINATED:
    'The pool ended a run at its deadline, or terminated its worker; the same run may succeed later.',

  REST_REQUEST: 'A request to the REST API is not valid.',
  REST_UNAUTHORIZED: 'A request to the REST API carries no known token.',
  REST_FORBIDDEN: 'The caller has no permission for a request to the REST API.',
  REST_NOT_FOUND: 'A request to the REST API names something that does not exist.',
  REST_REFUSED: 'A rule of the REST API does not let a valid request through.',
  REST_RATE_LIMIT: 'An organization used up its calls of the minute.',
  REST_FAILED: 'A request to the REST API met a defect of ours or of a port.',
  REST_CONFIG: 'The REST API cannot be started with these settings.',

  WEBHOOK_TOO_LARGE: 'A payload sent to a webhook is larger than it may be.',
  WEBHOOK_ENCODING: 'A payload sent to a webhook has a content encoding that is not known.',
  WEBHOOK_PAYLOAD: 'The payload of a webhook call does not match its headers.',

  STORE_CONFLICT: 'A unique value is already taken in a store.',
  STORE_BUSY: 'Other writers did not let a transaction through.',
  STORE_FULL: 'No space left for the data of a store.',
  STORE_UNAVAILABLE: 'A database is unavailable. Retry later.',
  STORE_FAILED: 'A store cannot be opened, read or written.',

  HOST_MISSING: 'A host has no hook, event or scenario of this name.',
  HOST_REFUSED: 'A host cannot do this in the state things are in.',
  HOST_LEASE: 'Lease lost: another process took over a job after a missed heartbeat.',
  HOST_FILE: 'A file of scenarios, or of options of a host, has a shape that cannot be used.',

  CASE_INVALID: 'A file of a test case is not written as one, or cannot be read.',
  RECORDING_REFUSED: 'A run cannot be recorded: its replay differs, or the file would contain a secret.',

  TRACE_FILE: 'A file is not a trace of a run, or has a later version.',

  PACKAGE_MISSING: 'A package that only some users need to install is not there.',
  USAGE: 'The library was called in a way it does not know.',
} as const;

/** The stable name of a failure. docs/errors.md lists all codes with examples. */
export type ErrorCode = keyof typeof ERROR_CODES;
