import { readFileSync } from 'node:fs';
import aws4 from 'aws4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AwsCredentials, readAwsHost, signAws, signAwsV4 } from '../../src/engine/http/aws-signature.js';
import { findHeader } from '../../src/engine/http/headers.js';
import type { TransportRequest } from '../../src/index.js';

type HeaderEntry = TransportRequest['headers'][number];

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

const signatureIn = (text: unknown): string => /Signature=(\w+)/.exec(String(text))?.[1] ?? 'none';

describe('AWS signature version 2', () => {
  // Examples of the S3 developer guide, "Signing and authenticating REST requests".
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

  it('folds and sorts metadata headers', () => {
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

  it('treats the bucket alike in the host, the path and the directive', () => {
    const headers: HeaderEntry[] = [['Date', 'x']];
    const bucket = { ...aws, bucket: 'b' };
    const inHost = authorization(sign({ url: 'https://b.s3.eu-west-1.amazonaws.com/k', headers }, aws, 0));
    expect(authorization(sign({ url: 'https://s3.amazonaws.com/b/k', headers }, aws, 0))).toBe(inHost);
    expect(authorization(sign({ url: 'https://s3.amazonaws.com/b/k', headers }, bucket, 0))).toBe(inHost);
    expect(authorization(sign({ url: 'https://minio.test/k', headers }, bucket, 0))).toBe(inHost);
    expect(authorization(sign({ url: 'https://minio.test/bk', headers }, bucket, 0))).not.toBe(inHost);
  });

  it('adds the date and the session token', () => {
    const signed = sign({ url: 'https://s3.amazonaws.com/' }, { ...aws, session: 'S' }, 0);
    expect(findHeader(signed, 'date')).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
    expect(findHeader(signed, 'x-amz-security-token')).toBe('S');
  });
});

describe('AWS signature version 4', () => {
  const aws: AwsCredentials = {
    key: 'AKIDEXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    sign_version: '4',
  };

  // Worked example of the AWS reference: IAM ListUsers.
  it('reproduces the published example', () => {
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

  const suite = JSON.parse(
    readFileSync(new URL('../../spec-fixtures/signing/aws-v4.json', import.meta.url), 'utf8'),
  ) as {
    given: { key: string; secret: string; service: string; region: string; origin: string; time: string };
    cases: {
      id: string;
      method: string;
      target: string;
      headers?: HeaderEntry[];
      body?: string;
      signature: string;
    }[];
  };

  it.each(suite.cases)(
    'reproduces the published test suite: $id',
    ({ method, target, headers = [], body, signature }) => {
      const { key, secret, origin, time, ...signer } = suite.given;
      const request = { method, url: origin + target, headers, body: body ? Buffer.from(body) : undefined };
      const signed = signAwsV4(request, { key, secret }, Date.parse(time), signer);
      expect(signatureIn(authorization(signed))).toBe(signature);
    },
  );

  // The suite of 2011 contains it in post-vanilla-query-nonunreserved, with an unsupported date.
  it('reads a plus in a query as a space', () => {
    const at = (query: string) => authorization(sign({ url: `https://sqs.amazonaws.com/?${query}` }, aws, 0));
    expect(at('+a=b+c')).toBe(at('%20a=b%20c'));
    expect(at('+a=b+c')).not.toBe(at('%2Ba=b%2Bc'));
  });

  // Canonical requests in S3 responses: github.com/aws/aws-sdk-go/issues/1495,
  // github.com/nginx/nginx-s3-gateway/issues/77.
  it('uses the first value of a repeated name and reads a plus in a path as a space for S3', () => {
    const s3 = (target: string) => authorization(sign({ url: `https://s3.amazonaws.com${target}` }, aws, 0));
    expect(s3('/?b=1&a=2&a=1')).toBe(s3('/?a=2&b=1'));
    expect(s3('/n+ginx.conf')).toBe(s3('/n%20ginx.conf'));
    expect(s3('/n%2Bginx.conf')).not.toBe(s3('/n%20ginx.conf'));
    const sqs = (target: string) =>
      authorization(sign({ url: `https://sqs.amazonaws.com${target}` }, aws, 0));
    expect(sqs('/?b=1&a=2&a=1')).toBe(sqs('/?a=1&a=2&b=1'));
    expect(sqs('/a+b')).not.toBe(sqs('/a%20b'));
  });

  const hosts = [
    'sqs.eu-west-1.amazonaws.com',
    's3.amazonaws.com',
    'bucket.s3.eu-west-1.amazonaws.com',
    'dynamodb.us-west-2.amazonaws.com',
    'abc.execute-api.ap-southeast-2.amazonaws.com',
  ];

  function expectAgreement(host: string, target: string): void {
    const body = '{"a":"é"}';
    const headers = { 'Content-Type': 'application/json', 'X-K': ' a   b ' };
    const theirs = aws4.sign(
      {
        ...{ host, path: target, body, method: 'POST', ...readAwsHost(host) },
        // The transport sets this header, so it is not signed.
        ...{ extraHeadersToIgnore: { 'content-length': true } },
        headers: { ...headers, 'X-Amz-Date': '20200203T040506Z' },
      },
      { accessKeyId: aws.key, secretAccessKey: aws.secret, sessionToken: 'S' },
    );
    const given = { method: 'POST', url: `https://${host}${target}`, body: Buffer.from(body) };
    const ours = sign(
      { ...given, headers: Object.entries(headers) },
      { ...aws, session: 'S' },
      Date.UTC(2020, 1, 3, 4, 5, 6),
    );
    expect(signatureIn(authorization(ours))).toBe(signatureIn(theirs.headers?.['Authorization']));
    expect(signatureIn(authorization(ours))).toHaveLength(64);
  }

  it.each(
    hosts.flatMap((host) =>
      [
        '/',
        '/a/b',
        '/a%20b/c',
        '/%C3%A9',
        '/a/../b',
        '/a//b/',
        '/a+b',
        '/a%2Bb',
        '/a%2Fb',
        '/x:y@z,(1)',
        '/?b=2&a=1&a=0',
        '/?q=a%20b%2Bc+d&e=',
        '/?x=%C3%A9&X=1&%24top=5',
        '/?a-b=1&a=2&ab=3',
      ].map((target) => [host, target] as const),
    ),
  )('agrees with an independent signer: %s %s', expectAgreement);

  it('agrees with an independent signer on any encoded path and query', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 6 }).map(encodeURIComponent);
    const word = fc.oneof(text, fc.constantFrom('a', 'A', '+', 'a+b', '%2B', '%2b', '-._~', '%21'));
    const segment = word.filter((text) => text !== '.' && text !== '..');
    const name = word.filter((text) => text !== '');
    const pair = fc.tuple(name, word).map(([name, value]) => `${name}=${value}`);
    const target = fc
      .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.array(pair, { maxLength: 5 }))
      .map(([path, query]) => `/${path.join('/')}${query.length === 0 ? '' : `?${query.join('&')}`}`);
    fc.assert(fc.property(fc.constantFrom(...hosts), target, expectAgreement), { numRuns: 300 });
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
])('rejects an invalid %s', (what, aws) => {
  expect(() => sign({ url: 'https://s3.amazonaws.com/' }, aws, 0)).toThrow(
    expect.objectContaining({ code: 'REQUEST_INVALID', message: expect.stringContaining(what) }),
  );
});
