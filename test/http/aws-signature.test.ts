import aws4 from 'aws4';
import { describe, expect, it } from 'vitest';
import { readAwsHost } from '../../src/http/aws-host.js';
import { type AwsCredentials, signAws } from '../../src/http/aws-signature.js';
import { findHeader } from '../../src/http/headers.js';
import type { HeaderEntry } from '../../src/http/transport.js';

interface Given {
  readonly method?: string;
  readonly url: string;
  readonly headers?: readonly HeaderEntry[];
  readonly body?: Uint8Array | undefined;
}

function sign(
  { method = 'GET', url, headers = [], body }: Given,
  aws: AwsCredentials,
  nowMs: number,
): readonly HeaderEntry[] {
  return signAws({ method, url, headers, body }, aws, nowMs);
}

const authorization = (headers: readonly HeaderEntry[]): string | undefined =>
  findHeader(headers, 'authorization');

describe('version 2', () => {
  // The examples of the S3 developer guide, "Signing and authenticating REST requests".
  const aws: AwsCredentials = {
    key: 'AKIAIOSFODNN7EXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const johnsmith = 'https://johnsmith.s3.amazonaws.com';

  it.each<[string, Given, string]>([
    [
      'object GET',
      { url: `${johnsmith}/photos/puppy.jpg`, headers: [['Date', 'Tue, 27 Mar 2007 19:36:42 +0000']] },
      'bWq2s1WEIj+Ydj0vQ697zp+IXMU=',
    ],
    [
      'object PUT',
      {
        method: 'PUT',
        url: `${johnsmith}/photos/puppy.jpg`,
        headers: [
          ['Content-Type', 'image/jpeg'],
          ['Date', 'Tue, 27 Mar 2007 21:15:45 +0000'],
        ],
      },
      'MyyxeRY7whkBe+bq8fHCL/2kKUg=',
    ],
    [
      'list',
      {
        url: `${johnsmith}/?prefix=photos&max-keys=50&marker=puppy`,
        headers: [['Date', 'Tue, 27 Mar 2007 19:42:41 +0000']],
      },
      'htDYFYduRNen8P9ZfE/s9SuKy0U=',
    ],
    [
      'fetch',
      { url: `${johnsmith}/?acl`, headers: [['Date', 'Tue, 27 Mar 2007 19:44:46 +0000']] },
      'c2WLPFtWHVgbEmeEG93a4cG37dM=',
    ],
    [
      'list all my buckets',
      { url: 'https://s3.amazonaws.com/', headers: [['Date', 'Wed, 28 Mar 2007 01:29:59 +0000']] },
      'qGdzdERIC03wnaRNKh6OqZehG9s=',
    ],
    [
      'Unicode keys',
      {
        url: 'https://s3.amazonaws.com/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re',
        headers: [['Date', 'Wed, 28 Mar 2007 01:49:49 +0000']],
      },
      'DNEZGsoieTZ92F3bUfSPQcbGmlM=',
    ],
  ])('%s', (_title, given, signature) => {
    expect(authorization(sign(given, aws, 0))).toBe(`AWS AKIAIOSFODNN7EXAMPLE:${signature}`);
  });

  it('upload: metadata headers are folded and sorted', () => {
    const headers: HeaderEntry[] = [
      ['Date', 'Tue, 27 Mar 2007 21:06:08 +0000'],
      ['x-amz-acl', 'public-read'],
      ['content-type', 'application/x-download'],
      ['Content-MD5', '4gJE4saaMU4BqNR0kLY+lw=='],
      ['X-Amz-Meta-ReviewedBy', 'joe@johnsmith.net'],
      ['X-Amz-Meta-ReviewedBy', 'jane@johnsmith.net'],
      ['X-Amz-Meta-FileChecksum', '0x02661779'],
      ['X-Amz-Meta-ChecksumAlgorithm', 'crc32'],
    ];
    const given = { method: 'PUT', url: 'http://s3.amazonaws.com/db-backup.dat.gz', headers };
    const signed = sign(given, { ...aws, bucket: 'static.johnsmith.net' }, 0);
    expect(authorization(signed)).toBe('AWS AKIAIOSFODNN7EXAMPLE:ilyl83RwaSoYIEdixDQcA4OnAnc=');
  });

  it('the bucket is the same in the host, in the path and in the directive', () => {
    const headers: HeaderEntry[] = [['Date', 'x']];
    const bucket = { ...aws, bucket: 'b' };
    const inHost = authorization(sign({ url: 'https://b.s3.eu-west-1.amazonaws.com/k', headers }, aws, 0));
    expect(authorization(sign({ url: 'https://s3.amazonaws.com/b/k', headers }, aws, 0))).toBe(inHost);
    expect(authorization(sign({ url: 'https://s3.amazonaws.com/b/k', headers }, bucket, 0))).toBe(inHost);
    expect(authorization(sign({ url: 'https://minio.test/k', headers }, bucket, 0))).toBe(inHost);
    expect(authorization(sign({ url: 'https://minio.test/bk', headers }, bucket, 0))).not.toBe(inHost);
  });

  it('dates the request and adds the session', () => {
    const signed = sign({ url: 'https://s3.amazonaws.com/' }, { ...aws, session: 'S' }, 0);
    expect(findHeader(signed, 'date')).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
    expect(findHeader(signed, 'x-amz-security-token')).toBe('S');
  });
});

describe('version 4', () => {
  const aws: AwsCredentials = {
    key: 'AKIDEXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    sign_version: '4',
  };

  // The worked example of the AWS reference: IAM ListUsers.
  it('the published example', () => {
    const signed = sign(
      {
        url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
        headers: [['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8']],
      },
      aws,
      Date.UTC(2015, 7, 30, 12, 36, 0),
    );
    expect(authorization(signed)).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-date, ' +
        'Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  const hosts = [
    'sqs.eu-west-1.amazonaws.com',
    's3.amazonaws.com',
    'bucket.s3.eu-west-1.amazonaws.com',
    'dynamodb.us-west-2.amazonaws.com',
    'abc.execute-api.ap-southeast-2.amazonaws.com',
  ];
  const paths = [
    '/',
    '/a/b',
    '/a%20b/c',
    '/%C3%A9',
    '/a/../b',
    '/a//b/',
    '/a%2Bb',
    '/x:y@z,(1)',
    '/?b=2&a=1',
    '/?q=a%20b%2Bc&e=',
    '/?x=%C3%A9&X=1&%24top=5',
    '/?a-b=1&a=2&ab=3',
  ];

  it.each(hosts.flatMap((host) => paths.map((path) => [host, path] as const)))(
    'agrees with an independent signer: %s %s',
    (host, path) => {
      const body = '{"a":"é"}';
      const headers = { 'Content-Type': 'application/json', 'X-K': ' a   b ' };
      const theirs = aws4.sign(
        {
          ...{ host, path, body, method: 'POST', ...readAwsHost(host) },
          // The transport writes this one, so it is not signed.
          ...{ extraHeadersToIgnore: { 'content-length': true } },
          headers: { ...headers, 'X-Amz-Date': '20200203T040506Z' },
        },
        { accessKeyId: aws.key, secretAccessKey: aws.secret, sessionToken: 'S' },
      );
      const ours = sign(
        {
          method: 'POST',
          url: `https://${host}${path}`,
          body: Buffer.from(body),
          headers: Object.entries(headers),
        },
        { ...aws, session: 'S' },
        Date.UTC(2020, 1, 3, 4, 5, 6),
      );
      const signature = (text: unknown): string => /Signature=(\w+)/.exec(String(text))?.[1] ?? 'none';
      expect(signature(authorization(ours))).toBe(signature(theirs.headers?.['Authorization']));
      expect(signature(authorization(ours))).toHaveLength(64);
    },
  );

  it('signs every value of a repeated name', () => {
    const sorted = sign({ url: 'https://s3.amazonaws.com/?a=0&a=1&b=2' }, aws, 0);
    expect(authorization(sign({ url: 'https://s3.amazonaws.com/?b=2&a=1&a=0' }, aws, 0))).toBe(
      authorization(sorted),
    );
    expect(authorization(sign({ url: 'https://s3.amazonaws.com/?b=2&a=1' }, aws, 0))).not.toBe(
      authorization(sorted),
    );
  });
});

describe('readAwsHost', () => {
  it.each([
    ['sqs.eu-west-1.amazonaws.com', 'sqs', 'eu-west-1'],
    ['sqs.eu-west-1.amazonaws.example.test', 'sqs', 'eu-west-1'],
    ['iam.amazonaws.com', 'iam', 'us-east-1'],
    ['s3.amazonaws.com', 's3', 'us-east-1'],
    ['my.bucket.s3.amazonaws.com', 's3', 'us-east-1'],
    ['bucket.s3.eu-central-1.amazonaws.com', 's3', 'eu-central-1'],
    ['bucket.s3-eu-west-1.amazonaws.com', 's3', 'eu-west-1'],
    ['s3-ap-northeast-1.amazonaws.com', 's3', 'ap-northeast-1'],
    ['bucket.s3.dualstack.us-west-2.amazonaws.com', 's3', 'us-west-2'],
    ['abc.execute-api.us-east-2.amazonaws.com', 'execute-api', 'us-east-2'],
    ['email.us-east-1.amazonaws.com', 'ses', 'us-east-1'],
    ['search-x-y.us-west-1.es.amazonaws.com', 'es', 'us-west-1'],
    ['abc.lambda-url.eu-north-1.on.aws', 'lambda', 'eu-north-1'],
    ['sts.us-gov-west-1.amazonaws.com', 'sts', 'us-gov-west-1'],
    ['sns.cn-north-1.amazonaws.com.cn', 'sns', 'cn-north-1'],
    ['minio.example.test', 'minio', 'us-east-1'],
    ['localhost', 'localhost', 'us-east-1'],
  ])('%s is %s in %s', (host, service, region) => {
    expect(readAwsHost(host)).toEqual({ service, region });
  });
});

it.each<[string, AwsCredentials]>([
  ['key', { key: '', secret: 'x' }],
  ['secret', { key: 'x', secret: '' }],
  ['sign_version', { key: 'x', secret: 'x', sign_version: '3' }],
])('refuses a wrong %s', (what, aws) => {
  expect(() => sign({ url: 'https://s3.amazonaws.com/' }, aws, 0)).toThrow(
    expect.objectContaining({ code: 'REQUEST_INVALID', message: expect.stringContaining(what) }),
  );
});
