import { createHmac } from 'node:crypto';
import { findHeader, withHeader } from '../headers.js';
import { type HttpUrl, parseHttpUrl } from '../http-url.js';
import { decodeComponent } from '../percent-encoding.js';
import type { HeaderEntry } from '../transport.js';
import type { AwsCredentials } from './aws-credentials.js';
import { compareText, parseQueryPairs } from './canonical-query.js';
import type { SignableRequest } from './signable-request.js';

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
export function signAwsV2(request: SignableRequest, aws: AwsCredentials, nowMs: number): HeaderEntry[] {
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
