import { createHmac, createPrivateKey, createSign, type KeyObject } from 'node:crypto';
import { requestInvalid } from '../../shared/errors/engine-error.js';
import { findHeader, readContentType, withHeader } from './headers.js';
import { encodeComponent, type HttpUrl, parseHttpUrl } from './http-url.js';
import {
  canonicalQuery,
  hashBody,
  parseQueryPairs,
  type QueryPair,
  type SignableRequest,
} from './signable-request.js';

/**
 * The evaluated `oauth` directive. Empty and undefined members count as absent. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
export interface OAuth1Options {
  readonly consumer_key: string;
  readonly consumer_secret?: string | undefined;
  /** PEM, for RSA-SHA1. */
  readonly private_key?: string | undefined;
  readonly token?: string | undefined;
  readonly token_secret?: string | undefined;
  readonly verifier?: string | undefined;
  readonly callback?: string | undefined;
  /** Sent in the header only, never signed. */
  readonly realm?: string | undefined;
  /** Default: HMAC-SHA1. */
  readonly signature_method?: string | undefined;
  /** Where to send the parameters. Default: header. */
  readonly transport_method?: string | undefined;
  /** The hash, or true to compute it. */
  readonly body_hash?: string | boolean | undefined;
}

/** Inputs of a signature beside the request. */
export interface OAuth1Sources {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** A text that is unique for this timestamp. */
  readonly nonce: string;
}

type SignatureMethod = 'HMAC-SHA1' | 'HMAC-SHA256' | 'RSA-SHA1' | 'PLAINTEXT';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Prefix of protocol parameters in a form. Source: RFC 5849 section 3.4.1.3. */
const PROTOCOL_NAME = /^oauth_/;

/**
 * Signs a request with OAuth 1.0a: adds parameters to the `Authorization` header, the query or the form body. Source:
 * RFC 5849; body_hash: "OAuth Request Body Hash" draft 4. Accepts HMAC-SHA256 too, like the HTTP client whose options
 * the platform adopted [inf].
 *
 * @throws REQUEST_INVALID for an unknown method or target, a missing or invalid key, and target `body` without a form
 * body;
 *   IML_LIMIT for a form that is too large
 */
export function signOAuth1(
  request: SignableRequest,
  options: OAuth1Options,
  sources: OAuth1Sources,
): SignableRequest {
  if (!options.consumer_key) throw requestInvalid('oauth needs consumer_key.');
  const method = readMethod(options.signature_method);
  const parameters = protocolParameters(request, options, method, sources);
  const base = signatureBase(request, parameters);
  const signature = sign(method, base, options);
  return addParameters(request, [...parameters, ['oauth_signature', signature]], options);
}

function readMethod(method: string | undefined): SignatureMethod {
  switch (method) {
    case undefined:
    case '':
      return 'HMAC-SHA1';
    case 'HMAC-SHA1':
    case 'HMAC-SHA256':
    case 'RSA-SHA1':
    case 'PLAINTEXT':
      return method;
    default:
      throw requestInvalid('oauth.signature_method must be HMAC-SHA1, HMAC-SHA256, RSA-SHA1 or PLAINTEXT.');
  }
}

function protocolParameters(
  request: SignableRequest,
  options: OAuth1Options,
  method: SignatureMethod,
  { nowMs, nonce }: OAuth1Sources,
): QueryPair[] {
  const known: readonly (readonly [string, string | undefined])[] = [
    ['oauth_consumer_key', options.consumer_key],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', method],
    ['oauth_timestamp', String(Math.floor(nowMs / 1000))],
    ['oauth_token', options.token],
    ['oauth_version', '1.0'],
    ['oauth_verifier', options.verifier],
    ['oauth_callback', options.callback],
    ['oauth_body_hash', bodyHash(request, options.body_hash, method)],
  ];
  return known.flatMap(([name, value]): QueryPair[] => (value ? [[name, value]] : []));
}

/** A form body is signed by its parameters; the draft forbids a hash in addition. */
function bodyHash(
  request: SignableRequest,
  given: string | boolean | undefined,
  method: SignatureMethod,
): string | undefined {
  if (typeof given === 'string') return given;
  if (given !== true || isForm(request)) return undefined;
  const algorithm = method === 'HMAC-SHA256' ? 'sha256' : 'sha1';
  return hashBody(algorithm, request.body ?? NO_BYTES).toString('base64');
}

