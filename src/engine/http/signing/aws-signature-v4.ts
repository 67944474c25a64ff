import { createHash, createHmac } from 'node:crypto';
import { findHeader, withHeader, withoutHeaders } from '../headers.js';
import { parseHttpUrl } from '../http-url.js';
import { decodeFormComponent, encodeComponent } from '../percent-encoding.js';
import type { HeaderEntry } from '../transport.js';
import type { AwsCredentials } from './aws-credentials.js';
import { type AwsHost, readAwsHost } from './aws-host.js';
import { canonicalQuery, compareText, parseQueryPairs, type QueryPair } from './canonical-query.js';
import { hashBody } from './hash-body.js';
import type { SignableRequest } from './signable-request.js';

/** Headers that a proxy or the transport may change. */
const UNSIGNED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'cache-control',
  'connection',
  'content-length',
  'expect',
  'max-forwards',
  'pragma',
  'referer',
  'te',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-amzn-trace-id',
]);

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Scope of a version 4 key. */
interface Scope extends AwsHost {
  /** `20150830T123600Z`. */
  readonly timestamp: string;
}

/**
 * Signs with version 4: service and region from the host name; all headers except those that may change. Adds
 * `X-Amz-Date` and, for S3, `X-Amz-Content-Sha256`. Source: AWS reference "Signature Version 4 signing process";
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [inf]
 *
 * @param signer service and region. Default: from the host name
 */
export function signAwsV4(
  request: SignableRequest,
  aws: AwsCredentials,
  nowMs: number,
  signer: AwsHost = readAwsHost(parseHttpUrl(request.url).hostname),
): HeaderEntry[] {
  const { host } = parseHttpUrl(request.url);
  const timestamp = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const scope: Scope = { ...signer, timestamp };
  const payloadHash = hashBody('sha256', request.body ?? new Uint8Array()).toString('hex');

  let headers = withHeader(request.headers, 'X-Amz-Date', timestamp);
  if (aws.session) headers = withHeader(headers, 'X-Amz-Security-Token', aws.session);
  if (scope.service === 's3') headers = withHeader(headers, 'X-Amz-Content-Sha256', payloadHash);

  const signed = signedHeaders([
    ...withoutHeaders(headers, (name) => name === 'host'),
    ['host', findHeader(headers, 'host') ?? host],
  ]);
  const names = signed.map(([name]) => name).join(';');
  const signature = sign(aws.secret, scope, canonicalRequest(request, signed, scope, payloadHash));
  const credential = `${aws.key}/${scopeText(scope)}`;
  return withHeader(
    headers,
    'Authorization',
    `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  );
}

function signedHeaders(headers: readonly HeaderEntry[]): HeaderEntry[] {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (UNSIGNED_HEADERS.has(lower)) continue;
    values.set(lower, [...(values.get(lower) ?? []), value.trim().replace(/ +/g, ' ')]);
  }
  return [...values]
    .sort((a, b) => compareText(a[0], b[0]))
    .map(([name, list]): HeaderEntry => [name, list.join(',')]);
}

function canonicalRequest(
  { method, url }: SignableRequest,
  headers: readonly HeaderEntry[],
  { service }: Scope,
  payloadHash: string,
): string {
  const { path, query } = parseHttpUrl(url);
  const pairs = parseQueryPairs(query, 'space');
  const isS3 = service === 's3';
  return [
    method,
    isS3 ? encodedPath(path) : normalizedPath(path),
    canonicalQuery(isS3 ? firstOfEachName(pairs) : pairs),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    headers.map(([name]) => name).join(';'),
    payloadHash,
  ].join('\n');
}

/**
 * S3 signs the path encoded once, regardless of its notation, and reads a `+` as a space (a plus is sent as `%2B`).
 * Other services: see `normalizedPath`. Source: canonical requests in S3 responses,
 * github.com/nginx/nginx-s3-gateway/issues/77, github.com/http4k/http4k/pull/1280,
 * github.com/ClickHouse/ClickHouse/issues/23283.
 */
function encodedPath(path: string): string {
  return decodeFormComponent(path).split('/').map(encodeComponent).join('/');
}

/**
 * S3 uses the first value of a repeated name; the documented rule of all other services keeps every value. Source:
 * canonical requests in S3 responses, github.com/aws/aws-sdk-go/issues/1495.
 */
function firstOfEachName(pairs: readonly QueryPair[]): readonly QueryPair[] {
  const seen = new Set<string>();
  return pairs.filter(([name]) => {
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

/** All services but S3: removes empty and dot segments and encodes each segment once more. */
function normalizedPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(encodeComponent(segment));
  }
  const end = kept.length > 0 && /(?:\/|\/\.|\/\.\.)$/.test(path) ? '/' : '';
  return `/${kept.join('/')}${end}`;
}

function sign(secret: string, scope: Scope, request: string): string {
  const hash = createHash('sha256').update(request, 'utf8').digest('hex');
  const text = [ALGORITHM, scope.timestamp, scopeText(scope), hash].join('\n');
  const steps = [scope.timestamp.slice(0, 8), scope.region, scope.service, 'aws4_request'];
  let key: string | Buffer = `AWS4${secret}`;
  for (const step of steps) key = createHmac('sha256', key).update(step, 'utf8').digest();
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

function scopeText({ timestamp, region, service }: Scope): string {
  return `${timestamp.slice(0, 8)}/${region}/${service}/aws4_request`;
}
