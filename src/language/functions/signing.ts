import { functionError } from '../../shared/errors/iml-error.js';
import { type PlainObject, setMember } from '../../shared/plain-object.js';
import type { DigestAlgorithm, Environment } from '../environment.js';
import { bytesOfText, computeTextLength, textOfBytes } from '../values/bytes.js';
import { assertTextLength } from '../values/size-limits.js';
import { writeJson } from '../values/tree-text.js';
import { isBuffer, isCollection, isEmpty, isMissing, isOn, toNumber, toText } from '../values/value.js';
import { asCollection, asEncoding, encode, quoted, toBytes } from './arguments.js';
import type { FunctionsIn } from './signatures.js';

/** Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. [doc] */
const HMAC_DIGESTS: ReadonlyMap<string, DigestAlgorithm> = new Map([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
]);

/** Options that set a claim. */
const CLAIMS: readonly (readonly [option: string, claim: string])[] = [
  ['audience', 'aud'],
  ['issuer', 'iss'],
  ['subject', 'sub'],
  ['jwtid', 'jti'],
];

/** Options that set a claim to a time in whole seconds, relative to `iat`. */
const TIME_CLAIMS: readonly (readonly [option: string, claim: string])[] = [
  ['notBefore', 'nbf'],
  ['expiresIn', 'exp'],
];

/** The options that are not claims. */
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
 * Source of `jwt`: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. Undocumented
 * details follow the npm package jsonwebtoken, except that `jwt` adds no `iat` to the payload. [doc][rt][inf]
 */
export const SIGNING_FUNCTIONS: FunctionsIn<'signing'> = {
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

  // Like `crypto.sign` of Node. [rt]
  cryptoSign: (_, algorithm, data, key, encoding) => {
    const form = asEncoding(encoding, 'hex');
    const { sign } = nodeCrypto('cryptoSign');
    const privateKey = requirePrivateKey(key);
    try {
      const name = isEmpty(algorithm) ? undefined : toText(algorithm);
      return encode(new Uint8Array(sign(name, toBytes(data), privateKey)), form);
    } catch {
      // No `cause`: its message may quote the arguments.
      throw functionError(`${quoted(algorithm)} cannot sign with this key.`);
    }
  },
};

