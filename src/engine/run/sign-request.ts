import { toText } from '../../language/values/coerce.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import type { AwsCredentials } from '../http/signing/aws-credentials.js';
import { signAws } from '../http/signing/aws-signature.js';
import { type OAuth1Options, signOAuth1 } from '../http/signing/oauth1-signature.js';
import type { TransportRequest } from '../http/transport.js';
import { atDirective, evaluateFlatObject } from './evaluate-directive.js';
import type { RunContext } from './run-context.js';

/**
 * Signs a complete request as its `aws` or `oauth` directive says; without either it stays as it is.
 * Both sign what is really sent, so nothing may be changed behind this.
 *
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export function signRequest(
  request: TransportRequest,
  compiled: CompiledRequest,
  context: RunContext,
): TransportRequest {
  return signWithOAuth(signWithAws(request, compiled, context), compiled, context);
}

function signWithAws(
  request: TransportRequest,
  compiled: CompiledRequest,
  context: RunContext,
): TransportRequest {
  const credentials = evaluateFlatObject(compiled.aws, context);
  if (credentials === undefined) return request;
  const nowMs = context.run.settings.clock.now();
  const headers = atDirective(compiled.aws, context, () => {
    const read: AwsCredentials = { key: '', secret: '', ...textMembers(credentials) };
    return signAws(request, read, nowMs);
  });
  return { ...request, headers };
}

function signWithOAuth(
  request: TransportRequest,
  compiled: CompiledRequest,
  context: RunContext,
): TransportRequest {
  const options = evaluateFlatObject(compiled.oauth, context);
  if (options === undefined) return request;
  const { clock, random } = context.run.settings;
  const sources = { nowMs: clock.now(), nonce: createNonce(random) };
  const signed = atDirective(compiled.oauth, context, () =>
    signOAuth1(request, textMembers(options), sources),
  );
  return { ...request, ...signed };
}

/** Whether to compute the hash, or the hash itself. */
const BODY_HASH = 'body_hash';

/** Evaluated members may be of any type; the signers take texts, and a boolean for that one. */
function textMembers(members: PlainObject): Partial<AwsCredentials> & OAuth1Options {
  const texts = Object.entries(members).map(([name, value]) => [
    name,
    name === BODY_HASH && typeof value === 'boolean' ? value : toText(value),
  ]);
  return Object.fromEntries(texts);
}

/** 128 random bits as hexadecimal digits. */
function createNonce(random: () => number): string {
  return Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
}
