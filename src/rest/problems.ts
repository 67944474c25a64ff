import { RestError, type RestSuberror } from '../shared/errors/engine-error.js';

/** Maximum number of suberrors in a response. */
const MAX_SUBERRORS = 50;

/** Functions that create every refusal. Source: https://developers.make.com/api-documentation (http status codes). */

/** A request with invalid members, a sentence for each: 400 `SC400`. [src] */
export function badRequest(problems: readonly string[]): RestError {
  return new RestError('REST_REQUEST', 'Bad Request', {
    status: 400,
    apiCode: 'SC400',
    detail: `Validation failed for ${problems.length} parameter(s).`,
    suberrors: toSuberrors(problems),
  });
}

function toSuberrors(problems: readonly string[]): readonly RestSuberror[] {
  return problems.slice(0, MAX_SUBERRORS).map((message) => ({ message, name: 'Error' }));
}

export function missingParameter(name: string): string {
  return `Missing value of required parameter '${name}'.`;
}

/** The sentence of `badRequest` for a parameter with a wrong value. `expectation` reads as in `must be known`. */
export function invalidParameter(name: string, expectation: string): string {
  return `Invalid value of parameter '${name}': ${expectation}.`;
}

/** [inf] */
export function unauthorized(detail: string, challenge: string): RestError {
  return new RestError('REST_UNAUTHORIZED', 'Unauthorized', {
    status: 401,
    apiCode: 'SC401',
    detail,
    headers: { 'www-authenticate': challenge },
  });
}

/** The caller must not do this: 403 `SC403`. [doc] */
export function forbidden(detail = 'Access denied.'): RestError {
  return new RestError('REST_FORBIDDEN', 'Permission denied', { status: 403, apiCode: 'SC403', detail });
}

/** Something that does not exist: 404 `SC404`, with the detail `Team not found.` [doc] status, [inf] code. */
export function notFound(what: string): RestError {
  return new RestError('REST_NOT_FOUND', 'Not Found', {
    status: 404,
    apiCode: 'SC404',
    detail: `${what} not found.`,
  });
}

/** [inf] */
export function methodNotAllowed(allowed: readonly string[]): RestError {
  return new RestError('REST_REQUEST', 'Method Not Allowed', {
    status: 405,
    apiCode: 'SC405',
    detail: `This path knows ${allowed.join(', ')}.`,
    headers: { allow: allowed.join(', ') },
  });
}

/** A deletion that needs `confirmed=true`: 406 `IM004`. [doc] code and status; for organizations and keys [inf]. */
export function confirmationRequired(detail: string): RestError {
  return refused('IM004', { status: 406, message: 'Confirmation required', detail });
}

/** [inf] */
export function tooLarge(maxBytes: number): RestError {
  return new RestError('REST_REQUEST', 'Payload Too Large', {
    status: 413,
    apiCode: 'SC413',
    detail: `A body can have at most ${maxBytes} bytes.`,
  });
}

/** [seed] code; [inf] sentence. */
export function limitExceeded(detail: string): RestError {
  return refused('IM011', { message: 'Entity limit exceeded', detail });
}

/** Limits the time and memory of one response. [choice] */
export function tooMuch(maxBytes: number): RestError {
  return new RestError('REST_REQUEST', 'Bad Request', {
    status: 400,
    apiCode: 'SC400',
    detail: `The response exceeds ${maxBytes} bytes. Request fewer entries (pg[limit]) or columns (cols[]).`,
  });
}

/** [doc] text, [inf] code. */
export function tooManyRequests(headers: Readonly<Record<string, string>>): RestError {
  return new RestError('REST_RATE_LIMIT', 'Too Many Requests', {
    status: 429,
    apiCode: 'SC429',
    detail: 'Requests limit for organization exceeded, please try again later.',
    headers,
  });
}

/** A backend returned an undocumented response. The caller gets a 500 without these details. */
export function invalidResponse(operation: string, path: string, expectation: string): RestError {
  const member = path === '' ? 'The response' : `The member ${path} of the response`;
  return failed(new Error(`${member} that the backend returned for ${operation} ${expectation}.`));
}

/** A defect of the instance or of a backend. Callers do not see its details. */
export function failed(cause: unknown): RestError {
  return new RestError('REST_FAILED', 'Internal Server Error', {
    status: 500,
    apiCode: 'SC500',
    detail: 'Internal error.',
    cause,
  });
}

/** Invalid configuration of the instance. Callers do not see its details. */
export function configError(message: string, cause?: unknown): RestError {
  return new RestError('REST_CONFIG', message, { status: 500, apiCode: 'SC500', cause });
}

/** Options of `refused`: the members of the response. */
export interface RefusalOptions {
  /** Default 400. */
  readonly status?: number;
  readonly message: string;
  readonly detail: string;
  /** The invalid fields, a sentence each. */
  readonly suberrors?: readonly string[];
  readonly cause?: unknown;
}

/** A valid request that a rule refuses, with a code of its own such as `IM016`. */
export function refused(apiCode: string, options: RefusalOptions): RestError {
  const { status = 400, message, detail, suberrors, cause } = options;
  return new RestError('REST_REFUSED', message, {
    status,
    apiCode,
    detail,
    suberrors: suberrors && toSuberrors(suberrors),
    cause,
  });
}

/** Source: https://developers.make.com/api-documentation (Errors). [seed] */
export function featureDisabled(feature: string): RestError {
  return refused('IM903', {
    message: 'Feature disabled',
    detail: `The feature ${feature} is not enabled for the organization.`,
  });
}

/** Another state of the resource prevents the request. [doc] code, [inf] status. */
export function blocked(detail: string): RestError {
  return refused('IM016', { message: 'Action not possible', detail });
}
