import { toText } from '../../language/values/value.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import { isHostFromInput, isOnStaticServer } from '../document/static-host.js';
import type { CrossOriginPolicy } from '../http/transport.js';
import { createRedactor, type Redactor } from '../redaction/redact.js';
import { isSecretName } from '../redaction/secret-names.js';
import { collectNamedSecrets } from '../redaction/secrets.js';
import { runError } from './evaluate-directive.js';
import { type RunContext, warnOnce } from './run-context.js';

/** Input of a run, whose members are credentials if their names say so. */
const GIVEN_NAMES: readonly string[] = [
  'connection',
  'common',
  'parameters',
  'payload',
  'data',
  'webhook',
  'temp',
];

/**
 * Removes secrets from requests that follow a redirect or a page link to another host, unless the base or the
 * embedder names that host.
 */
export function createCrossOriginPolicy(request: CompiledRequest, context: RunContext): CrossOriginPolicy {
  const policy = context.run.settings.hosts;
  const known = [request.baseUrl, request.url];
  const { log } = context.run;
  let credentials: Redactor | undefined;
  const holdsCredential = (text: string): boolean => {
    const given = (): readonly string[] =>
      collectNamedSecrets(GIVEN_NAMES.map((name) => context.scope[name]));
    // Hosts and header names are sent in lower case.
    credentials ??= createRedactor({
      secrets: [...log.credentials, ...given()].flatMap((secret) => [secret, secret.toLowerCase()]),
    });
    return credentials.holdsSecret(text);
  };
  let trusted: readonly (string | undefined)[] | undefined;
  let given: readonly (string | undefined)[] | undefined;
  const findTrusted = (): readonly (string | undefined)[] =>
    (trusted ??= known.map((each) => trustedOrigin(each, context)));
  const findGiven = (): readonly (string | undefined)[] =>
    (given ??= known.map((each) => givenOrigin(each, context)));
  return {
    isTrusted: (url) => policy?.isNamed(url) === true || findTrusted().includes(url.origin),
    isFromInput: (url) => findGiven().includes(url.origin),
    sendsSecrets: policy?.sendsSecrets === true,
    isSecretHeader: (name) => isSecretName(name, 'header'),
    holdsSecret: (text) => context.run.log.redactor.holdsSecret(text) || holdsCredential(text),
    holdsCredential,
    onWithheld: (what, origin) =>
      warnOnce(
        {
          code: 'other-host',
          message: `${[...new Set(what)].join(', ')} did not go along to ${origin}, a host the app does not name. Add it to http.appHosts (app-host in iml.config.json) if it is the app's.`,
          place: context.position.document?.locationOf('/url'),
        },
        context,
      ),
  };
}

/**
 * Variables that the author of the app or the owner of the connection controls; all others may come from run data.
 */
const TRUSTED_NAMES: readonly string[] = ['connection', 'common', 'environment'];

/**
 * Restricts a universal module to the servers that its app names. Its user writes the path, and the request has the
 * credentials of the connection. The address must be on the server of `baseUrl`, or on the server that the template of
 * `url` names without data of the run: `https://api.x.io{{parameters.url}}` cannot become `https://api.x.io.evil.io`.
 * If neither names a server, the run only warns: the platform runs such an app, but does not publish it.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/modules. [inf]; the security notice of its
 * documentation [doc].
 *
 * @throws AppError of type RuntimeError for an address on another server
 */
export function assertUniversalHost(
  address: string,
  request: CompiledRequest,
  url: Directive | undefined,
  context: RunContext,
): void {
  const { origin } = new URL(address);
  const known = [request.baseUrl, request.url, url]
    .map((directive) => trustedOrigin(directive, context))
    .filter((found) => found !== undefined);
  if (known.includes(origin)) return;
  const place = url && request.document.locationOf(url.pointer);
  if (known.length > 0) {
    const message = `The url leads to ${origin}. Universal modules and endpoints call only ${known[0]}.`;
    throw runError('RuntimeError', message, context, { place });
  }
  const message = 'The data of the run decides which server is called. Give the app a baseUrl.';
  warnOnce({ code: 'open-host', message, place }, context);
}

/** The server an address leads to that names a value for its host, and nothing of the run's data. */
function givenOrigin(directive: Directive | undefined, context: RunContext): string | undefined {
  return isHostFromInput(directive?.raw, TRUSTED_NAMES) ? trustedOrigin(directive, context) : undefined;
}

/** The server an address leads to when nothing of the run's data takes part. */
function trustedOrigin(directive: Directive | undefined, context: RunContext): string | undefined {
  if (directive === undefined) return undefined;
  const scope = Object.fromEntries(TRUSTED_NAMES.map((name) => [name, context.scope[name]]));
  try {
    const text = toText(directive.evaluate(scope)).trim();
    const url = /^https?:\/\//i.test(text) ? new URL(text) : undefined;
    return url !== undefined && isOnStaticServer(directive.raw, url) ? url.origin : undefined;
  } catch {
    // An expression that requires data of the run names no server.
    return undefined;
  }
}
