import { AppError } from '../../shared/errors/app-error.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import type { ConnectionComponent } from '../document/app.js';
import type { DirectiveContext } from '../document/compile-directive.js';
import { compileCommunication } from '../document/compile-request.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import { type Document, subDocument } from '../document/document.js';

type Requests = readonly CompiledRequest[];

/** The compiled communication of a connection. Absent sections have no requests. */
export type CompiledConnection =
  | { readonly kind: 'basic'; readonly requests: Requests }
  | {
      readonly kind: 'oauth1' | 'oauth2';
      /** `preauthorize`, or `requestToken` of OAuth 1. */
      readonly before: Requests;
      /** The authorization page and the handling of its callback. */
      readonly authorize: CompiledRequest | undefined;
      /** `token`, or `accessToken` of OAuth 1. */
      readonly token: Requests;
      readonly info: Requests;
      readonly refresh: Requests;
      readonly invalidate: Requests;
    };

/**
 * Compiles the sections of a connection's communication. The app's base is not merged. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/connections. [doc]
 *
 * @throws SpecError (SPEC_INVALID) without a communication, and for an OAuth connection that is not an object of named
 *   requests; AppError of type InvalidConfigurationError for a request without url
 */
export function compileConnection(
  connection: ConnectionComponent,
  context: DirectiveContext,
): CompiledConnection {
  const { communication } = connection;
  if (communication === undefined) {
    throw new SpecError('SPEC_INVALID', `The connection "${connection.name}" has no communication.`);
  }
  if (connection.type !== 'basic') return compileOAuth(communication, context);
  const requests = isEmptyDocument(communication) ? [] : compileRequests(communication, undefined, context);
  return { kind: 'basic', requests };
}

/** An empty communication: the connection keeps its parameters without a validation. [app] */
function isEmptyDocument({ value }: Document): boolean {
  return isPlainObject(value) && Object.keys(value).length === 0;
}

function compileOAuth(communication: Document, context: DirectiveContext): CompiledConnection {
  const { value } = communication;
  if (!isPlainObject(value)) {
    const message = 'The communication of an OAuth connection has to be an object of named requests.';
    throw new SpecError('SPEC_INVALID', message, { place: communication.locationOf('') });
  }
  const isFirstVersion = ['requestToken', 'accessToken', 'oauth'].some((key) => isWritten(value, key));
  const base = isFirstVersion ? signingBase(communication) : undefined;
  const section = (key: string, grantsScope = false): Requests => {
    if (!isWritten(value, key)) return [];
    return compileRequests(subDocument(communication, key), base, context, grantsScope);
  };
  const authorize = section('authorize');
  if (authorize.length > 1) {
    const message = 'authorize has to be one request, as it defines one page.';
    throw new SpecError('SPEC_INVALID', message, { place: communication.locationOf('/authorize') });
  }
  return {
    kind: isFirstVersion ? 'oauth1' : 'oauth2',
    before: section(isFirstVersion ? 'requestToken' : 'preauthorize'),
    // A browser opens the page and signs nothing.
    authorize: authorize[0] && { ...authorize[0], oauth: undefined },
    token: isFirstVersion ? section('accessToken') : section('token', true),
    info: section('info'),
    refresh: section('refresh'),
    invalidate: section('invalidate'),
  };
}

function isWritten(value: object, key: string): boolean {
  const member = ownMember(value, key);
  return member !== undefined && member !== null;
}

/** The root `oauth` of an OAuth 1 connection is merged into each request. [doc] */
function signingBase(communication: Document): Document {
  const { value, file, locationOf } = communication;
  const oauth = isPlainObject(value) ? ownMember(value, 'oauth') : undefined;
  return { value: oauth === undefined ? {} : { oauth }, file, locationOf };
}

/** @param grantsScope whether a response may name the granted scopes, as those of the section `token` of OAuth 2 do */
function compileRequests(
  section: Document,
  base: Document | undefined,
  context: DirectiveContext,
  grantsScope = false,
): Requests {
  return compileCommunication(section, base, context).map((request) => {
    const available = withoutUnavailable(request);
    return grantsScope ? available : { ...available, response: { ...available.response, scope: undefined } };
  });
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections: a url is required; aws,
 * pagination, limit, iterate and output are not available. [doc] They are ignored with a warning.
 */
function withoutUnavailable(request: CompiledRequest): CompiledRequest {
  const { document, response } = request;
  if (request.url === undefined) {
    const message = 'A request of a connection needs a url.';
    throw new AppError('InvalidConfigurationError', message, { place: document.locationOf('') });
  }
  return {
    ...request,
    aws: undefined,
    endpoint: undefined,
    pagination: undefined,
    response: {
      ...response,
      limit: undefined,
      iterate: undefined,
      output: undefined,
      wrapper: undefined,
      trigger: undefined,
    },
  };
}
