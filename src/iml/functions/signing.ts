import { functionError } from '../../errors/iml-error.js';
import { type PlainObject, setMember } from '../../util/plain-object.js';
import type { DigestAlgorithm, Environment, FunctionTable } from '../environment/environment.js';
import { bytesOfText, computeTextLength, textOfBytes } from '../values/bytes.js';
import { isBuffer, isEmpty, isMissing, isOn, toNumber, toText } from '../values/coerce.js';
import { isCollection } from '../values/collection.js';
import { assertTextLength } from '../values/size-limits.js';
import { writeJson } from '../values/tree-text.js';
import { asCollection, asEncoding, encode, quoted, toBytes } from './arguments.js';

/** Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. [doc] */
const HMAC_DIGESTS: ReadonlyMap<string, DigestAlgorithm> = new Map([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
]);

/** Options that write a member of the payload, and that member. */
const CLAIMS: readonly (readonly [option: string, claim: string])[] = [
  ['audience', 'aud'],
  ['issuer', 'iss'],
  ['subject', 'sub'],
  ['jwtid', 'jti'],
];

/** Options that set a moment in whole seconds, counted from `iat`. */
const MOMENTS: readonly (readonly [option: string, claim: string])[] = [
  ['notBefore', 'nbf'],
  ['expiresIn', 'exp'],
];

/** The options that change more than a claim. */
interface JwtOptions extends PlainObject {
  readonly algorithm?: unknown;
  readonly header?: unknown;
  readonly keyid?: unknown;
  readonly noTimestamp?: unknown;
}

interface JwtHeader extends PlainObject {
  alg: unknown;
  typ?: unknown;
  kid?: unknown;
}

interface JwtClaims extends PlainObject {
  iat?: unknown;
}

/**
 * Source of `jwt`: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. Where it says no
 * more, `jwt` behaves as the npm library jsonwebtoken, except that no `iat` is added to a payload without one. [doc][rt][inf]
 */
export const SIGNING_FUNCTIONS: FunctionTable = {
  jwt: (environment, payload, secret, algorithm, options) => {
    const settings: JwtOptions = asCollection(options);
    return createToken(environment, { payload, secret, settings, algorithm, fallback: 'HS256' });
  },

  // The header names the key by its JWK thumbprint (RFC 7638). [rt]
  generateJwtWithKeyId: (environment, payload, secret, algorithm, thumbprint, options) => {
    const keyid = makeThumbprint(environment, secret, isEmpty(thumbprint) ? 'HS256' : toText(thumbprint));
    const settings: JwtOptions = { ...asCollection(options), keyid };
    return createToken(environment, { payload, secret, settings, algorithm, fallback: 'HS512' });
  },

  // As `crypto.sign` of Node. [rt]
  cryptoSign: (_, algorithm, data, key, encoding) => {
    const form = asEncoding(encoding, 'hex');
    const { sign } = nodeCrypto('cryptoSign');
    const privateKey = requirePrivateKey(key);
    try {
      const name = isEmpty(algorithm) ? undefined : toText(algorithm);
      return encode(new Uint8Array(sign(name, toBytes(data), privateKey)), form);
    } catch {
      // Without the cause, whose message may quote what it was given.
      throw functionError(`${quoted(algorithm)} cannot sign with this key.`);
    }
  },
};

interface TokenInput {
  readonly payload: unknown;
  readonly secret: unknown;
  readonly settings: JwtOptions;
  readonly algorithm: unknown;
  /** The algorithm if neither the argument nor the options name one. */
  readonly fallback: string;
}

function createToken(environment: Environment, input: TokenInput): string {
  const { payload, secret, settings } = input;
  const named = [input.algorithm, settings.algorithm].find((value) => !isEmpty(value)) ?? input.fallback;
  const header = makeHeader(toText(named), isCollection(payload), settings);
  const content = isCollection(payload)
    ? writeJson(makeClaims(payload, settings, Math.floor(environment.now() / 1000)))
    : textPayload(payload);
  const signed = `${encodeUrl(utf8(writeJson(header)))}.${encodeUrl(utf8(content))}`;
  return `${signed}.${encodeUrl(sign(environment, toText(header.alg), signed, secret))}`;
}

/** The thumbprint of an HMAC secret, or of the public half of a private RSA key. */
function makeThumbprint(environment: Environment, secret: unknown, algorithm: string): string {
  const digest = HMAC_DIGESTS.get(algorithm);
  if (digest === undefined) {
    throw functionError(
      `${quoted(algorithm)} is no algorithm of a thumbprint. Expected HS256, HS384 or HS512.`,
    );
  }
  const text = isBuffer(secret) ? '' : toText(secret);
  const members = text.includes('-----BEGIN')
    ? publicMembers(text)
    : { k: encodeUrl(isBuffer(secret) ? secret : utf8(text)), kty: 'oct' };
  return encodeUrl(environment.digest(digest, utf8(JSON.stringify(members))));
}

/** The required members of the JWK in the order that RFC 7638 prescribes. */
function publicMembers(pem: string): object {
  const { e, kty, n } = nodeCrypto('generateJwtWithKeyId').createPublicKey(requirePrivateKey(pem)).export({
    format: 'jwk',
  });
  return { e, kty, n };
}

function textPayload(payload: unknown): string {
  if (typeof payload !== 'string') throw functionError('The payload of a token is a collection or a text.');
  return payload;
}

