import type { Directive } from '../../document/compile/compile-directive.js';
import type { CompiledRequest } from '../../document/compile/compiled-request.js';
import { isGivenHost } from '../../document/compile/given-host.js';
import { isOnWrittenServer } from '../../document/compile/written-server.js';
import { toText } from '../../iml/values/coerce.js';
import { isBegunAnew } from '../../iml/values/work.js';
import { runError } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';

/** What the app's author and the owner of the connection decide; everything else may come from a run's data. */
const TRUSTED_NAMES: readonly string[] = ['connection', 'common', 'environment'];

/**
 * Holds a universal module to the servers its app names, as its user writes the path, and the credentials of the
 * connection go along: the address has to be on the server of `baseUrl`, or on the one that the template of the url
 * names without any data of the run. `https://api.x.io{{parameters.url}}` cannot become `https://api.x.io.evil.io`.
 * Where neither names a server the run is warned: the platform would not publish such an app, but runs it.
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
  const place = url && request.document.placeOf(url.pointer);
  if (known.length > 0) {
    const message = `A universal module calls only ${known[0]}, and the url leads to ${origin}.`;
    throw runError('RuntimeError', message, context, { place });
  }
  const message = 'The data of the run decides which server is called. Give the app a baseUrl.';
  context.warnOnce({ code: 'open-host', message, place });
}

/** The server an address leads to that names a value for its host, and nothing of the run's data. */
export function givenOrigin(directive: Directive | undefined, context: RunContext): string | undefined {
  return isGivenHost(directive?.raw, TRUSTED_NAMES) ? trustedOrigin(directive, context) : undefined;
}

/** The server an address leads to when nothing of the run's data takes part. */
export function trustedOrigin(directive: Directive | undefined, context: RunContext): string | undefined {
  if (directive === undefined) return undefined;
  const scope = Object.fromEntries(TRUSTED_NAMES.map((name) => [name, context.scope[name]]));
  try {
    const text = toText(directive.evaluate(scope)).trim();
    const url = /^https?:\/\//i.test(text) ? new URL(text) : undefined;
    return url !== undefined && isOnWrittenServer(directive.raw, url) ? url.origin : undefined;
  } catch (error) {
    if (isBegunAnew()) throw error;
    // An expression that cannot do without the run's data names no server of its own.
    return undefined;
  }
}