interface TokenInput {
  readonly payload: unknown;
  readonly secret: unknown;
  readonly settings: JwtOptions;
  readonly algorithm: unknown;
  /** The algorithm if neither the argument nor the options set one. */
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

/** Computes the thumbprint of an HMAC secret, or of the public key that belongs to a private RSA key. */
function makeThumbprint(environment: Environment, secret: unknown, algorithm: string): string {
  const digest = HMAC_DIGESTS.get(algorithm);
  if (digest === undefined) {
    throw functionError(
      `${quoted(algorithm)} is not a thumbprint algorithm. Expected HS256, HS384 or HS512.`,
    );
  }
  const text = isBuffer(secret) ? '' : toText(secret);
  const members = text.includes('-----BEGIN')
    ? publicMembers(text)
    : { k: encodeUrl(isBuffer(secret) ? secret : utf8(text)), kty: 'oct' };
  return encodeUrl(environment.digest(digest, utf8(JSON.stringify(members))));
}

/** Returns the required members of the JWK in the order of RFC 7638. */
function publicMembers(pem: string): object {
  const { e, kty, n } = nodeCrypto('generateJwtWithKeyId').createPublicKey(requirePrivateKey(pem)).export({
    format: 'jwk',
  });
  return { e, kty, n };
}

function textPayload(payload: unknown): string {
  if (typeof payload !== 'string')
    throw functionError('Invalid token payload: expected a collection or text.');
  return payload;
}

/** A token with a text payload has no `typ`, as in jsonwebtoken. */
function makeHeader(algorithm: string, isObject: boolean, options: JwtOptions): JwtHeader {
  const header: JwtHeader = { alg: algorithm };
  if (isObject) header.typ = 'JWT';
  if (!isEmpty(options.keyid)) header.kid = toText(options.keyid);
  return copyMembers(asCollection(options.header), header);
}

function makeClaims(payload: PlainObject, options: JwtOptions, now: number): JwtClaims {
  const claims: JwtClaims = copyMembers(payload, {});
  for (const claim of ['iat', 'nbf', 'exp']) checkTime(claim, claims[claim]);
  const issued = isMissing(claims.iat) ? now : Number(claims.iat);
  if (isOn(options.noTimestamp)) delete claims.iat;
  for (const [option, claim] of TIME_CLAIMS) {
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
    throw functionError(`'${claim}' is set in both the payload and the options of the token.`);
  }
  claims[claim] = value;
}

function checkTime(claim: string, value: unknown): void {
  if (!isMissing(value) && !Number.isFinite(value)) {
    throw functionError(`Invalid '${claim}' of a token: expected a number of seconds, not ${quoted(value)}.`);
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
/** Long names of units, singular or plural. The group that matches has their short name. */
const UNIT_NAME =
  /^(?:(m)(?:illi)?s(?:ec(?:ond)?s?)?|(s)ec(?:ond)?s?|(m)in(?:ute)?s?|(h)(?:ou)?rs?|(d)ays?|(w)eeks?|(y)(?:ea)?rs?)$/;

/** A number is in seconds. Text is a number and a unit (`2h`, `10 days`), or milliseconds if there is no unit. */
function parseSeconds(option: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return Math.floor(value);
  const [, amount, unit = ''] = (typeof value === 'string' && value.length <= 100 && SPAN.exec(value)) || [];
  const seconds = SECONDS.get(shortUnit(unit.toLowerCase()));
  const count = toNumber(amount);
  if (count === undefined || seconds === undefined) {
    throw functionError(`${quoted(value)} is not a valid duration for '${option}' of a token.`);
  }
  return Math.floor(count * seconds);
}

function shortUnit(name: string): string {
  const found = UNIT_NAME.exec(name);
  if (found === null) return name;
  return found[1] === undefined ? (found.slice(2).find((letter) => letter !== undefined) ?? name) : 'ms';
}

function sign(environment: Environment, algorithm: string, text: string, secret: unknown): Uint8Array {
  if (isEmpty(secret)) throw functionError('The secret to sign the token with is empty.');
  const digest = HMAC_DIGESTS.get(algorithm);
  if (digest !== undefined) {
    const key = isBuffer(secret) ? secret : utf8(toText(secret));
    return environment.digest(digest, utf8(text), key);
  }
  if (algorithm === 'RS256') return rsaSha256(utf8(text), toText(secret));
  const algorithms = [...HMAC_DIGESTS.keys(), 'RS256'].join(', ');
  throw functionError(`${quoted(algorithm)} is not a token algorithm. Expected one of ${algorithms}.`);
}

function utf8(text: string): Uint8Array {
  assertTextLength(text.length);
  return bytesOfText(text, 'utf8') ?? new Uint8Array();
}

/** Encodes bytes as base64url without padding. */
function encodeUrl(bytes: Uint8Array): string {
  assertTextLength(computeTextLength(bytes.length, 'base64'));
  return textOfBytes(bytes, 'base64').replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** RSASSA-PKCS1-v1_5 with SHA-256. */
function rsaSha256(data: Uint8Array, privateKey: string): Uint8Array {
  const key = requirePrivateKey(privateKey);
  if (key.asymmetricKeyType !== 'rsa')
    throw functionError('The secret is not an RSA private key in PEM format.');
  return new Uint8Array(nodeCrypto('RS256').sign('sha256', data, key));
}

/** Looks up `node:crypto` on use, so that the language loads in browsers. */
function nodeCrypto(feature: string) {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) throw functionError(`${feature} is available only in Node.`);
  return crypto;
}

/** @throws ImlError `IML_FUNCTION`; its message contains no part of the key */
function requirePrivateKey(pem: unknown): ReturnType<ReturnType<typeof nodeCrypto>['createPrivateKey']> {
  const { createPrivateKey } = nodeCrypto('A private key');
  try {
    return createPrivateKey(isBuffer(pem) ? textOfBytes(pem, 'utf8') : toText(pem));
  } catch {
    throw functionError('The key is not a private key in PEM format.');
  }
}
