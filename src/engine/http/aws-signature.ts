import { createHash, createHmac } from 'node:crypto';
import { requestInvalid } from '../../shared/errors/engine-error.js';
import { findHeader, withHeader, withoutHeaders } from './headers.js';
import {
  decodeComponent,
  decodeFormComponent,
  encodeComponent,
  type HttpUrl,
  parseHttpUrl,
} from './http-url.js';
import {
  canonicalQuery,
  compareText,
  hashBody,
  parseQueryPairs,
  type QueryPair,
  type SignableRequest,
} from './signable-request.js';
import type { HeaderEntry } from './transport.js';

/**
 * The evaluated `aws` directive. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
export interface AwsCredentials {
  readonly key: string;
  readonly secret: string;
  readonly session?: string | undefined;
  readonly bucket?: string | undefined;
  /** Default: 2 (S3). */
  readonly sign_version?: string | number | undefined;
}

/**
 * Returns the headers of a request with its signature.
 *
 * @param nowMs time of the request in milliseconds since the Unix epoch
 * @throws REQUEST_INVALID without key or secret, or for a version other than 2 and 4
 */
export function signAws(request: SignableRequest, aws: AwsCredentials, nowMs: number): HeaderEntry[] {
  if (typeof aws.key !== 'string' || aws.key === '' || typeof aws.secret !== 'string' || aws.secret === '') {
    throw requestInvalid('aws needs key and secret.');
  }
  switch (String(aws.sign_version ?? '2')) {
    case '2':
    case '':
      return signAwsV2(request, aws, nowMs);
    case '4':
      return signAwsV4(request, aws, nowMs);
    default:
      throw requestInvalid('aws.sign_version must be 2 or 4.');
  }
}

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

/** Removes empty and dot segments and encodes each segment again, for all services except S3. */
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

/** Service and region of an AWS host name. */
interface AwsHost {
  readonly service: string;
  readonly region: string;
}

/** Region of an endpoint without one. [choice] */
const DEFAULT_REGION = 'us-east-1';

const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

/** Signing names of services whose endpoint name differs. */
const SIGNING_NAMES: Readonly<Record<string, string>> = {
  email: 'ses',
  'lambda-url': 'lambda',
  queue: 'sqs',
  's3-external-1': 's3',
  's3-accelerate': 's3',
};

/**
 * Reads service and region from a host such as `sqs.eu-west-1.amazonaws.com`, `bucket.s3.amazonaws.com`,
 * `s3-eu-west-1.amazonaws.com`, `x.execute-api.us-east-1.amazonaws.com` or `search-x.us-east-1.es.amazonaws.com`.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [inf]
 */
export function readAwsHost(hostname: string): AwsHost {
  const labels = hostname
    .toLowerCase()
    .replace(/^s3-(?=[a-z]{2}-[a-z]+-\d\.)/, 's3.')
    .replace(/\.s3-(?=[a-z]{2}-[a-z]+-\d\.)/, '.s3.')
    .split('.');
  const domain = labels.findIndex(
    (label, index) =>
      index > 0 && (label === 'amazonaws' || (/^(?:api|on)$/.test(label) && labels[index + 1] === 'aws')),
  );
  const own = labels.slice(0, domain === -1 ? Math.max(1, labels.length - 2) : domain);
  const at = own.findLastIndex((label, index) => index > 0 && REGION.test(label));
  const region = own[at] ?? DEFAULT_REGION;
  const isServiceLast = at !== -1 && at === own.length - 2;
  const before = (at === -1 ? own : own.slice(0, at)).filter((label) => label !== 'dualstack');
  const name = (isServiceLast ? own.at(-1) : before.at(-1)) ?? '';
  const service = Object.hasOwn(SIGNING_NAMES, name) ? SIGNING_NAMES[name] : name;
  return { service: service ?? name, region };
}

/** Query names that are part of the resource. Source: Amazon S3 developer guide, "Signing and authenticating REST requests". */
const SUBRESOURCES: ReadonlySet<string> = new Set([
  'accelerate',
  'acl',
  'analytics',
  'cors',
  'defaultObjectAcl',
  'delete',
  'inventory',
  'lifecycle',
  'location',
  'logging',
  'metrics',
  'notification',
  'partNumber',
  'policy',
  'replication',
  'requestPayment',
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
  'restore',
  'select',
  'select-type',
  'tagging',
  'torrent',
  'uploadId',
  'uploads',
  'versionId',
  'versioning',
  'versions',
  'website',
]);

/**
 * Signs with version 2 of S3: `Authorization: AWS <key>:<signature>` over method, content headers, date, `x-amz-`
 * headers and resource. Adds a `Date` unless the request has a date.
 */
function signAwsV2(request: SignableRequest, aws: AwsCredentials, nowMs: number): HeaderEntry[] {
  let headers: HeaderEntry[] = [...request.headers];
  if (aws.session) headers = withHeader(headers, 'X-Amz-Security-Token', aws.session);
  if (findHeader(headers, 'x-amz-date') === undefined && findHeader(headers, 'date') === undefined) {
    headers = withHeader(headers, 'Date', new Date(nowMs).toUTCString());
  }
  const text = stringToSign({ ...request, headers }, aws.bucket);
  const signature = createHmac('sha1', aws.secret).update(text, 'utf8').digest('base64');
  return withHeader(headers, 'Authorization', `AWS ${aws.key}:${signature}`);
}

function stringToSign({ method, url, headers }: SignableRequest, bucket: string | undefined): string {
  const date = findHeader(headers, 'x-amz-date') === undefined ? (findHeader(headers, 'date') ?? '') : '';
  return [
    method,
    findHeader(headers, 'content-md5') ?? '',
    findHeader(headers, 'content-type') ?? '',
    date,
    amzHeaders(headers) + canonicalResource(parseHttpUrl(url), bucket),
  ].join('\n');
}

function amzHeaders(headers: readonly HeaderEntry[]): string {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (!lower.startsWith('x-amz-')) continue;
    values.set(lower, [...(values.get(lower) ?? []), value.trim().replace(/\s+/g, ' ')]);
  }
  return [...values]
    .sort((a, b) => compareText(a[0], b[0]))
    .map(([name, list]) => `${name}:${list.join(',')}\n`)
    .join('');
}

/** Prefixes the bucket unless the path starts with it. Default: the bucket in an S3 host name. [inf] */
function canonicalResource({ hostname, path, query }: HttpUrl, given: string | undefined): string {
  const bucket = given || bucketOfHost(hostname);
  const isInPath = given !== undefined && (path === `/${given}` || path.startsWith(`/${given}/`));
  const prefix = bucket === undefined || isInPath ? '' : `/${bucket}`;
  const subresources = parseQueryPairs(query, 'literal')
    .filter(([name]) => SUBRESOURCES.has(name))
    .sort((a, b) => compareText(a[0], b[0]))
    .map(([name, value]) => (value === '' ? name : `${name}=${decodeComponent(value)}`))
    .join('&');
  return `${prefix}${path}${subresources === '' ? '' : `?${subresources}`}`;
}

function bucketOfHost(hostname: string): string | undefined {
  return /^(.+)\.s3(?:[.-][a-z0-9.-]+)?\.amazonaws\.com$/.exec(hostname)?.[1];
}
