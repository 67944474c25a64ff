import type { CompiledRequest } from '../../document/compile/compiled-request.js';
import type { CrossingRule } from '../../http/message/transport.js';
import { collectNamedSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor, type Redactor } from '../../redaction/redact.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { inTurns } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';
import { givenOrigin, trustedOrigin } from './universal-host.js';

/** What a run is given, and what it keeps: a member of it is a credential where its name says so. */
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
 * What goes along when a redirect or the link of a next page leads to another host: nothing the run knows as secret,
 * unless the app's base names that host or the embedder does.
 */
export function createCrossingRule(request: CompiledRequest, context: RunContext): CrossingRule {
  const policy = context.settings.hosts;
  const known = [request.baseUrl, request.url];
  const { log } = context.run;
  let credentials: Redactor | undefined;
  const holdsCredential = (text: string): boolean => {
    const given = (): readonly string[] =>
      collectNamedSecrets(GIVEN_NAMES.map((name) => context.scope[name]));
    // Hosts and names of headers are sent in lower case.
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
    findHosts: async () => {
      if (trusted === undefined || given === undefined)
        await inTurns(context, () => [findTrusted(), findGiven()]);
    },
    isTrusted: (url) => policy?.isNamed(url) === true || findTrusted().includes(url.origin),
    isGiven: (url) => findGiven().includes(url.origin),
    sendsSecrets: policy?.sendsSecrets === true,
    isSecretHeader: (name) => isSecretName(name, 'header'),
    holdsSecret: (text) => context.redactor.holdsSecret(text) || holdsCredential(text),
    holdsCredential,
    onWithheld: (what, origin) =>
      context.warnOnce({
        code: 'other-host',
        message: `${[...new Set(what)].join(', ')} did not go along to ${origin}, a host the app does not name. Add it to network.appHosts (--app-host) if it is the app's.`,
        place: context.document?.placeOf('/url'),
      }),
  };
}