/** A token of a text payload has no `typ`, as in the library. */
function makeHeader(algorithm: string, isObject: boolean, options: JwtOptions): JwtHeader {
  const header: JwtHeader = { alg: algorithm };
  if (isObject) header.typ = 'JWT';
  if (!isEmpty(options.keyid)) header.kid = toText(options.keyid);
  return copyMembers(asCollection(options.header), header);
}

function makeClaims(payload: PlainObject, options: JwtOptions, now: number): JwtClaims {
  const claims: JwtClaims = copyMembers(payload, {});
  for (const claim of ['iat', 'nbf', 'exp']) checkMoment(claim, claims[claim]);
  const issued = isMissing(claims.iat) ? now : Number(claims.iat);
  if (isOn(options.noTimestamp)) delete claims.iat;
  for (const [option, claim] of MOMENTS) {
    if (!isMissing(options[option])) addClaim(claims, claim, issued + parseSeconds(option, options[option]));
  }
  for (const [option, claim] of CLAIMS) {
    if (!isMissing(options[option])) addClaim(claims, claim, options[option]);
  }
  return claims;
}

function copyMembers<Target extends PlainObject>(from: PlainObject, to: Target): Target {
  for (const name of Object.keys(from)) {
    if (from[name] !== undefined) setMember(to, name, from[name]);
  }
  return to;
}

function addClaim(claims: PlainObject, claim: string, value: unknown): void {
  if (!isMissing(claims[claim])) {
    throw functionError(`'${claim}' stands in the payload and in the options of the token.`);
  }
  claims[claim] = value;
}

function checkMoment(claim: string, value: unknown): void {
  if (!isMissing(value) && !Number.isFinite(value)) {
    throw functionError(`'${claim}' of a token is a number of seconds, not ${quoted(value)}.`);
  }
}

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['', 0.001],
  ['ms', 0.001],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
  ['w', 604_800],
  ['y', 31_557_600],
]);
const SPAN = /^(-?\d*\.?\d+) *([a-z]*)$/i;
/** Long names of units, singular or plural, by the letter they shorten to. */
const UNIT_NAME =
  /^(?:(m)(?:illi)?s(?:ec(?:ond)?s?)?|(s)ec(?:ond)?s?|(m)in(?:ute)?s?|(h)(?:ou)?rs?|(d)ays?|(w)eeks?|(y)(?:ea)?rs?)$/;

/** A number counts seconds; a text is a number and a unit (`2h`, `10 days`), without a unit milliseconds. */
function parseSeconds(option: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return Math.floor(value);
  const [, amount, unit = ''] = (typeof value === 'string' && value.length <= 100 && SPAN.exec(value)) || [];
  const seconds = SECONDS.get(shortUnit(unit.toLowerCase()));
  const count = toNumber(amount);
  if (count === undefined || seconds === undefined) {
    throw functionError(`${quoted(value)} is no span of time for '${option}' of a token.`);
  }
  return Math.floor(count * seconds);
}

function shortUnit(name: string): string {
  const found = UNIT_NAME.exec(name);
  if (found === null) return name;
  return found[1] === undefined ? (found.slice(2).find((letter) => letter !== undefined) ?? name) : 'ms';
}

function sign(environment: Environment, algorithm: string, text: string, secret: unknown): Uint8Array {
  if (isEmpty(secret)) throw functionError('A token needs a secret to be signed with.');
  const digest = HMAC_DIGESTS.get(algorithm);
  if (digest !== undefined) {
    const key = isBuffer(secret) ? secret : utf8(toText(secret));
    return environment.digest(digest, utf8(text), key);
  }
  if (algorithm === 'RS256') return rsaSha256(utf8(text), toText(secret));
  const known = [...HMAC_DIGESTS.keys(), 'RS256'].join(', ');
  throw functionError(`${quoted(algorithm)} is no algorithm for a token. Expected one of ${known}.`);
}

function utf8(text: string): Uint8Array {
  assertTextLength(text.length);
  return bytesOfText(text, 'utf8') ?? new Uint8Array();
}

/** Base64 in the URL alphabet, without padding. */
function encodeUrl(bytes: Uint8Array): string {
  assertTextLength(computeTextLength(bytes.length, 'base64'));
  return textOfBytes(bytes, 'base64').replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** RSASSA-PKCS1-v1_5 with SHA-256. */
function rsaSha256(data: Uint8Array, privateKey: string): Uint8Array {
  const key = requirePrivateKey(privateKey);
  if (key.asymmetricKeyType !== 'rsa') throw functionError('The secret is no RSA private key in PEM form.');
  return new Uint8Array(nodeCrypto('RS256').sign('sha256', data, key));
}

/** The crypto of Node; looked up on use, so that the language loads in a browser. */
function nodeCrypto(what: string) {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) throw functionError(`${what} needs Node.`);
  return crypto;
}

/** @throws ImlError `IML_FUNCTION`; its message holds nothing of the key */
function requirePrivateKey(pem: unknown): ReturnType<ReturnType<typeof nodeCrypto>['createPrivateKey']> {
  const { createPrivateKey } = nodeCrypto('A private key');
  try {
    return createPrivateKey(isBuffer(pem) ? textOfBytes(pem, 'utf8') : toText(pem));
  } catch {
    throw functionError('The key is no private key in PEM form.');
  }
}