/** Source: RFC 5849 section 3.4.1. */
function signatureBase(request: SignableRequest, parameters: readonly QueryPair[]): string {
  const { origin, path, query } = parseHttpUrl(request.url);
  const signed = [...parseQueryPairs(query, 'space'), ...formPairs(request), ...parameters];
  return [request.method, origin + path, canonicalQuery(signed)].map(encodeComponent).join('&');
}

/**
 * Removes the parameters that `transport_method` body added: a PLAINTEXT signature contains the secrets. Returns other
 * bodies unchanged.
 */
export function withoutOAuth1Body({
  headers,
  body,
}: Pick<SignableRequest, 'headers' | 'body'>): Uint8Array | undefined {
  if (body === undefined || !isForm({ headers })) return body;
  const pairs = Buffer.from(body).toString('utf8').split('&');
  const kept = pairs.filter((pair) => !PROTOCOL_NAME.test(pair));
  return kept.length === pairs.length ? body : Buffer.from(kept.join('&'), 'utf8');
}

const NO_BYTES = new Uint8Array();

function formPairs(request: SignableRequest): QueryPair[] {
  if (!isForm(request)) return [];
  const { body = NO_BYTES } = request;
  const pairs = parseQueryPairs(Buffer.from(body).toString('utf8'), 'space');
  return pairs;
}

function isForm({ headers }: Pick<SignableRequest, 'headers'>): boolean {
  return readContentType(findHeader(headers, 'content-type')).mediaType === FORM_TYPE;
}

function sign(method: SignatureMethod, base: string, options: OAuth1Options): string {
  const key = `${encodeComponent(options.consumer_secret ?? '')}&${encodeComponent(options.token_secret ?? '')}`;
  switch (method) {
    case 'PLAINTEXT':
      return key;
    case 'HMAC-SHA1':
      return createHmac('sha1', key).update(base).digest('base64');
    case 'HMAC-SHA256':
      return createHmac('sha256', key).update(base).digest('base64');
    case 'RSA-SHA1':
      return signRsa(base, options.private_key);
  }
}

function signRsa(base: string, privateKey: string | undefined): string {
  if (!privateKey) throw requestInvalid('oauth needs private_key for RSA-SHA1.');
  const key = readPrivateKey(privateKey);
  return createSign('RSA-SHA1').update(base).sign(key, 'base64');
}

function readPrivateKey(text: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // No cause, as it may quote the key.
  }
  throw requestInvalid('oauth.private_key is not an RSA private key in PEM form.');
}

function addParameters(
  request: SignableRequest,
  parameters: readonly QueryPair[],
  options: OAuth1Options,
): SignableRequest {
  switch (options.transport_method) {
    case undefined:
    case '':
    case 'header':
      return {
        ...request,
        headers: withHeader(request.headers, 'Authorization', authorization(parameters, options.realm)),
      };
    case 'query':
      return { ...request, url: withPairs(parseHttpUrl(request.url), encodePairs(parameters)) };
    case 'body':
      return { ...request, body: withFormPairs(request, encodePairs(parameters)) };
    default:
      throw requestInvalid('oauth.transport_method must be header, query or body.');
  }
}

function authorization(parameters: readonly QueryPair[], realm: string | undefined): string {
  const shown = !realm ? [] : [`realm="${realm.replace(/["\\]/g, '\\$&')}"`];
  for (const [name, value] of parameters) shown.push(`${encodeComponent(name)}="${encodeComponent(value)}"`);
  return `OAuth ${shown.join(', ')}`;
}

function encodePairs(parameters: readonly QueryPair[]): string {
  return parameters.map(([name, value]) => `${encodeComponent(name)}=${encodeComponent(value)}`).join('&');
}

function withPairs({ origin, path, query }: HttpUrl, pairs: string): string {
  return `${origin}${path}?${query ? `${query}&` : ''}${pairs}`;
}

function withFormPairs(request: SignableRequest, pairs: string): Uint8Array {
  if (!isForm(request)) {
    throw requestInvalid('oauth.transport_method body needs a body of type urlencoded.');
  }
  const body = Buffer.from(request.body ?? []).toString('utf8');
  return Buffer.from(body === '' ? pairs : `${body}&${pairs}`, 'utf8');
}
