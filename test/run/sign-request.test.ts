import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import aws4 from 'aws4';
import OAuth from 'oauth-1.0a';
import { describe, expect, it } from 'vitest';
import { decodeFormComponent } from '../../src/engine/http/http-url.js';
import { createEngine, defineApp } from '../../src/index.js';
import { httpServer, readBody } from '../http/loopback.js';

/** The request that a server received, as a signature covers it. */
interface Received {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function receive(
  communication: Readonly<Record<string, unknown>>,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<Received> {
  const received: Received[] = [];
  const server = await httpServer(async (incoming, out) => {
    const { method = '', url = '', headers } = incoming;
    received.push({ method, target: url, headers, body: await readBody(incoming) });
    out.end('{}');
  });
  const app = defineApp({
    name: 'signed',
    base: { baseUrl: server.origin },
    modules: { m: { type: 'action', communication } },
  });
  const engine = createEngine({ app, http: { allow: ['loopback'] } });
  try {
    await engine.module('m').run({ parameters });
  } finally {
    await engine.close();
    await server.close();
  }
  const [first] = received;
  if (first === undefined || received.length > 1) throw new Error('one request was expected');
  return first;
}

const AWS = { key: 'AKIDEXAMPLE', secret: 'abc+/secret', session: 'the session', sign_version: '4' };

describe('aws', () => {
  it.each([
    { url: '/a b/é/{{parameters.name}}', qs: { q: 'x y+z', list: ['2', '1'], empty: '' } },
    { url: '/a//b/../c?x=1+2&x=0', encodeUrl: false },
    { url: '/upload', method: 'POST', body: { a: 'é', n: [1, null] } },
    { url: '/upload', method: 'PUT', type: 'urlencoded', body: { a: 'é &=+', b: ['1', '2'] } },
    { url: '/upload', method: 'POST', type: 'multipart/form-data', body: { f: 'text' } },
  ])('version 4 signs what arrives: %j', async (communication) => {
    const { method, target, headers, body } = await receive(
      { ...communication, aws: AWS },
      { name: 'ä/b+c' },
    );
    const authorization = String(headers.authorization);
    const [, service = '', names = ''] =
      /Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/([^/]+)\/aws4_request, SignedHeaders=([^,]+),/.exec(
        authorization,
      ) ?? [];
    expect(names.split(';')).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token']));
    const signed = Object.fromEntries(names.split(';').map((name) => [name, String(headers[name])]));
    const { host = '', ...rest } = signed;
    const theirs = aws4.sign(
      {
        ...{ host, service, region: 'us-east-1', method, path: target, headers: rest },
        ...(body !== '' && { body: Buffer.from(body, 'latin1') as unknown as string }), // typed as text, hashed as bytes
        ...{ extraHeadersToIgnore: { 'content-length': true } },
      },
      { accessKeyId: AWS.key, secretAccessKey: AWS.secret },
    );
    expect(authorization).toBe(theirs.headers?.['Authorization']);
  });

  it('version 2 is the default, over method, date, type and resource', async () => {
    const { key, secret, session } = AWS;
    const { headers, target } = await receive({
      ...{ url: '/k y?acl&x=1', method: 'PUT', body: {}, aws: { key, secret, session, bucket: 'b' } },
    });
    expect(target).toBe('/k%20y?acl&x=1');
    const text = [
      ...['PUT', '', 'application/json', String(headers.date)],
      'x-amz-security-token:the session\n/b/k%20y?acl',
    ].join('\n');
    const signature = createHmac('sha1', secret).update(text).digest('base64');
    expect(headers.authorization).toBe(`AWS ${key}:${signature}`);
  });
});

const OAUTH = { consumer_key: 'ck', consumer_secret: 'c s', token: 't', token_secret: 't&s' };

/** Parameters of the protocol, from any part of the request. */
function parametersOf(text: string, separator: RegExp): Record<string, string> {
  return Object.fromEntries(
    text
      .split(separator)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
      .filter(([name = '']) => name.startsWith('oauth_'))
      .map(([name = '', value = '']) => [name, decodeFormComponent(value.replaceAll('"', ''))]),
  );
}

function formOf(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

describe('oauth', () => {
  it.each([
    ['header', { url: '/a b?x=1 2', qs: { q: 'é+&' } }],
    ['header', { url: '/p', method: 'POST', type: 'urlencoded', body: { a: 'é &=+', 'b c': '' } }],
    ['header', { url: '/p', method: 'POST', body: { a: 1 } }],
    ['query', { url: '/p?x=1', qs: { q: 'é+&' } }],
    ['body', { url: '/p', method: 'POST', type: 'urlencoded', body: { a: 'é &=+' } }],
  ] as const)('in the %s signs what arrives: %j', async (transport_method, communication) => {
    const { method, target, headers, body } = await receive({
      ...communication,
      oauth: { ...OAUTH, transport_method },
    });
    const sent = {
      header: parametersOf(String(headers.authorization).replace(/^OAuth /, ''), /, /),
      query: parametersOf(target.split('?')[1] ?? '', /&/),
      body: parametersOf(body, /&/),
    }[transport_method];
    expect(Object.keys(sent)).toContain('oauth_signature');
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    const url = new URL(target, `http://${headers.host}`);
    const data = { ...formOf(url.search), ...(isForm && formOf(body)) };
    const own = Object.entries(data).filter(([name]) => !name.startsWith('oauth_'));
    url.search = '';
    const signer = new OAuth({
      consumer: { key: OAUTH.consumer_key, secret: OAUTH.consumer_secret },
      signature_method: 'HMAC-SHA1',
      hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
    });
    const { oauth_signature, ...protocol } = sent;
    const parameters = { ...protocol } as unknown as OAuth.Data; // with the nonce and time that were sent
    const request = { url: url.href, method, data: Object.fromEntries(own) };
    expect(oauth_signature).toBe(signer.getSignature(request, OAUTH.token_secret, parameters));
  });

  it('body_hash is sent for true and for a text, but not for false', async () => {
    const hashOf = async (body_hash: unknown): Promise<string | undefined> => {
      const { headers } = await receive({
        ...{ url: '/p', method: 'POST', type: 'text', body: 'Hello World!' },
        ...{ oauth: { ...OAUTH, body_hash }, headers: { 'Content-Type': 'text/plain' } },
      });
      return parametersOf(String(headers.authorization), /, /)['oauth_body_hash'];
    };
    // The example of the draft "OAuth Request Body Hash", section 4.
    expect(await hashOf(true)).toBe('Lve95gjOVATpfV8EL5X4nxwjKHE=');
    expect(await hashOf('given')).toBe('given');
    expect(await hashOf(false)).toBeUndefined();
    expect(await hashOf('{{1 = 2}}')).toBeUndefined();
  });
});
