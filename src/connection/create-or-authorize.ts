import type { ConnectionComponent } from '../document/app.js';
import { EngineError, SpecError } from '../errors/engine-error.js';
import { extendTemp } from '../run/response/receive-response.js';
import { isPlainObject } from '../util/plain-object.js';
import { buildAuthorizePage, readQueryValue } from './authorize-page.js';
import type { CompiledConnection } from './compile-connection.js';
import type { AuthorizeInput, ConnectionOptions, CreateInput } from './connection-input.js';
import { checkConnectionParameters } from './connection-parameters.js';
import type { AuthorizationReport, ConnectionReport } from './connection-report.js';
import { runConnection } from './connection-run.js';
import type { OAuthNames } from './connection-store.js';
import { type PendingAuthorization, readPending, writePending } from './pending-authorization.js';
import { createNonce, writeProofKey } from './pkce.js';
import { assertOwnCallback, type CallbackQuery, receiveCallback } from './receive-callback.js';
import { requiredScope } from './required-scope.js';
import { emptyConnection, type Maker, prepareStart } from './start-step.js';

/** See `Connection.create`. */
export async function create(maker: Maker, input: CreateInput): Promise<ConnectionReport> {
  const { component, runtime } = maker;
  const compiled = await maker.compile();
  if (compiled.kind !== 'basic' && compiled.authorize !== undefined) {
    const message = `The connection "${component.name}" is authorized by its user: use authorize and complete.`;
    throw new EngineError('USAGE', message);
  }
  assertObtainable(component, compiled);
  const parameters = await checkConnectionParameters(component, { ...input.parameters }, runtime);
  const oauth = component.type === 'oauth' ? oauthNames(maker, input, undefined) : undefined;
  const stored = { ...emptyConnection(component, parameters, oauth), common: input.common };
  const start = prepareStart(maker, stored, input, { oauth });
  return runConnection(runtime, start, async (run) => {
    if (compiled.kind === 'basic') {
      await run.section(compiled.requests);
      return run.given();
    }
    await run.section(compiled.before);
    await run.section(compiled.token);
    await run.section(compiled.info);
    return run.given();
  });
}

/**
 * An OAuth connection is authorized by its user, or asks for a token by itself.
 *
 * @throws SpecError (SPEC_INVALID) for one that does neither
 */
export function assertObtainable(
  { name, communication }: ConnectionComponent,
  compiled: CompiledConnection,
): void {
  if (compiled.kind === 'basic' || compiled.authorize !== undefined || compiled.token.length > 0) return;
  throw new SpecError('SPEC_INVALID', `The connection "${name}" needs authorize or token.`, {
    place: communication?.placeOf(''),
  });
}

/** See `Connection.authorize`. */
export async function authorize(maker: Maker, input: AuthorizeInput): Promise<AuthorizationReport> {
  const { component, runtime } = maker;
  const compiled = await maker.compile();
  if (compiled.kind === 'basic' || compiled.authorize === undefined) {
    const message = `The connection "${component.name}" has no page to authorize it: use create.`;
    throw new EngineError('USAGE', message);
  }
  const { kind, before, authorize: page } = compiled;
  const parameters = await checkConnectionParameters(component, { ...input.parameters }, runtime);
  const codeVerifier = input.codeVerifier ?? createNonce();
  const proofKey = writeProofKey(codeVerifier);
  const state = kind === 'oauth2' ? createNonce() : undefined;
  const oauth = oauthNames(maker, input, input.redirectUri);
  const names = { ...oauth, ...proofKey };
  const start = prepareStart(maker, emptyConnection(component, parameters, oauth), input, { oauth: names });
  return runConnection(runtime, start, async (run) => {
    await run.section(before);
    const here = run.context.at({ document: page.document, requestIndex: 0 });
    const context = extendTemp(page.temp, here);
    const url = buildAuthorizePage(page, { state, codeChallenge: proofKey.codeChallenge }, context);
    const requestToken = kind === 'oauth1' ? readQueryValue(url, 'oauth_token') : undefined;
    const temp = context.scope['temp'];
    const pending = writePending(
      { component: component.name, state, requestToken },
      {
        parameters,
        oauth,
        codeVerifier,
        common: input.common,
        connection: run.stored.connection,
        temp: isPlainObject(temp) ? temp : {},
      },
    );
    return { url, pending };
  });
}

/** See `Connection.complete`. */
export async function complete(
  maker: Maker,
  pending: PendingAuthorization,
  query: CallbackQuery,
  options: ConnectionOptions,
): Promise<ConnectionReport> {
  const { component, runtime } = maker;
  const { parameters, connection, temp, oauth, codeVerifier, common } = readPending(pending, component.name);
  assertOwnCallback(pending, query);
  const compiled = await maker.compile();
  if (compiled.kind === 'basic' || compiled.authorize === undefined) {
    throw new SpecError('SPEC_INVALID', `The connection "${component.name}" has no authorize any more.`);
  }
  const { authorize: page, token, info } = compiled;
  const names = { ...oauth, codeVerifier, ...writeProofKey(codeVerifier) };
  const stored = {
    ...emptyConnection(component, parameters, oauth),
    connection,
    common: options.common ?? common,
  };
  const start = prepareStart(maker, stored, options, { oauth: names, query: { ...query } });
  return runConnection(runtime, { ...start, temp, secrets: codeVerifier }, async (run) => {
    await receiveCallback(page, query, run);
    await run.section(token);
    await run.section(info);
    return run.given();
  });
}

/** Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc] */
function oauthNames(
  { component, runtime }: Maker,
  input: CreateInput & Partial<AuthorizeInput>,
  redirectUri: string | undefined,
): OAuthNames {
  return {
    scope: requiredScope(runtime.app, component, input),
    redirectUri,
    localRedirectUri: input.localRedirectUri ?? redirectUri,
    makeRedirectUri: input.makeRedirectUri ?? redirectUri,
  };
}
